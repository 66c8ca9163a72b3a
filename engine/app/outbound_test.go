package app_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/stub"
)

// impatient would give a command up at the second attempt it is charged for.
const impatient = shop + `
[account.retry]
attempts = 2
backoff = "10ms..10ms"
`

// stumble answers each text with an error once: with impatient, the one charge
// that it can bear.
type stumble struct{ known sync.Map }

func (s *stumble) answer(c stub.Call) *stub.Answer {
	if _, again := s.known.LoadOrStore(c.Key, true); again {
		return nil
	}
	return &stub.Answer{Status: http.StatusInternalServerError}
}

// content is what a call says, "" when it says nothing.
func content(c stub.Call) string {
	s, _ := c.JSON()["content"].(string)
	return s
}

func TestRetryAfterIsObeyedAndChargesNobody(t *testing.T) {
	t.Parallel()
	var told atomic.Bool
	var s stumble
	r := start(t, stub.Options{Script: func(c stub.Call) *stub.Answer {
		if told.CompareAndSwap(false, true) {
			return &stub.Answer{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1"}}
		}
		return s.answer(c)
	}}, impatient+echo)
	for i := 1; i <= 3; i++ {
		r.say(fmt.Sprint("m", i), "u", fmt.Sprint("t", i))
	}
	r.say("other", "v", "too") // the whole account is asked to wait, not one conversation
	if got, want := r.texts("u", 3), numbered("t", 3); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.texts("v", 1)
	r.idle()
	calls := r.platform.Calls(nil)
	refused := calls[0].Time
	for _, c := range calls[1:] {
		// What was in flight together with the refused call cannot know.
		if early := c.Time.Sub(refused); early > 200*time.Millisecond && early < 950*time.Millisecond {
			t.Errorf("a call %v after the platform asked for one second", early)
		}
	}
	if s := r.status(); s.Dead != 0 {
		t.Errorf("%d dead letters", s.Dead)
	}
}

func TestAnOutageOfThePlatformCostsNothing(t *testing.T) {
	t.Parallel()
	var s stumble
	r := newRig(t, stub.Options{Script: s.answer})
	down := r.platformUp() // to have an address
	down()
	r.configure(impatient + echo)
	r.begin()
	for i := 1; i <= 10; i++ {
		for _, user := range []string{"u", "v"} {
			r.say(fmt.Sprint(user, i), user, fmt.Sprint("t", i))
		}
	}
	push := `{"task_id":"p1","account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":"w","content":"pushed"}}`
	if status := r.admin(http.MethodPost, "/api/v1/commands", push, nil); status != http.StatusAccepted {
		t.Fatalf("submit: %d", status)
	}
	r.until("somebody has knocked", func() bool { s := r.status(); return s.Events == 0 && s.Commands == 21 })
	var view struct{ State string }
	r.admin(http.MethodGet, "/api/v1/commands/p1", "", &view)
	if view.State != "waiting" && view.State != "sending" {
		t.Errorf("a command during the outage is %q", view.State)
	}
	t.Cleanup(r.platformUp())
	for _, user := range []string{"u", "v"} {
		if got, want := r.texts(user, 10), numbered("t", 10); !slices.Equal(got, want) {
			t.Errorf("said to %s %q, want %q", user, got, want)
		}
	}
	r.texts("w", 1)
	r.idle()
	if c := r.platform.Counts(); c.Calls != 42 || c.Done != 21 {
		t.Errorf("%+v, want 21 commands, each at the second call", c)
	}
	if s := r.status(); s.Dead != 0 {
		t.Errorf("%d dead letters", s.Dead)
	}
}

func TestASlowConversationDelaysNoOther(t *testing.T) {
	t.Parallel()
	const slow = time.Second
	r := start(t, stub.Options{Script: func(c stub.Call) *stub.Answer {
		if stub.Text("slow")(c) {
			return &stub.Answer{Status: http.StatusOK, Body: `{"status":"success"}`, Delay: slow}
		}
		return nil
	}}, shop+echo)
	r.say("s1", "slow", "1")
	r.say("s2", "slow", "2")
	r.texts("slow", 1) // it has reached the platform, which now takes its time
	r.say("q1", "quick", "1")
	r.texts("quick", 1)
	r.texts("slow", 2)
	at := func(user string, n int) time.Time { return r.platform.Calls(stub.Text(user))[n].Time }
	if !at("quick", 0).Before(at("slow", 1)) {
		t.Error("the quick conversation waited for the slow one")
	}
	if gap := at("slow", 1).Sub(at("slow", 0)); gap < slow {
		t.Errorf("two sends of one conversation at once, %v apart", gap)
	}
}

func TestWhatNobodyCanKnowIsHeldAndItsSuccessorsGo(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{Script: func(c stub.Call) *stub.Answer {
		if content(c) == "t2" {
			return &stub.Answer{Status: 0, Done: true} // read, carried out, hung up on
		}
		return nil
	}}, strings.Replace(shop, "[[account]]", "[[account]]\non_doubt = \"hold\"", 1)+echo)
	for i := 1; i <= 4; i++ {
		r.say(fmt.Sprint("m", i), "u", fmt.Sprint("t", i))
	}
	if got, want := r.texts("u", 4), numbered("t", 4); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.idle()
	if s := r.status(); s.InDoubt != 1 || s.Commands != 1 || s.Dead != 0 {
		t.Errorf("status %+v, want one command in doubt", s)
	}
	r.end()
	r.begin()
	r.say("m5", "u", "t5")
	r.texts("u", 5)
	r.idle()
	if n := r.platform.Counts().Calls; n != 5 {
		t.Errorf("%d calls: a restart is no reason to send it again", n)
	}
}

func TestWhereARepeatIsHarmlessDoubtIsSentAgainInItsPlace(t *testing.T) {
	t.Parallel()
	var hung atomic.Bool
	r := start(t, stub.Options{Script: func(c stub.Call) *stub.Answer {
		if content(c) == "t2" && hung.CompareAndSwap(false, true) {
			return &stub.Answer{Status: 0, Done: true}
		}
		return nil
	}}, shop+echo)
	for i := 1; i <= 3; i++ {
		r.say(fmt.Sprint("m", i), "u", fmt.Sprint("t", i))
	}
	r.texts("u", 3)
	r.idle()
	var said []string
	for _, c := range r.platform.Calls(stub.Text("u")) {
		said = append(said, content(c))
	}
	if want := []string{"t1", "t2", "t2", "t3"}; !slices.Equal(said, want) {
		t.Errorf("arrived %q, want %q", said, want)
	}
	if c := r.platform.Counts(); c.Repeats != 1 {
		t.Errorf("%d repeats under a known key, want 1", c.Repeats)
	}
}

// letters waits for n dead letters.
func (r *rig) letters(n int) (dead []api.Letter) {
	r.t.Helper()
	r.until(fmt.Sprint(n, " dead letters are there"), func() bool {
		var page struct{ Dead []api.Letter }
		r.admin(http.MethodGet, "/api/v1/dead", "", &page)
		dead = page.Dead
		return len(dead) == n
	})
	return dead
}

func TestADeadCommandIsReplayedOnce(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	r := start(t, stub.Options{Script: func(c stub.Call) *stub.Answer {
		if content(c) == "t1" && !mended.Load() {
			return &stub.Answer{Status: http.StatusBadRequest, Body: `{"status":"error"}`}
		}
		return nil
	}}, shop+echo)
	r.say("m1", "u", "t1")
	r.say("m2", "u", "t2")
	r.texts("u", 1) // the second goes on
	l := r.letters(1)[0]
	if l.What != "command" || l.Text != "t1" || l.Conversation != "u" || l.TaskID == "" || l.Attempts != 1 {
		t.Errorf("letter %+v", l)
	}
	mended.Store(true)
	r.replay(l.ID)
	if got, want := r.texts("u", 2), []string{"t2", "t1"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.idle()
	if s := r.status(); s.Dead != 0 {
		t.Errorf("%d dead letters left", s.Dead)
	}
}

// replay asks for a letter's return, twice: the second time it is not there.
func (r *rig) replay(id uint64) {
	r.t.Helper()
	path := fmt.Sprintf("/api/v1/dead/%d/replay", id)
	if status := r.admin(http.MethodPost, path, "", nil); status != http.StatusOK {
		r.t.Errorf("replay: %d", status)
	}
	if status := r.admin(http.MethodPost, path, "", nil); status != http.StatusNotFound {
		r.t.Errorf("replay again: %d", status)
	}
}

func TestADeadEventIsReplayedAndGoesOnFromItsOwnPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	var mended atomic.Bool
	r.skills["weak"] = func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
		switch {
		case t.Event.Text == "t1" && !mended.Load():
			return engine.Outcome{}, errBroken
		case t.Event.Text == "t2" && !mended.Load():
			panic("on purpose")
		}
		return answer(t.Event.Text), nil
	}
	r.configure("[queue]\nattempts = 1\n" + shop + "[[skill]]\nname = \"weak\"\nmatch = \"any\"\ngo = \"weak\"\n")
	r.begin()
	for i := 1; i <= 3; i++ {
		r.say(fmt.Sprint("m", i), "u", fmt.Sprint("t", i))
	}
	if got := r.texts("u", 1); !slices.Equal(got, []string{"t3"}) {
		t.Errorf("said %q, want what came after the broken ones", got)
	}
	dead := r.letters(2)
	if l := dead[0]; l.What != "event" || l.MsgID != "m1" || l.Skill != "weak" || !strings.Contains(l.Error, errBroken.Error()) {
		t.Errorf("letter %+v", l)
	}
	if l := dead[1]; l.MsgID != "m2" || !strings.Contains(l.Error, "panic") {
		t.Errorf("letter %+v", l)
	}
	mended.Store(true)
	for _, l := range dead {
		r.replay(l.ID)
	}
	if got, want := r.texts("u", 3), []string{"t3", "t1", "t2"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.say("m1", "u", "t1") // a replayed event is still known
	r.idle()
	if n := r.platform.Counts().Calls; n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}
