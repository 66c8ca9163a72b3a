package do_test

import (
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

func TestActions(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, `
[[skill]]
name = "accept"
on = "friend_request"
do = "accept_friend"
delay = "2s"
[[skill]]
name = "invite"
keywords = ["进群"]
do = "add_member"
once = "{{.User}}"
params = {room_id = "r1", invited_wxid = "{{.User}}"}
`).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a friend request is accepted with its own credential, and nothing after it", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		e := chat.Event(engine.FriendRequest)
		e.Params = map[string]string{"scene": "v3_abc"}
		commands := chat.Do(e)
		if got := skilltest.Texts(commands); len(got) != 1 || got[0] != `[accept_friend {"scene":"v3_abc"}]` {
			t.Errorf("got %q", got)
		}
		if want := skilltest.Start.Add(2e9); !commands[0].NotBefore.Equal(want) {
			t.Errorf("not before %s, want %s", commands[0].NotBefore, want)
		}
	})
	t.Run("a request without a credential is not accepted", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		for _, params := range []map[string]string{nil, {"scene": ""}} {
			e := chat.Event(engine.FriendRequest)
			e.Params = params
			if got := chat.Do(e); len(got) != 0 {
				t.Errorf("with %v: %q", params, skilltest.Texts(got))
			}
		}
	})
	skilltest.Try(t, "parameters are templates, and once holds", set, `
		user 我要进群
		bot  → r1: [add_member {"invited_wxid":"u1","room_id":"r1"}]
		user 我要进群`)
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, toml, want string }{
		{"an unknown action", `do = "acept_friend"`, `unknown action "acept_friend" (did you mean "accept_friend"?)`},
		{"an action that is a reply", `do = "send_text"`, `send_text is what a reply does`},
		{"accepting what is no request", `do = "accept_friend"`, `only a friend request can be accepted (on = "friend_request")`},
		{"a bad template in a parameter", "do = \"add_member\"\nparams = {invited_wxid = \"u\", room_id = \"{{.Rom}}\"}", `bad template: there is no .Rom`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"d\"\nkeywords = [\"x\"]\n" + tt.toml
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
