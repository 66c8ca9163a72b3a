package form_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

const ticket = `
[[skill]]
name = "repair"
keywords = ["报修"]
once = "{{.Data.room}}"
once_reply = "已经报过了"
done = "工单 {{.Response.id}}：{{.Data.room}}"
failed = "报修没有成功"
[[skill.step]]
save = "room"
ask = "房间号？"
[[skill.then]]
text = "{{.Data.room}} 工单 {{.Response.id}}"
to = "staff"
[[skill.then]]
http = {url = "SERVER/tickets", json = {room = "{{.Data.room}}"}, retries = 0}
`

func TestAFormEndsInACall(t *testing.T) {
	answer, status := `{"id": 9007199254740993}`, http.StatusCreated
	var asked []string
	var keys []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		asked, keys = append(asked, string(b)), append(keys, r.Header.Get("Idempotency-Key"))
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	defer srv.Close()
	set, err := skills.Build(skilltest.Parse(t, strings.Replace(ticket, "SERVER", srv.URL, 1)).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	chat := skilltest.NewChat(t, set)
	chat.Play(`
		user 报修
		bot  房间号？
		user 3"01
		bot  工单 9007199254740993：3"01
		bot  → staff: 3"01 工单 9007199254740993
		user 报修
		bot  房间号？
		user 3"01
		bot  已经报过了`)
	var sent map[string]string
	if err := json.Unmarshal([]byte(asked[0]), &sent); err != nil || sent["room"] != `3"01` || keys[0] == "" {
		t.Errorf("sent %q under the key %q", asked[0], keys[0])
	}
	status = http.StatusInternalServerError
	chat.Play(`
		user 报修
		bot  房间号？
		user 302
		bot  报修没有成功`)
	status, answer = http.StatusOK, `{}`
	chat.Play(`
		user 报修
		bot  房间号？
		user 302
		bot  已完成，谢谢！⏎Done, thank you!
		user 报修
		bot  房间号？
		user 302
		bot  已经报过了`)
	for node, want := range map[string]bool{"": false, "room": true} {
		st := engine.State{}
		if node != "" {
			st = engine.State{Skill: "repair", Node: node, Version: 1}
		}
		if c := set.Route(chat.Message("报修"), st, engine.State{})[0]; c.Waits != want || (c.Concurrency == 16) != want {
			t.Errorf("at %q the form waits: %v, %d at once; want %v", node, c.Waits, c.Concurrency, want)
		}
	}
}

func TestACallThatIsRepeatedAfterACrashHasTheSameKey(t *testing.T) {
	var keys []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		io.WriteString(w, `{"id":1}`)
	}))
	defer srv.Close()
	set, err := skills.Build(skilltest.Parse(t, strings.Replace(ticket, "SERVER", srv.URL, 1)).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	chat := skilltest.NewChat(t, set)
	chat.Say("报修")
	e := chat.Message("301")
	st := chat.States[engine.StateKey{Account: "shop", Conversation: "u1", Sender: "u1"}]
	choice := set.Route(e, st, engine.State{})[0]
	for range 2 {
		if _, err := choice.Skill.Handle(context.Background(), &engine.Turn{Event: e, Account: chat.Account, State: st.Clone()}); err != nil {
			t.Fatal(err)
		}
	}
	if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("keys %q", keys)
	}
}

func TestCallProblems(t *testing.T) {
	for _, tt := range []struct{ name, then, want string }{
		{"two calls", "[[skill.then]]\nhttp = {url = \"https://a.example.com/\"}\n[[skill.then]]\nhttp = {url = \"https://b.example.com/\"}", `10:8: skill "f": a form calls one web service`},
		{"a call and a text", "[[skill.then]]\nhttp = {url = \"https://a.example.com/\"}\ntext = \"x\"\nto = \"y\"", `skill "f": a [[skill.then]] does one thing`},
		{"no address", "[[skill.then]]\nhttp = {method = \"POST\"}", `8:8: skill "f": http needs the address`},
		{"failed without a call", "failed = \"x\"", `skill "f": failed is what is said when a call at the end fails`},
		{"the answer where there is no call", "[[skill.then]]\ntext = \"{{.Response.id}}\"\nto = \"y\"", `skill "f": bad template: there is no .Response here`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"f\"\nkeywords = [\"x\"]\n[[skill.step]]\nsave = \"a\"\nask = \"A?\"\n" + tt.then
			if strings.HasPrefix(tt.then, "failed") {
				toml = "[[skill]]\nname = \"f\"\nkeywords = [\"x\"]\n" + tt.then + "\n[[skill.step]]\nsave = \"a\"\nask = \"A?\"\n"
			}
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) == 0 || !strings.Contains(got[0], tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
