package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// inDoubt stores a command and leaves it in doubt.
func (r *rig) inDoubt(account, taskID, text string) {
	r.Helper()
	c := engine.Command{TaskID: taskID, TraceID: "trace", Account: account, Conversation: "u1", Action: engine.SendText, Text: text,
		Skill: "coupon", Created: r.clock.Now(), Submitted: true}
	_, err := r.st.Submit(r.Context(), []engine.Command{c}, time.Minute)
	var d store.Delivery
	if err == nil {
		d, _, err = r.st.Find(taskID)
	}
	if err == nil {
		err = r.st.Settle(r.Context(), store.Settlement{ID: d.ID, Progress: store.Progress{
			Phase: store.InDoubt, Attempts: 1, Reason: "nobody knows", Tries: []store.Try{{Time: r.clock.Now(), Class: "unknown"}},
		}})
	}
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) doubts(query string) (tasks []string, last map[string]any) {
	r.Helper()
	a := r.call("GET", "/api/v1/in-doubt"+query, "")
	a.wants(r, http.StatusOK, "")
	list, ok := a.body["in_doubt"].([]any)
	if !ok {
		r.Fatalf("no list: %s", a.text)
	}
	for _, l := range list {
		last = l.(map[string]any)
		tasks = append(tasks, last["task_id"].(string))
	}
	return tasks, last
}

func TestWhatIsInDoubtIsListed(t *testing.T) {
	r := newRig(t)
	if tasks, _ := r.doubts(""); len(tasks) > 0 {
		t.Errorf("lists %v", tasks)
	}
	r.submit("waits")
	r.inDoubt("shop", "t1", strings.Repeat("你", 100))
	tasks, got := r.doubts("")
	if len(tasks) != 1 {
		t.Fatalf("lists %v", tasks)
	}
	for k, want := range map[string]any{
		"task_id": "t1", "trace_id": "trace", "account": "shop", "conversation": "u1", "action": "send_text", "skill": "coupon",
		"text": strings.Repeat("你", 80) + "…", "reason": "nobody knows",
	} {
		if got[k] != want {
			t.Errorf("%s is %v, want %v", k, got[k], want)
		}
	}
	if tries, _ := got["tries"].([]any); len(tries) != 1 || got["since"] == nil {
		t.Errorf("tries %v since %v", got["tries"], got["since"])
	}
}

func TestDoubtsComePageAfterPage(t *testing.T) {
	r := newRig(t)
	var want []string
	for i := range 25 {
		account := []string{"shop", "mute"}[i%2]
		task := fmt.Sprint("t", i)
		r.inDoubt(account, task, "x")
		if account == "mute" {
			want = append(want, task)
		}
	}
	var got []string
	for after := 0.0; ; {
		tasks, last := r.doubts(fmt.Sprintf("?account=mute&limit=5&after=%.0f", after))
		if len(tasks) == 0 {
			break
		}
		if len(tasks) > 5 {
			t.Fatalf("a page of %d", len(tasks))
		}
		got, after = append(got, tasks...), last["id"].(float64)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lists %v, want %v", got, want)
	}
	for query, code := range map[string]string{"?after=x": "after", "?limit=0": "limit", "?limit=1001": "limit", "?limit=x": "limit"} {
		r.call("GET", "/api/v1/in-doubt"+query, "").wants(t, http.StatusBadRequest, code)
	}
}

func TestAPersonEndsADoubt(t *testing.T) {
	for _, tt := range []struct{ what, status, state string }{
		{"resend", "resent", "waiting"},
		{"delivered", "delivered", "confirmed"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			const id = "bulk/7/resend 100%"
			r := newRig(t)
			r.inDoubt("shop", id, "x")
			path := "/api/v1/in-doubt/" + (&url.URL{Path: id}).EscapedPath() + "/" + tt.what
			a := r.call("POST", path, "")
			a.wants(t, http.StatusOK, "")
			if a.body["status"] != tt.status || a.body["task_id"] != id {
				t.Errorf("answers %s", a.text)
			}
			if len(r.resolved) != 1 || r.resolved[0].Command.TaskID != id {
				t.Errorf("the engine was told of %+v", r.resolved)
			}
			if v := r.call("GET", "/api/v1/commands/"+(&url.URL{Path: id}).EscapedPath(), ""); v.body["state"] != tt.state {
				t.Errorf("then it is %s", v.text)
			}
			r.call("POST", path, "").wants(t, http.StatusConflict, "not_in_doubt")
			if len(r.resolved) != 1 {
				t.Error("the engine was told of what was not in doubt")
			}
		})
	}
}

func TestWhatIsInNoDoubt(t *testing.T) {
	r := newRig(t)
	r.submit("waits")
	for path, want := range map[string]struct {
		status int
		code   string
	}{
		"waits/resend":    {409, "not_in_doubt"},
		"nobody/resend":   {404, "not_found"},
		"nobody":          {404, "not_found"},
		"waits/forget":    {404, "not_found"},
		"waits/delivered": {409, "not_in_doubt"},
	} {
		r.call("POST", "/api/v1/in-doubt/"+path, "").wants(t, want.status, want.code)
	}
}

func TestAnUnconfirmedCommandIsSent(t *testing.T) {
	r := newRig(t)
	id := r.submit("t1")
	if err := r.st.Settle(r.Context(), store.Settlement{ID: id, Progress: store.Progress{Phase: store.Unconfirmed, Awaits: "k"}}); err != nil {
		t.Fatal(err)
	}
	if a := r.call("GET", "/api/v1/commands/t1", ""); a.body["state"] != "sent" {
		t.Errorf("it is %s", a.text)
	}
	r.call("DELETE", "/api/v1/commands/t1", "").wants(t, http.StatusConflict, "not_waiting")
}
