package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

func (r *rig) post(body string) answer {
	r.Helper()
	return r.call("POST", "/api/v1/commands", body)
}

// stored is the command with that task id as the store has it.
func (r *rig) stored(taskID string) *engine.Command {
	r.Helper()
	d, _, err := r.st.Find(taskID)
	if err != nil || d.Command == nil {
		r.Fatalf("command %q: %v", taskID, err)
	}
	return d.Command
}

func (r *rig) inStore() int {
	r.Helper()
	s, err := r.st.Stats()
	if err != nil {
		r.Fatal(err)
	}
	return s.Commands
}

func TestACommandIsStoredWhenItIsAccepted(t *testing.T) {
	r := newRig(t)
	a := r.post(`{"trace_id":"rpa_1","task_id":"t1","account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":"u1","content":"你好"}}`)
	a.wants(t, http.StatusAccepted, "")
	if a.body["status"] != "accepted" || a.body["task_id"] != "t1" {
		t.Errorf("answers %s", a.text)
	}
	want := engine.Command{
		TaskID: "t1", TraceID: "rpa_1", Account: "shop", Conversation: "u1", Action: engine.SendText, Text: "你好",
		Params: map[string]any{"to": "u1", "content": "你好"}, Lane: engine.LanePush, Created: r.clock.Now(), Submitted: true,
	}
	got := *r.stored("t1")
	if !got.Created.Equal(want.Created) {
		t.Errorf("created %v, want %v", got.Created, want.Created)
	}
	if got.Created = want.Created; !reflect.DeepEqual(got, want) {
		t.Errorf("stored\n%+v, want\n%+v", got, want)
	}
	if len(r.submitted) != 1 || r.submitted[0].TaskID != "t1" || r.repeats[0] {
		t.Errorf("the engine was told of %+v %v", r.submitted, r.repeats)
	}
}

func TestTheSameTaskIDAgainIsADuplicate(t *testing.T) {
	r := newRig(t)
	r.post(envelopeOf("t1")).wants(t, http.StatusAccepted, "")
	a := r.post(envelopeOf("t1"))
	a.wants(t, http.StatusOK, "")
	if a.body["status"] != "duplicate" || a.body["task_id"] != "t1" {
		t.Errorf("answers %s", a.text)
	}
	if r.inStore() != 1 || !r.repeats[1] {
		t.Errorf("stored %d commands; told of repeats %v", r.inStore(), r.repeats)
	}
	r.settle(r.submit("t2"), store.Sent, store.Progress{})
	if a := r.post(envelopeOf("t2")); a.body["status"] != "duplicate" {
		t.Errorf("soon after it was sent: %s", a.text)
	}
	r.clock.Advance(16 * time.Second)
	r.post(envelopeOf("t2")).wants(t, http.StatusAccepted, "")
}

func TestTraceIDServesAsTaskID(t *testing.T) {
	one := strings.Replace(envelopeOf("x"), `"task_id":"x"`, `"trace_id":"rpa"`, 1)
	r := newRig(t)
	if a := r.post(one); a.body["task_id"] != "rpa" {
		t.Errorf("one envelope: %s", a.text)
	}
	a := r.post("[" + one + "," + envelopeOf("own", `"trace_id":"rpa"`) + "," + one + "]")
	a.wants(t, http.StatusAccepted, "")
	want := []any{
		map[string]any{"task_id": "rpa-0", "status": "accepted"},
		map[string]any{"task_id": "own", "status": "accepted"},
		map[string]any{"task_id": "rpa-2", "status": "accepted"},
	}
	if a.body["status"] != "accepted" || !reflect.DeepEqual(a.body["tasks"], want) {
		t.Errorf("an array: %s", a.text)
	}
}

func TestAnArrayTellsItsDuplicatesApart(t *testing.T) {
	r := newRig(t)
	r.submit("known")
	a := r.post("[" + envelopeOf("new") + "," + envelopeOf("known") + "," + envelopeOf("new") + "]")
	a.wants(t, http.StatusAccepted, "")
	var got struct{ Tasks []accepted }
	if err := json.Unmarshal([]byte(a.text), &got); err != nil {
		t.Fatal(err)
	}
	want := []accepted{{"new", "accepted"}, {"known", "duplicate"}, {"new", "duplicate"}}
	if !reflect.DeepEqual(got.Tasks, want) {
		t.Errorf("answers %+v, want %+v", got.Tasks, want)
	}
	if r.inStore() != 2 {
		t.Errorf("%d commands are stored, want 2", r.inStore())
	}
}

func TestAnArrayIsTakenWholeOrNotAtAll(t *testing.T) {
	r := newRig(t)
	a := r.post("[" + envelopeOf("good") + `,{"task_id":"bad","account_id":"nobody","action":"send_text","timestamp":1772600000,"params":{"to":"u1"}}` + "]")
	a.wants(t, http.StatusBadRequest, "invalid")
	if r.inStore() != 0 || len(r.submitted) != 0 {
		t.Error("a part of it was stored")
	}
	fields := r.fields(a)
	if want := []string{"1 account_id", "1 params.content"}; !reflect.DeepEqual(fields, want) {
		t.Errorf("names %q, want %q", fields, want)
	}
	if message := a.body["error"].(map[string]any)["message"].(string); !strings.Contains(message, "[1].params.content") {
		t.Errorf("the message does not say where: %s", message)
	}
}

// A name that is hardly anything else than a slip is refused, since a command whose
// not_before is overlooked leaves at once. What callers add of their own is let be.
func TestAMisspeltFieldIsNamedWithWhatWasMeant(t *testing.T) {
	r := newRig(t)
	for name, meant := range map[string]string{
		"not_befor": "not_before", "lan": "lane", "deadlin": "deadline", "acount_id": "account_id", "taskId": "task_id", "Timestamp": "timestamp",
	} {
		a := r.post(envelopeOf("t", fmt.Sprintf("%q:0", name)))
		a.wants(t, http.StatusBadRequest, "invalid")
		if want := fmt.Sprintf(`%s: there is no such field; did you mean %q?`, name, meant); !reflect.DeepEqual(a.body["problems"], []any{want}) {
			t.Errorf("%s: answers %s, want the problem %q", name, a.text, want)
		}
	}
	a := r.post("[" + envelopeOf("good") + `,{"task_id":"bad","acount_id":"shop","action":"send_text","lane":7,"lan":"bulk","timestamp":1772600000,"params":{"to":"u1","content":"x"}}` + "]")
	a.wants(t, http.StatusBadRequest, "invalid")
	if got, want := r.fields(a), []string{"1 lane", "1 acount_id", "1 lan", "1 account_id"}; !reflect.DeepEqual(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if !strings.Contains(a.message(), "[1].acount_id, [1].lan") {
		t.Errorf("the message does not say where: %s", a.message())
	}
	if r.inStore() != 0 {
		t.Error("a part of it was stored")
	}
	r.post(envelopeOf("own", `"lang":"zh"`, `"label":"vip"`, `"user_id":7`, `"tag_id":"x"`, `"":1`)).wants(t, http.StatusAccepted, "")
}

// A broadcast that finds a task id of its own taken sends nothing to that person.
func TestATaskIDOfABroadcastIsRefused(t *testing.T) {
	r := newRig(t)
	traced := func(id string) string {
		return strings.Replace(envelopeOf("x"), `"task_id":"x"`, fmt.Sprintf(`"trace_id":%q`, id), 1)
	}
	for body, field := range map[string]string{
		envelopeOf("bc-261224-kfqm-0"):             "0 task_id",
		traced("bc-261224-kfqm-0"):                 "0 trace_id",
		"[" + traced("bc-261224-kfqm") + "]":       "0 trace_id", // its index makes it one
		"[" + envelopeOf("bc-261224-kfqm-3") + "]": "0 task_id",
	} {
		a := r.post(body)
		a.wants(t, http.StatusBadRequest, "invalid")
		if got := r.fields(a); !reflect.DeepEqual(got, []string{field}) || !strings.Contains(a.text, "choose another id") {
			t.Errorf("%s: names %q: %s", body, got, a.text)
		}
	}
	for _, id := range []string{"bc-7", "bc-2026-x", "xbc-261224-kfqm-0"} {
		r.post(envelopeOf(id)).wants(t, http.StatusAccepted, "")
	}
}

// fields are the refused ones: index and name.
func (r *rig) fields(a answer) []string {
	r.Helper()
	var got struct{ Fields []fieldError }
	if err := json.Unmarshal([]byte(a.text), &got); err != nil {
		r.Fatal(err)
	}
	var out []string
	for _, f := range got.Fields {
		if f.Message == "" {
			r.Errorf("nothing is said of %s", f.Field)
		}
		out = append(out, fmt.Sprint(f.Index, " ", f.Field))
	}
	return out
}

func TestEveryBadFieldIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"nothing in it", `{}`, []string{"0 action", "0 account_id", "0 task_id", "0 timestamp"}},
		{"null", `null`, []string{"0 envelope"}},
		{"a text", `"send"`, []string{"0 envelope"}},
		{"an array of what is no envelope", `[1,null,[]]`, []string{"0 envelope", "1 envelope", "2 envelope"}},
		{"an unknown account", strings.Replace(envelopeOf("t"), "shop", "shopp", 1), []string{"0 account_id"}},
		{"an unknown action", strings.Replace(envelopeOf("t"), "send_text", "send_txt", 1), []string{"0 action"}},
		{"an action that the channel has not", strings.Replace(envelopeOf("t"), "shop", "mute", 1), []string{"0 action"}},
		{"no params", `{"task_id":"t","account_id":"shop","action":"send_text","timestamp":1772600000}`, []string{"0 params.to", "0 params.content"}},
		{"blank params", `{"task_id":"t","account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":" ","content":""}}`, []string{"0 params.to", "0 params.content"}},
		{"params of other types", `{"task_id":"t","account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":1,"content":["x"]}}`, []string{"0 params.to", "0 params.content"}},
		{"an unknown lane", envelopeOf("t", `"lane":"fast"`), []string{"0 lane"}},
		{"a task id that is too long", envelopeOf(strings.Repeat("x", 513)), []string{"0 task_id"}},
		{"a picture without its address", `{"task_id":"t","account_id":"shop","action":"send_image","timestamp":1772600000,"params":{"to":"u1"}}`, []string{"0 params.url"}},
		{"a friend request without its credential", `{"task_id":"t","account_id":"shop","action":"accept_friend","timestamp":1772600000,"params":{}}`, []string{"0 params.scene"}},
		{
			"every type is wrong", `[` + envelopeOf("t") + `,{"trace_id":1,"task_id":2,"account_id":3,"action":4,"timestamp":"now","params":[],"lane":5}]`,
			[]string{"1 trace_id", "1 task_id", "1 account_id", "1 action", "1 timestamp", "1 params", "1 lane"},
		},
		{"a timestamp with a fraction", strings.Replace(envelopeOf("t"), "1772600000", "1772600000.5", 1), []string{"0 timestamp"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			a := r.post(tt.body)
			a.wants(t, http.StatusBadRequest, "invalid")
			if got := r.fields(a); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("names %q, want %q: %s", got, tt.want, a.text)
			}
			if strings.Contains(a.text, "engine.") || strings.Contains(a.text, "interface") {
				t.Errorf("speaks of the program's types: %s", a.text)
			}
			if r.inStore() != 0 {
				t.Error("it was stored")
			}
		})
	}
}

func TestBodiesThatAreNotEnvelopes(t *testing.T) {
	batch := func(n int) string { return "[" + strings.Repeat("{},", n-1) + "{}]" }
	for _, tt := range []struct {
		name, body, code, says string
		status                 int
	}{
		{"nothing", "", "invalid", "empty", 400},
		{"blanks", " \n", "invalid", "empty", 400},
		{"no JSON", "task_id=1", "invalid", "not JSON", 400},
		{"cut off", `{"task_id":`, "invalid", "not JSON", 400},
		{"two of them", envelopeOf("a") + envelopeOf("b"), "invalid", "more after the end", 400},
		{"an array without commas", "[" + envelopeOf("a") + envelopeOf("b") + "]", "invalid", "not JSON", 400},
		{"an array that does not end", "[" + envelopeOf("a"), "invalid", "not JSON", 400},
		{"an empty array", "[]", "invalid", "1 to 1000", 400},
		{"more than a thousand", batch(maxBatch + 1), "invalid", "1 to 1000", 400},
		{"more than four mebibytes", `{"task_id":"` + strings.Repeat("x", maxBody) + `"}`, "too_large", "4 MiB", 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			a := r.post(tt.body)
			a.wants(t, tt.status, tt.code)
			if !strings.Contains(a.text, tt.says) {
				t.Errorf("says %s, want %q", a.text, tt.says)
			}
		})
	}
}

func TestAThousandInOneCall(t *testing.T) {
	r := newRig(t)
	all := make([]string, maxBatch)
	for i := range all {
		all[i] = envelopeOf(fmt.Sprint("t", i))
	}
	r.post("["+strings.Join(all, ",")+"]").wants(t, http.StatusAccepted, "")
	if r.inStore() != maxBatch {
		t.Errorf("%d are stored", r.inStore())
	}
}

func TestActionsKeepTheirOrderWithTheirTarget(t *testing.T) {
	for _, tt := range []struct {
		action, params string
		want           engine.Action
		conversation   string
	}{
		{"send_text", `{"to":"u1","content":"x"}`, engine.SendText, "u1"},
		{"send_image", `{"to":"u2","url":"https://example.com/a.png"}`, engine.SendImage, "u2"},
		{"send_file", `{"to":"u3","url":"https://example.com/a.pdf"}`, engine.SendFile, "u3"},
		{"add_member", `{"room_id":"9@chatroom","invited_wxid":"u4"}`, engine.AddMember, "9@chatroom"},
		{"external_group.member.add", `{"room_id":"9@chatroom","invited_wxid":"u4","reason":"vip"}`, engine.AddMember, "9@chatroom"},
		{"accept_friend", `{"scene":"ticket"}`, engine.AcceptFriend, "t"}, // a place of its own
	} {
		t.Run(tt.action, func(t *testing.T) {
			r := newRig(t)
			r.post(`{"task_id":"t","account_id":"shop","action":"`+tt.action+`","timestamp":1772600000,"params":`+tt.params+`}`).wants(t, http.StatusAccepted, "")
			if c := r.stored("t"); c.Action != tt.want || c.Conversation != tt.conversation {
				t.Errorf("stored as %s in %q", c.Action, c.Conversation)
			}
		})
	}
}

func TestLanes(t *testing.T) {
	for given, want := range map[string]engine.Lane{"": engine.LanePush, "push": engine.LanePush, "reply": engine.LaneReply, "bulk": engine.LaneBulk} {
		r := newRig(t)
		r.post(envelopeOf("t", `"lane":"`+given+`"`)).wants(t, http.StatusAccepted, "")
		if c := r.stored("t"); c.Lane != want {
			t.Errorf("%q becomes %v, want %v", given, c.Lane, want)
		}
	}
}

func TestLongNumbersInParamsStayExact(t *testing.T) {
	r := newRig(t)
	r.post(`{"task_id":"t","account_id":"shop","action":"add_member","timestamp":1772600000,"params":{"room_id":"r","invited_wxid":"u","seq":7881299999999999999}}`).wants(t, http.StatusAccepted, "")
	if got := r.stored("t").Params["seq"]; got != json.Number("7881299999999999999") {
		t.Errorf("stored as %v (%T)", got, got)
	}
}

func TestGetTellsTheState(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	try := store.Try{Time: at, Class: "transient", Status: 500, Note: "busy"}
	for _, tt := range []struct {
		name string
		do   func(r *rig, id uint64)
		want map[string]any
	}{
		{"nothing has happened yet", func(*rig, uint64) {}, map[string]any{"state": "waiting", "reason": "", "attempts": []any{}}},
		{"it is on its way", func(r *rig, id uint64) {
			if err := r.st.Attempt(r.Context(), id, store.Progress{Phase: store.Sending, Attempts: 1, Tries: []store.Try{{Time: at}}}); err != nil {
				r.Fatal(err)
			}
		}, map[string]any{"state": "sending", "reason": "", "attempts": []any{map[string]any{"time": "2026-03-04T05:00:00Z"}}}},
		{"it waits for another attempt", func(r *rig, id uint64) {
			r.settle(id, "", store.Progress{Phase: store.Waiting, Attempts: 1, Reason: "backoff", Tries: []store.Try{try}})
		}, map[string]any{"state": "waiting", "reason": "backoff", "attempts": []any{map[string]any{"time": "2026-03-04T05:00:00Z", "class": "transient", "status": 500.0, "note": "busy"}}}},
		{"nobody knows", func(r *rig, id uint64) {
			r.settle(id, "", store.Progress{Phase: store.InDoubt, Reason: "no answer"})
		}, map[string]any{"state": "in_doubt", "reason": "no answer"}},
		{"it was sent", func(r *rig, id uint64) { r.settle(id, store.Sent, store.Progress{}) }, map[string]any{"state": "sent"}},
		{"it was confirmed", func(r *rig, id uint64) { r.settle(id, store.Confirmed, store.Progress{}) }, map[string]any{"state": "confirmed"}},
		{"it was given up", func(r *rig, id uint64) { r.settle(id, store.Dead, store.Progress{}) }, map[string]any{"state": "dead"}},
		{"it was cancelled", func(r *rig, _ uint64) {
			r.call("DELETE", "/api/v1/commands/t1", "").wants(r, http.StatusOK, "")
		}, map[string]any{"state": "cancelled", "attempts": []any{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			tt.do(r, r.submit("t1"))
			a := r.call("GET", "/api/v1/commands/t1", "")
			a.wants(t, http.StatusOK, "")
			tt.want["task_id"] = "t1"
			for k, v := range tt.want {
				if !reflect.DeepEqual(a.body[k], v) {
					t.Errorf("%s is %v, want %v", k, a.body[k], v)
				}
			}
		})
	}
}

func TestAnUnknownTaskIsNotFound(t *testing.T) {
	r := newRig(t)
	r.call("GET", "/api/v1/commands/nobody", "").wants(t, http.StatusNotFound, "not_found")
	r.call("DELETE", "/api/v1/commands/nobody", "").wants(t, http.StatusNotFound, "not_found")
	r.settle(r.submit("t1"), store.Sent, store.Progress{})
	r.clock.Advance(72 * time.Hour)
	r.call("GET", "/api/v1/commands/t1", "").wants(t, http.StatusNotFound, "not_found")
}

func TestAnyTaskIDCanBeAskedFor(t *testing.T) {
	for _, id := range []string{"a/b", "/", "a//b/", "..", "a b?c#d%2F", "任务-1", strings.Repeat("x", 512)} {
		r := newRig(t)
		r.submit(id)
		path := "/api/v1/commands/" + url.PathEscape(id)
		if a := r.call("GET", path, ""); a.code != 200 || a.body["task_id"] != id {
			t.Errorf("%.20q answers %d %.80s", id, a.code, a.text)
		}
		if a := r.call("DELETE", path, ""); a.code != 200 || r.inStore() != 0 {
			t.Errorf("%.20q cannot be cancelled: %d %.80s", id, a.code, a.text)
		}
	}
}

func TestCancelTakesBackWhatWaits(t *testing.T) {
	r := newRig(t)
	r.submit("t1")
	if a := r.call("DELETE", "/api/v1/commands/t1", ""); a.code != http.StatusOK || a.body["status"] != "cancelled" || a.body["task_id"] != "t1" {
		t.Errorf("answers %d %s", a.code, a.text)
	}
	if r.inStore() != 0 {
		t.Error("it is still there")
	}
	if len(r.cancelled) != 1 || r.cancelled[0].TaskID != "t1" || r.cancelled[0].Account != "shop" {
		t.Errorf("the engine was told of %+v", r.cancelled)
	}
}

func TestCancelConflictsWithWhatIsUnderWayOrOver(t *testing.T) {
	for name, do := range map[string]func(r *rig, id uint64){
		"on its way": func(r *rig, id uint64) {
			if err := r.st.Attempt(r.Context(), id, store.Progress{Phase: store.Sending}); err != nil {
				r.Fatal(err)
			}
		},
		"in doubt":  func(r *rig, id uint64) { r.settle(id, "", store.Progress{Phase: store.InDoubt}) },
		"sent":      func(r *rig, id uint64) { r.settle(id, store.Sent, store.Progress{}) },
		"dead":      func(r *rig, id uint64) { r.settle(id, store.Dead, store.Progress{}) },
		"cancelled": func(r *rig, _ uint64) { r.call("DELETE", "/api/v1/commands/t1", "") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			do(r, r.submit("t1"))
			before := r.call("GET", "/api/v1/commands/t1", "").text
			r.call("DELETE", "/api/v1/commands/t1", "").wants(t, http.StatusConflict, "not_waiting")
			if after := r.call("GET", "/api/v1/commands/t1", "").text; after != before {
				t.Errorf("was %s, is %s", before, after)
			}
			if told := len(r.cancelled); told > 0 && name != "cancelled" || told > 1 {
				t.Errorf("the engine was told of %d", told)
			}
		})
	}
}

func TestABodyThatBreaksOffIsNotCalledTooLarge(t *testing.T) {
	r := newRig(t)
	req := request("POST", "/api/v1/commands", "")
	req.Body = brokenBody{}
	r.serve(req).wants(t, http.StatusBadRequest, "body")
}
