package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel/wecom/wecomstub"
	"bot/engine/stub"
)

// talkOf is the talk of that name, with skills.
func talkOf(t *testing.T, name, skills string) (stub.Options, string) {
	t.Helper()
	for _, tt := range talks {
		if tt.name == name {
			return tt.platform, "[[account]]\nname = \"shop\"\npath = \"/in\"\n" + tt.account + unhurried + skills
		}
	}
	t.Fatalf("no talk %q", name)
	return stub.Options{}, ""
}

// held waits until the account is held, or is not.
func (r *rig) held(account string, want bool) {
	r.t.Helper()
	r.until(fmt.Sprintf("%s is held: %v", account, want), func() bool {
		return (r.status().Held[account] != "") == want
	})
}

func (r *rig) push(taskID, to string) {
	r.t.Helper()
	body := fmt.Sprintf(`{"task_id":%q,"account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":%q,"content":%q}}`, taskID, to, taskID)
	if status := r.admin(http.MethodPost, "/api/v1/commands", body, nil); status != http.StatusAccepted {
		r.t.Errorf("submit %s: %d", taskID, status)
	}
}

// What an account has to send waits while it is offline, over a restart too,
// and then leaves once and in order. The platform would refuse every try, so one
// that was made anyway would show.
func TestAnOfflineAccountWaitsAndThenSendsAll(t *testing.T) {
	for name, back := range map[string]func(r *rig){
		"by the platform's word": func(r *rig) { r.happens(stub.Said{Kind: engine.Online}) },
		"by asking": func(r *rig) {
			// The platform says nothing; it only is so from now on.
			r.platform.Tell(r.t.Context(), "http://127.0.0.1:1/", stub.Said{Kind: engine.Online})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manners, text := talkOf(t, "gewe", echo)
			r := start(t, manners, text)
			r.happens(stub.Said{Kind: engine.Offline})
			r.held("shop", true)
			r.push("p1", "wxid_u1")
			r.happens(stub.Said{User: "wxid_u1", Text: "hello"})
			r.end()
			r.begin()
			r.held("shop", true)
			r.push("p2", "wxid_u1")
			time.Sleep(200 * time.Millisecond)
			if n := len(r.platform.Calls(stub.Text(""))); n != 0 {
				t.Errorf("%d texts were tried while the account is offline", n)
			}
			back(r)
			if got := r.texts("wxid_u1", 3); !slices.Contains(got, "hello") || slices.Index(got, "p1") > slices.Index(got, "p2") {
				t.Errorf("said %q", got)
			}
			r.held("shop", false)
			r.idle()
			if got := r.texts("wxid_u1", 3); len(got) != 3 {
				t.Errorf("said %q in the end", got)
			}
		})
	}
}

func TestAPausedAccountStaysSoUntilItIsResumed(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	if status := r.admin(http.MethodPost, "/api/v1/pause", `{"account":"shop"}`, nil); status != http.StatusOK {
		t.Fatalf("pause: %d", status)
	}
	r.say("m1", "u", "hello")
	r.end()
	r.begin()
	r.held("shop", true)
	time.Sleep(100 * time.Millisecond)
	if n := len(r.platform.Calls(nil)); n != 0 {
		t.Errorf("%d calls while paused", n)
	}
	if status := r.admin(http.MethodPost, "/api/v1/resume", `{}`, nil); status != http.StatusOK {
		t.Fatalf("resume: %d", status)
	}
	if got := r.texts("u", 1); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("said %q", got)
	}
	r.held("shop", false)
}

// A robot only sends: what other systems push, each text as it is.
func TestARobotIsPushedTo(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{Protocol: wecomstub.New, Account: robot}, strings.Replace(`
[[account]]
name = "shop"
channel = "wecom"
form = "robot"
key = "KEY"
base_url = "http://PLATFORM"
`, "KEY", robot.Key, 1)+unhurried)
	r.push("p1", "room")
	if got := r.texts("", 1); !slices.Equal(got, []string{"p1"}) {
		t.Errorf("said %q", got)
	}
	if status := r.admin(http.MethodPost, "/api/v1/commands",
		`{"task_id":"p2","account_id":"shop","action":"accept_friend","timestamp":1772600000,"params":{"scene":"s"}}`, nil); status != http.StatusBadRequest {
		t.Errorf("accepting a friend with a robot: %d", status)
	}
	r.idle()
}
