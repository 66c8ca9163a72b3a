package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"bot/engine/stub"
)

const flood = `
[[risk]]
name = "flood"
on = "message"
more_than = "5/h"
action = "mute"
for = "1h"
reply = "SLOW"
[[risk]]
name = "words"
on = "words"
words = ["赌博"]
action = "block"
`

func TestAFloodOfOneUserIsMutedAndOthersAreAnswered(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+flood+echo)
	const sent = 40
	var all sync.WaitGroup
	for i := range sent {
		all.Go(func() { r.say(fmt.Sprint("f", i), "troll", "spam") }) // each of them is answered 200
	}
	all.Wait()
	r.say("o1", "other", "hello")
	if got := r.texts("other", 1); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("the other heard %q", got)
	}
	said := r.texts("troll", 6)
	slices.Sort(said)
	if want := []string{"SLOW", "spam", "spam", "spam", "spam", "spam"}; !slices.Equal(said, want) {
		t.Errorf("the troll heard %q, want %q", said, want)
	}
	r.idle()
	if n := len(r.platform.Calls(stub.Text("troll"))); n != 6 {
		t.Errorf("%d texts to the troll", n)
	}
	if n := r.refused("risk_mute:flood"); n != sent-5 {
		t.Errorf("%d refused, want %d", n, sent-5)
	}
	if b := r.books(); !b.balanced() {
		t.Errorf("the books do not balance: %+v", b)
	}
	s := r.status().Risk
	if len(s.Rows) != 2 || s.Rows[0].Hits != sent-5 || s.Total != 1 || s.Muted[0].User != "troll" {
		t.Errorf("status %+v", s)
	}

	r.reborn()
	r.say("later", "troll", "spam")
	if n := r.refused("risk_mute:flood"); n != 1 {
		t.Errorf("after a restart %d refused, want 1", n)
	}
	if status := r.admin(http.MethodDelete, "/api/v1/muted/shop/troll", "", nil); status != http.StatusOK {
		t.Errorf("unmute: %d", status)
	}
	r.say("again", "troll", "sorry")
	if got := r.texts("troll", 7); got[6] != "sorry" {
		t.Errorf("said %q", got)
	}
}

func TestABlockByTheMatrixIsOneLikeByHand(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+flood+echo)
	r.say("m1", "u", "来 赌.博")
	r.say("m2", "u", "hello")
	if a, b := r.refused("risk_block:words"), r.refused("blocked"); a != 1 || b != 1 {
		t.Errorf("%d refused by the row, %d as blocked", a, b)
	}
	r.submit("p1", "reply", "u", "hello")
	r.died("p1", "blocked")
	r.reborn()
	r.say("m3", "u", "hello")
	if n := r.refused("blocked"); n != 1 {
		t.Errorf("%d refused as blocked after a restart", n)
	}
}

func TestTheBotStopsAnsweringAConversationThatItAnswersTooOften(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo+`
[[risk]]
name = "pingpong"
on = "replies"
more_than = "3/h"
action = "ignore"
`)
	for i := range 6 {
		r.say(fmt.Sprint("m", i), "bot2", "hello")
		r.idle()
	}
	if n := len(r.platform.Calls(stub.Text("bot2"))); n != 3 {
		t.Errorf("%d answers, want 3", n)
	}
	if n := r.refused("risk_ignore:pingpong"); n != 3 {
		t.Errorf("%d refused, want 3", n)
	}
}

func TestOnlyTestUsersAreServed(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+`test_users = ["u"]`+"\n"+echo)
	r.say("m1", "u", "hello")
	r.say("m2", "stranger", "hello")
	if got := r.texts("u", 1); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("said %q", got)
	}
	if n := r.refused("not_test_user"); n != 1 {
		t.Errorf("%d refused", n)
	}
	r.submit("p1", "push", "stranger", "OFFER")
	r.died("p1", "not a test user")
	r.submit("p2", "push", "u", "OFFER")
	r.submit("p3", "reply", "stranger", "by hand")
	if got := r.texts("u", 2); got[1] != "OFFER" {
		t.Errorf("said %q", got)
	}
	if got := r.texts("stranger", 1); !slices.Equal(got, []string{"by hand"}) {
		t.Errorf("the stranger heard %q", got)
	}
	if b := r.books(); !b.balanced() {
		t.Errorf("the books do not balance: %+v", b)
	}
}

func TestWhoIsBlockedInTheConfigurationIsBlockedUntilItSaysOtherwise(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+`blocked = ["troll"]`+"\n"+echo)
	r.say("m1", "troll", "hello")
	if n := r.refused("blocked"); n != 1 {
		t.Errorf("%d refused", n)
	}
	for _, lane := range []string{"reply", "push"} {
		r.submit(lane, lane, "troll", "hello")
		r.died(lane, "blocked")
	}
	r.configure(shop + echo)
	if err := r.life.app.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.say("m2", "troll", "sorry")
	if got := r.texts("troll", 1); !slices.Equal(got, []string{"sorry"}) {
		t.Errorf("said %q", got)
	}
}

func TestAReloadWithABadRowIsRefusedAndTheGoodOneStays(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+flood+echo)
	r.configure(shop + strings.ReplaceAll(flood, `"mute"`, `"shout"`) + echo)
	if err := r.life.app.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), `risk "flood": action: there is no "shout"`) {
		t.Errorf("%v", err)
	}
	for i := range 6 {
		r.say(fmt.Sprint("m", i), "u", "hello")
	}
	if n := r.refused("risk_mute:flood"); n != 1 {
		t.Errorf("%d refused", n)
	}
}
