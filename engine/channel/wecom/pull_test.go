package wecom

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

func pull(t *testing.T, r *rig, token, cursor string) channel.Page {
	t.Helper()
	page, err := r.sender(t).(channel.Puller).Pull(t.Context(), "wk1", token, cursor)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestPagesOfCustomerService(t *testing.T) {
	r := appRig(t)
	pages := map[any]string{
		"c1": `{"errcode":0,"next_cursor":"c2","has_more":1,"msg_list":[]}`, // empty, and there is more
		"c2": `{"errcode":0,"next_cursor":"c3","has_more":1,"msg_list":[` + textItem("m-1", noon) + `,` + textItem("m-2", noon.Add(-50*time.Hour)) + `]}`,
		"c3": `{"errcode":0,"next_cursor":"c4","has_more":0,"msg_list":[]}`,
		"c4": `{"errcode":0,"next_cursor":"","has_more":1,"msg_list":[]}`, // would go on for ever
	}
	r.on("kf/sync_msg", func(q *heard) string { return pages[q.json["cursor"]] })
	for _, c := range []struct {
		from, to string
		more     bool
		ids      string
	}{{"c1", "c2", true, ""}, {"c2", "c3", true, "m-1 m-2"}, {"c3", "c4", false, ""}, {"c4", "c4", false, ""}} {
		page := pull(t, r, "BELL", c.from)
		var ids []string
		for _, e := range page.Events {
			ids = append(ids, e.ID)
		}
		if page.Cursor != c.to || page.More != c.more || strings.Join(ids, " ") != c.ids {
			t.Errorf("after %s: %s, more %v, %v", c.from, page.Cursor, page.More, ids)
		}
	}
	r.wantBody(t, "kf/sync_msg", `{"cursor":"c4","limit":200,"open_kfid":"wk1","token":"BELL"}`)
}

func textItem(id string, at time.Time) string {
	return fmt.Sprintf(`{"msgid":"%s","open_kfid":"wk1","external_userid":"wm1","send_time":%d,"origin":3,"msgtype":"text","text":{"content":"hi"}}`, id, at.Unix())
}

// Without a cursor the platform gives three days; a bot that is just installed
// must not answer them all.
func TestTheFirstPullSkipsWhatIsOld(t *testing.T) {
	r := appRig(t)
	r.account.MaxAge = 5 * time.Minute
	r.on("kf/sync_msg", func(q *heard) string {
		if q.json["cursor"] == nil {
			return `{"errcode":0,"next_cursor":"a/b","has_more":1,"msg_list":[` + textItem("old", noon.Add(-6*time.Minute)) + `]}`
		}
		return `{"errcode":0,"next_cursor":"c","has_more":0,"msg_list":[` + textItem("old-too", noon.Add(-6*time.Minute)) + `,` + textItem("new", noon.Add(-4*time.Minute)) + `]}`
	})
	first := pull(t, r, "", "")
	if len(first.Events) != 0 || !first.More {
		t.Fatalf("got %d events, more %v", len(first.Events), first.More)
	}
	r.clock.pass(3 * time.Minute) // what was new at the beginning stays so
	second := pull(t, r, "", first.Cursor)
	if len(second.Events) != 1 || second.Events[0].ID != "new" || second.Cursor != "c" {
		t.Fatalf("got %d events, cursor %q", len(second.Events), second.Cursor)
	}
	r.wantBody(t, "kf/sync_msg", `{"cursor":"a/b","limit":200,"open_kfid":"wk1"}`)
}

// The bell's token is good for ten minutes; there is much to pull without it.
func TestABellThatRangTooLongAgo(t *testing.T) {
	r := appRig(t)
	r.on("kf/sync_msg", func(q *heard) string {
		if q.json["token"] != nil {
			return refuses(95007, "invalid msg token")
		}
		return `{"errcode":0,"next_cursor":"c2","has_more":0,"msg_list":[` + textItem("m-1", noon) + `]}`
	})
	if page := pull(t, r, "OLD", "c1"); len(page.Events) != 1 {
		t.Errorf("%d events, want 1", len(page.Events))
	}
	wantCalls(t, r.fakeCom, "kf/sync_msg", 2)
}

func TestPullsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   channel.Class
	}{
		"too many at once": {refuses(45033, "concurrent"), channel.Throttled},
		"not granted":      {refuses(48002, "api forbidden"), channel.Halted},
		"hung up":          {"", channel.Transient},
		"a page":           {"<html>", channel.Transient},
		"no list":          {`{"errcode":0,"next_cursor":"c","msg_list":7}`, channel.Transient},
	} {
		t.Run(name, func(t *testing.T) {
			r := appRig(t)
			r.says("kf/sync_msg", c.answer)
			_, err := r.sender(t).(channel.Puller).Pull(t.Context(), "wk1", "", "c")
			if e, ok := err.(*channel.SendError); !ok || e.Class != c.want {
				t.Errorf("got %v, want it %s", err, c.want)
			}
		})
	}
}

// What a page brings nothing of is not in doubt: it can be fetched again.
func TestStatusesOfAPull(t *testing.T) {
	for _, c := range []struct {
		status int
		header string
		want   channel.Class
	}{
		{400, "", channel.Permanent}, {307, "", channel.Permanent}, {401, "", channel.Credential}, {403, "", channel.Credential}, {408, "", channel.Transient},
		{425, "", channel.Transient}, {429, "7", channel.Throttled}, {500, "", channel.Transient}, {502, "", channel.Transient}, {503, "7", channel.Throttled}, {503, "", channel.Transient},
	} {
		r := appRig(t)
		r.remember(t, noted(appAccount)...)
		r.answersEverything(func(w http.ResponseWriter, q *http.Request) {
			if c.header != "" {
				w.Header().Set("Retry-After", c.header)
			}
			w.WriteHeader(c.status)
			fmt.Fprint(w, q.URL)
		})
		_, err := r.sender(t).(channel.Puller).Pull(t.Context(), "wk1", "", "c")
		e, ok := err.(*channel.SendError)
		if !ok || e.Class != c.want || e.Status != c.status || strings.Contains(e.Note, "noted-token") {
			t.Errorf("%d: got %v, want it %s", c.status, err, c.want)
		}
		if c.want == channel.Throttled && !e.Until.Equal(noon.Add(7*time.Second)) {
			t.Errorf("%d: until %v", c.status, e.Until)
		}
	}
	r := appRig(t)
	r.remember(t, noted(appAccount)...)
	r.Close()
	_, err := r.sender(t).(channel.Puller).Pull(t.Context(), "wk1", "", "c")
	if e, ok := err.(*channel.SendError); !ok || e.Class != channel.Unreachable || strings.Contains(e.Note, "noted-token") {
		t.Errorf("got %v, want it unreachable", err)
	}
}

func TestWhyAMessageDidNotArrive(t *testing.T) {
	seen := make(map[string]bool)
	for _, kind := range []string{"1", "2", "4", "5", "6", "7", "10", "0"} {
		seen[kfFailed(kind)] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d reasons for 8 kinds of failure", len(seen))
	}
}

// A page may be far larger than other answers: chat records travel in it.
func TestALargePage(t *testing.T) {
	r := appRig(t)
	long := `{"msgid":"m-1","external_userid":"wm1","send_time":1767225600,"origin":3,"msgtype":"merged_msg","merged_msg":{"title":"t","item":[` +
		strings.Repeat(`{"msg_content":"`+strings.Repeat("x", 1000)+`"},`, 1000) + `{}]}}`
	r.says("kf/sync_msg", `{"errcode":0,"next_cursor":"c2","has_more":0,"msg_list":[`+long+`]}`)
	page := pull(t, r, "", "c1")
	if len(page.Events) != 1 || page.Events[0].Type != "chat_record" || page.Events[0].Text != "t" || page.Events[0].Params != nil {
		t.Errorf("got %+v", page.Events)
	}
}

func TestItemsOfCustomerService(t *testing.T) {
	item := func(origin, msgType, content string) string {
		return fmt.Sprintf(`{"msgid":"m-1","open_kfid":"wk1","external_userid":"wm1","send_time":1767225600,"origin":%s,"servicer_userid":"lina","msgtype":"%s","%[2]s":%s}`, origin, msgType, content)
	}
	notice := func(content string) string {
		return `{"msgid":"m-1","send_time":1767225600,"origin":4,"msgtype":"event","event":` + content + `}`
	}
	whole := func(e engine.Event) engine.Event {
		e.Account, e.ID, e.Receiver, e.Conversation, e.Time = "corp", "m-1", "wk1", session, noon
		if e.Sender == "" {
			e.Sender = "wm1"
		}
		return e
	}
	written := func(typ, text string, e engine.Event) engine.Event {
		e.Kind, e.Type, e.Text = engine.Message, typ, text
		return whole(e)
	}
	for _, c := range []struct {
		name, item string
		want       engine.Event
	}{
		{"text", item("3", "text", `{"content":" 你好 "}`), written("text", " 你好 ", engine.Event{})},
		{"a press of a menu", item("3", "text", `{"content":"订单","menu_id":"k1"}`), whole(engine.Event{Kind: engine.Button, Text: "k1", Params: map[string]string{"content": "订单"}})},
		{"image", item("3", "image", `{"media_id":"M"}`), written("image", "", engine.Event{Media: []engine.Media{{Kind: "image"}}, Params: map[string]string{"media_id": "M"}})},
		{"place", item("3", "location", `{"latitude":22.5405030000,"longitude":113.9,"name":"n","address":"a"}`), written("location", "n a",
			engine.Event{Params: map[string]string{"latitude": "22.5405030000", "longitude": "113.9", "name": "n", "address": "a"}})},
		{"name card", item("3", "business_card", `{"userid":"u"}`), written("card", "", engine.Event{Params: map[string]string{"userid": "u"}})},
		{"mini program", item("3", "miniprogram", `{"title":"t"}`), written("miniapp", "t", engine.Event{Params: map[string]string{"title": "t"}})},
		{"by a person", item("5", "text", `{"content":"a"}`), written("text", "a", engine.Event{Self: true, Sender: "lina"})},
		{"of an origin nobody knows", item("9", "text", `{"content":"a"}`), whole(engine.Event{Kind: engine.Unknown, Type: "text", Params: map[string]string{"content": "a"}})},
		{"entering", notice(`{"event_type":"enter_session","open_kfid":"wk1","external_userid":"wm1","scene":"s","welcome_code":"W"}`),
			whole(engine.Event{Kind: engine.EnterChat, Params: map[string]string{"scene": "s"}, Ticket: engine.Ticket{Token: "kf_event/W", Expires: noon.Add(17 * time.Second)}})},
		{"entering again", notice(`{"event_type":"enter_session","open_kfid":"wk1","external_userid":"wm1"}`), whole(engine.Event{Kind: engine.EnterChat})},
		{"in the pool", notice(`{"event_type":"session_status_change","open_kfid":"wk1","external_userid":"wm1","change_type":1,"msg_code":"C"}`),
			whole(engine.Event{Kind: engine.Unknown, Type: "session_status_change", Params: map[string]string{"change_type": "1"}, Ticket: engine.Ticket{Token: "kf_event/C", Expires: noon.Add(48 * time.Hour)}})},
		{"ended", notice(`{"event_type":"session_status_change","open_kfid":"wk1","external_userid":"wm1","change_type":3,"msg_code":"C"}`),
			whole(engine.Event{Kind: engine.Unknown, Type: "session_status_change", Params: map[string]string{"change_type": "3"}, Ticket: engine.Ticket{Token: "kf_event/C", Expires: noon.Add(17 * time.Second)}})},
		{"not delivered", notice(`{"event_type":"msg_send_fail","open_kfid":"wk1","external_userid":"wm1","fail_msgid":"f","fail_type":6}`),
			whole(engine.Event{Kind: engine.AsyncResult, Type: "msg_send_fail", Text: "five messages since the customer's last", Params: map[string]string{"fail_msgid": "f", "fail_type": "6"}})},
		{"taken back", notice(`{"event_type":"user_recall_msg","open_kfid":"wk1","external_userid":"wm1","recall_msgid":"r"}`),
			whole(engine.Event{Kind: engine.Revoke, Params: map[string]string{"revoked": "r"}})},
		{"taken back by a person", notice(`{"event_type":"servicer_recall_msg","open_kfid":"wk1","external_userid":"wm1","recall_msgid":"r","servicer_userid":"lina"}`),
			whole(engine.Event{Kind: engine.Revoke, Self: true, Sender: "lina", Params: map[string]string{"revoked": "r", "servicer_userid": "lina"}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := appRig(t)
			r.says("kf/sync_msg", `{"errcode":0,"next_cursor":"c2","msg_list":[`+c.item+`]}`)
			page := pull(t, r, "", "c1")
			if len(page.Events) != 1 {
				t.Fatalf("%d events, want 1", len(page.Events))
			}
			got := *page.Events[0]
			if string(got.Raw) != c.item {
				t.Errorf("raw %s", got.Raw)
			}
			if !got.Time.Equal(c.want.Time) || !got.Ticket.Expires.Equal(c.want.Ticket.Expires) {
				t.Errorf("time %v, ticket until %v", got.Time, got.Ticket.Expires)
			}
			got.Raw, got.Time, got.Ticket.Expires = nil, c.want.Time, c.want.Ticket.Expires
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("\n got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// An item that is not understood is told all the same, under an identity that
// stays.
func TestItemsThatAreNotUnderstood(t *testing.T) {
	r := appRig(t)
	s := r.sender(t).(*appSender)
	for _, item := range []string{
		`{}`, `7`, `null`, `{"msgtype":"event"}`, `{"msgtype":"event","event":{"event_type":"servicer_status_change","servicer_userid":"lina"}}`,
		`{"msgid":"` + strings.Repeat("m", 600) + `"}`, `{"external_userid":"` + strings.Repeat("w", 600) + `"}`, strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat(`}`, 100),
	} {
		e, again := s.pulled("wk1", []byte(item)), s.pulled("wk1", []byte(item))
		if e.Kind != engine.Unknown || e.ID == "" || len(e.ID) > maxID || e.ID != again.ID || e.Conversation == "" || len(e.Conversation) > maxID {
			t.Errorf("%.40s: %+v", item, e)
		}
	}
}

func FuzzItem(f *testing.F) {
	f.Add(textItem("m-1", noon))
	f.Add(`{"msgid":"m","msgtype":"event","event":{"event_type":"enter_session","welcome_code":"W","external_userid":"wm1"}}`)
	f.Add(`{"msgtype":"merged_msg","merged_msg":{"title":"t","item":[{"a":1},{}]}}`)
	s := &appSender{account: "corp"}
	f.Fuzz(func(t *testing.T, item string) {
		e := s.pulled("wk1", []byte(item))
		if e.ID == "" || len(e.ID) > maxID || e.Conversation == "" || len(e.Conversation) > maxID || e.Kind == "" {
			t.Errorf("%+v", e)
		}
	})
}
