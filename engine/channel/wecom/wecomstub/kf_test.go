package wecomstub

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

const kfAccount = "wkstub1"

// page pulls and returns the ids of the items.
func (w *corp) page(t *testing.T, body string) (ids []string, next string, more bool) {
	t.Helper()
	m := w.want(t, 0, "kf/sync_msg", body)
	list, _ := m["msg_list"].([]any)
	for _, item := range list {
		ids = append(ids, item.(map[string]any)["msgid"].(string))
	}
	return ids, m["next_cursor"].(string), m["has_more"] == 1.0
}

func TestServicePages(t *testing.T) {
	w := newCorp(t, stub.Options{})
	for i := range 3 {
		w.said(t, stub.Said{Kind: engine.Message, ID: fmt.Sprint("m", i), Group: kfAccount, User: "wm1", Text: "hi"})
	}
	w.said(t, stub.Said{Kind: engine.Message, ID: "m2", Group: kfAccount, User: "wm1", Text: "again"}) // a repeat
	w.want(t, 40058, "kf/sync_msg", `{"cursor":""}`)
	w.want(t, 95007, "kf/sync_msg", `{"open_kfid":"wkstub1","token":"made-up"}`)
	ids, next, more := w.page(t, `{"open_kfid":"wkstub1","token":"STUBBELL-m0"}`)
	if len(ids) != 0 || !more {
		t.Errorf("the first page: %v, more %v; want an empty one and more", ids, more)
	}
	ids, next, more = w.page(t, `{"open_kfid":"wkstub1","limit":2,"cursor":"`+next+`"}`)
	if fmt.Sprint(ids) != "[m0 m1]" || !more {
		t.Errorf("the second page: %v, more %v", ids, more)
	}
	ids, next, more = w.page(t, `{"open_kfid":"wkstub1","limit":2,"cursor":"`+next+`"}`)
	if fmt.Sprint(ids) != "[m2]" || more {
		t.Errorf("the last page: %v, more %v", ids, more)
	}
	if ids, again, more := w.page(t, `{"open_kfid":"wkstub1","cursor":"`+next+`"}`); len(ids) > 0 || again != next || more {
		t.Errorf("nothing new: %v, %s, more %v", ids, again, more)
	}
	w.now = w.now.Add(10 * time.Minute)
	w.want(t, 95007, "kf/sync_msg", `{"open_kfid":"wkstub1","token":"STUBBELL-m0"}`)
	w.now = w.now.Add(time.Hour)
	if ids, _, _ := w.page(t, `{"open_kfid":"wkstub1","cursor":"at-0"}`); len(ids) != 3 {
		t.Errorf("after an hour: %v", ids)
	}
}

func TestServiceWindows(t *testing.T) {
	w := newCorp(t, stub.Options{})
	n := 0
	send := func(errcode int, customer string) {
		t.Helper()
		n++
		w.want(t, errcode, "kf/send_msg", fmt.Sprintf(`{"touser":%q,"open_kfid":"wkstub1","msgid":"id-%d","msgtype":"text","text":{"content":"hi"}}`, customer, n))
	}
	write := func(id, customer string) {
		t.Helper()
		w.said(t, stub.Said{Kind: engine.Message, ID: id, Group: kfAccount, User: customer, Text: "hi"})
	}
	send(95000, "wm1")
	write("m1", "wm1")
	for range 5 {
		send(0, "wm1")
	}
	send(95001, "wm1")
	send(95002, "wm2")
	write("m2", "wm1")
	send(0, "wm1")
	n--
	send(40058, "wm1") // the same id
	if c := w.Counts(); c.Repeats != 1 {
		t.Errorf("counts %+v, want one repeat", c)
	}
	w.want(t, 40058, "kf/send_msg", `{"touser":"wm1","open_kfid":"wkstub1","msgid":"","msgtype":"text","text":{"content":"hi"}}`)
	w.want(t, 0, "kf/send_msg", `{"touser":"wm1","open_kfid":"wkstub1","msgtype":"text","text":{"content":"hi"}}`)
	w.now = w.now.Add(48*time.Hour + time.Second)
	w.token, _ = w.get("gettoken", "corpid=ww1&corpsecret=app-secret")["access_token"].(string)
	n++
	send(95002, "wm1")
}

func TestServiceSessions(t *testing.T) {
	w := newCorp(t, stub.Options{})
	w.said(t, stub.Said{Kind: engine.Message, ID: "m1", Group: kfAccount, User: "wm1", Text: "人工"})
	trans := func(errcode, state int) map[string]any {
		t.Helper()
		return w.want(t, errcode, "kf/service_state/trans", fmt.Sprintf(`{"open_kfid":"wkstub1","external_userid":"wm1","service_state":%d}`, state))
	}
	const text = `"msgtype":"text","text":{"content":"hi"}}`
	code := trans(0, 2)["msg_code"].(string)
	trans(95016, 1)
	w.want(t, 95018, "kf/send_msg", `{"touser":"wm1","open_kfid":"wkstub1",`+text)
	w.want(t, 0, "kf/send_msg_on_event", `{"code":"`+code+`",`+text)
	w.want(t, 41050, "kf/send_msg_on_event", `{"code":"`+code+`",`+text)
	trans(0, 4)
	trans(95016, 1)
	w.want(t, 95013, "kf/send_msg", `{"touser":"wm1","open_kfid":"wkstub1",`+text)
	w.said(t, stub.Said{Kind: engine.Message, ID: "m2", Group: kfAccount, User: "wm1", Text: "hi"})
	w.want(t, 0, "kf/send_msg", `{"touser":"wm1","open_kfid":"wkstub1",`+text)
	if m := w.want(t, 0, "kf/service_state/get", `{"open_kfid":"wkstub1","external_userid":"wm1"}`); m["service_state"] != 0.0 {
		t.Errorf("state %v, want 0 after the customer's message", m["service_state"])
	}
	w.said(t, stub.Said{Kind: engine.EnterChat, ID: "e1", Group: kfAccount, User: "wm9"})
	w.now = w.now.Add(21 * time.Second)
	w.want(t, 41050, "kf/send_msg_on_event", `{"code":"STUBKF-e1",`+text)
}

func TestServiceTellsOfMessagesThatDidNotArrive(t *testing.T) {
	w := newCorp(t, stub.Options{})
	w.said(t, stub.Said{Kind: engine.Message, ID: "m1", Group: kfAccount, User: "refuses1", Text: "hi"})
	w.want(t, 0, "kf/send_msg", `{"touser":"refuses1","open_kfid":"wkstub1","msgid":"x1","msgtype":"text","text":{"content":"hi"}}`)
	m := w.want(t, 0, "kf/sync_msg", `{"open_kfid":"wkstub1","cursor":"at-1"}`)
	b, _ := json.Marshal(m["msg_list"])
	var items []struct {
		Event struct {
			EventType  string `json:"event_type"`
			FailMsgID  string `json:"fail_msgid"`
			ExternalID string `json:"external_userid"`
		}
	}
	if err := json.Unmarshal(b, &items); err != nil || len(items) != 1 || items[0].Event.EventType != "msg_send_fail" ||
		items[0].Event.FailMsgID != "x1" || items[0].Event.ExternalID != "refuses1" {
		t.Errorf("got %s (%v)", b, err)
	}
}
