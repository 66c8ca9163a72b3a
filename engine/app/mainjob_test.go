package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
)

const mainJob = shop + `
[[skill]]
name = "accept"
on = "friend_request"
do = "accept_friend"
[[skill]]
name = "welcome"
on = "friend_added"
delay = "1s..2s"
reply = "WELCOME"
[[skill]]
name = "coupon"
keywords = ["领券"]
reply = "COUPON for {{.User}}"
once = "{{.User}} {{.Day}}"
once_reply = "ALREADY"
[[skill]]
name = "bind"
keywords = ["绑定"]
cancel = ["取消"]
done = "BOUND {{.Data.phone}}"
[[skill.step]]
save = "phone"
ask = "PHONE?"
pattern = '^1\d{10}$'
invalid = "BAD PHONE"
[[skill.step]]
save = "code"
ask = "CODE?"
pattern = '^\d{4}$'
`

func accepts(c stub.Call) bool { return c.Path == "/v1/friend/accept" }

func TestAFriendRequestIsAcceptedAndThenTheFriendWelcomed(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, mainJob)
	for range 2 {
		status, answer := r.post(`{"type":"FRIEND_REQUEST","eventId":"e1","appId":"wx_demo","scene":"ticket-1","fromUser":"u1"}`)
		if status != http.StatusOK || answer != "success" {
			t.Errorf("friend request: %d %s", status, answer)
		}
	}
	r.idle()
	calls := r.platform.Calls(nil)
	if len(calls) != 1 || !accepts(calls[0]) || calls[0].JSON()["scene"] != "ticket-1" {
		t.Fatalf("the request caused %+v, want one accept call and nothing else", calls)
	}

	added := time.Now()
	for _, id := range []string{"e2", "e2", "e3"} { // gateways repeat a msgId under a new event id
		status, answer := r.post(`{"type":"FRIEND_ADDED","eventId":"` + id + `","appId":"wx_demo","fromUser":"u1","msgId":"m1"}`)
		if status != http.StatusOK || answer != "success" {
			t.Errorf("friend added: %d %s", status, answer)
		}
	}
	if got := r.texts("u1", 1); !slices.Equal(got, []string{"WELCOME"}) {
		t.Errorf("said %q", got)
	}
	r.idle()
	welcomes := r.platform.Calls(stub.Text("u1"))
	if len(welcomes) != 1 {
		t.Fatalf("%d welcomes", len(welcomes))
	}
	if took := welcomes[0].Time.Sub(added); took < 900*time.Millisecond || took > 3*time.Second {
		t.Errorf("welcome after %v, want 1 to 2 s", took)
	}
	if welcomes[0].Key == "" {
		t.Error("a welcome without an idempotency key")
	}
}

func TestAKeywordIsAnsweredOnceWhateverIsRepeated(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, mainJob)
	for range 3 {
		r.say("k1", "u2", "我要领券")
	}
	r.say("k2", "u2", "领券")
	if got, want := r.texts("u2", 2), []string{"COUPON for u2", "ALREADY"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.end()
	r.begin()
	r.say("k1", "u2", "我要领券") // the dedup window outlives the process
	r.idle()
	if n := r.platform.Counts().Calls; n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

func TestOneGrantWhenTwentyMessagesRace(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, mainJob)
	var racing sync.WaitGroup
	for i := range 20 {
		racing.Go(func() { r.say(fmt.Sprintf("race%d", i), "u4", "领券") })
	}
	racing.Wait()
	got := r.texts("u4", 20)
	slices.Sort(got)
	want := append(slices.Repeat([]string{"ALREADY"}, 19), "COUPON for u4")
	if !slices.Equal(got, want) {
		t.Errorf("said %q", got)
	}
}

func TestAFormGoesOnStepByStep(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, mainJob)
	for i, text := range []string{"绑定", "12", "１３８００００００００", "1234"} {
		r.say(fmt.Sprintf("f%d", i), "u3", text)
	}
	want := []string{"PHONE?", "BAD PHONE", "CODE?", "BOUND 13800000000"}
	if got := r.texts("u3", 4); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

// hostile is what is called on the callback path besides callbacks, and the
// one right answer to each.
var hostile = []struct {
	name, body string
	status     int
}{
	{"nothing", "", 400},
	{"half a JSON", "{", 400},
	{"an array", "[]", 400},
	{"null", "null", 400},
	{"no type and no msg_id", `{"eventId":"x"}`, 400},
	{"no eventId", `{"type":"FRIEND_REQUEST"}`, 400},
	{"an empty msg_id", `{"msg_id":"","sender":"u","content":"x"}`, 400},
	{"a msg_id that is a number", `{"msg_id":7,"sender":"u","content":"x"}`, 400},
	{"a msg_id of 10 KB", `{"msg_id":"` + strings.Repeat("x", 10<<10) + `","sender":"u"}`, 400},
	{"a deep nest", strings.Repeat("[", 100_000), 400},
	{"two megabytes", "{" + strings.Repeat(" ", 2<<20) + "}", 413},
	{"an event nobody knows", `{"type":"GROUP_RENAMED","eventId":"e50","appId":"wx_demo"}`, 200},
	{"an event of another's account", `{"type":"FRIEND_REQUEST","eventId":"e51","appId":"wx_other","scene":"t"}`, 200},
}

func TestHostileCallbacksAreAnsweredAndDoNothing(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, mainJob)
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			if status, answer := r.post(tt.body); status != tt.status {
				t.Errorf("%d %s, want %d", status, answer, tt.status)
			}
		})
	}
	r.idle()
	if calls := r.platform.Calls(nil); len(calls) > 0 {
		t.Errorf("caused %+v", calls)
	}
}
