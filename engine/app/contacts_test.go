package app_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bot/engine/api"
	"bot/engine/stub"
)

const barring = shop + `
[[skill]]
name = "unsubscribe"
keywords = ["TD", "退订"]
match = "exact"
do = "unsubscribe"
reply = "GONE"
[[skill]]
name = "subscribe"
keywords = ["订阅"]
match = "exact"
do = "subscribe"
reply = "BACK"
[[skill]]
name = "accept"
on = "friend_request"
do = "accept_friend"
[[skill]]
name = "welcome"
on = "friend_added"
reply = "WELCOME"
` + echo

// refused is how many events were refused for that reason.
func (r *rig) refused(reason string) (n int) {
	r.t.Helper()
	resp, err := r.http.Get("http://" + r.life.at.Admin + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	series := fmt.Sprintf(`bot_events_refused_total{account="shop",reason=%q} `, reason)
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, series); ok {
			fmt.Sscan(value, &n)
		}
	}
	return n
}

// befriend reports a new friend, which must be acknowledged.
func (r *rig) befriend(id, user string) {
	r.t.Helper()
	status, answer := r.post(fmt.Sprintf(`{"type":"FRIEND_ADDED","eventId":%q,"appId":"wx_demo","fromUser":%q}`, id, user))
	if status != http.StatusOK || answer != "success" {
		r.t.Errorf("friend added: %d %s", status, answer)
	}
}

// submit hands in a text as another system would.
func (r *rig) submit(taskID, lane, user, text string) {
	r.t.Helper()
	body := fmt.Sprintf(`{"task_id":%q,"account_id":"shop","action":"send_text","lane":%q,"timestamp":1772600000,"params":{"to":%q,"content":%q}}`, taskID, lane, user, text)
	if status := r.admin(http.MethodPost, "/api/v1/commands", body, nil); status != http.StatusAccepted {
		r.t.Fatalf("submit %s: %d", taskID, status)
	}
}

// died waits until a submitted command is a dead letter that was never
// attempted, for a reason that begins with the word.
func (r *rig) died(taskID, reason string) {
	r.t.Helper()
	var letter api.Letter
	r.until(taskID+" is dead", func() bool {
		var page struct{ Dead []api.Letter }
		r.admin(http.MethodGet, "/api/v1/dead", "", &page)
		i := slices.IndexFunc(page.Dead, func(l api.Letter) bool { return l.TaskID == taskID })
		if i >= 0 {
			letter = page.Dead[i]
		}
		return i >= 0
	})
	if !strings.HasPrefix(letter.Error, reason) || letter.Attempts != 0 || len(letter.Tries) != 0 {
		r.t.Errorf("%s died of %q after %d attempts, want %q and none", taskID, letter.Error, letter.Attempts, reason)
	}
	r.until(taskID+" is shown as dead", func() bool {
		var view struct{ State string }
		r.admin(http.MethodGet, "/api/v1/commands/"+taskID, "", &view)
		return view.State == "dead"
	})
}

// reborn ends the life of the engine and begins another.
func (r *rig) reborn() {
	r.t.Helper()
	r.end()
	r.begin()
}

func TestABlockedUserIsAcknowledgedAndNothingElse(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, barring)
	block := func(method string) {
		t.Helper()
		if status := r.admin(method, "/api/v1/blocked/shop/troll", "", nil); status != http.StatusOK {
			t.Errorf("%s: %d", method, status)
		}
	}
	block(http.MethodPut)
	for life := range 2 {
		r.say(fmt.Sprint("m", life), "troll", "hello")
		r.befriend(fmt.Sprint("e", life), "troll")
		for _, lane := range []string{"reply", "push", "bulk"} {
			task := fmt.Sprint(lane, life)
			r.submit(task, lane, "troll", "hello")
			r.died(task, "blocked")
		}
		r.say(fmt.Sprint("o", life), "other", "hello")
		r.texts("other", life+1)
		r.idle()
		if n := r.refused("blocked"); n != 2 {
			t.Errorf("life %d: %d events refused as blocked, want 2", life, n)
		}
		if b := r.books(); !b.balanced() {
			t.Errorf("life %d: the books do not balance: %+v", life, b)
		}
		r.reborn()
	}
	if calls := r.platform.Calls(stub.Text("troll")); len(calls) > 0 {
		t.Errorf("sent %+v", calls)
	}
	block(http.MethodDelete)
	r.say("again", "troll", "sorry")
	if got := r.texts("troll", 1); !slices.Equal(got, []string{"sorry"}) {
		t.Errorf("said %q", got)
	}
}

func TestWhoUnsubscribedIsAnsweredAndNotSentAnythingElse(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, barring)
	r.say("m1", "u", "TD")
	said := []string{"GONE"}
	expect := func(more ...string) {
		t.Helper()
		said = append(said, more...)
		if got := r.texts("u", len(said)); !slices.Equal(got, said) {
			t.Errorf("said %q, want %q", got, said)
		}
		r.idle()
		if n := len(r.platform.Calls(stub.Text("u"))); n != len(said) {
			t.Errorf("%d texts, want %d", n, len(said))
		}
	}
	expect()
	for life := range 2 {
		r.befriend(fmt.Sprint("e", life), "u")
		if n := r.refused("unsubscribed"); n != 1 {
			t.Errorf("life %d: %d events refused as unsubscribed, want 1", life, n)
		}
		for _, lane := range []string{"push", "bulk"} {
			task := fmt.Sprint(lane, life)
			r.submit(task, lane, "u", "OFFER")
			r.died(task, "unsubscribed")
		}
		question := fmt.Sprint("question ", life)
		r.say(question, "u", question)
		expect(question)
		r.submit(fmt.Sprint("answer", life), "reply", "u", "by hand")
		expect("by hand")
		r.reborn()
	}
	r.say("m2", "u", "订阅")
	expect("BACK")
	r.reborn()
	r.befriend("e9", "u")
	expect("WELCOME")
	r.submit("push9", "push", "u", "OFFER")
	expect("OFFER")
}

func TestWhoUnsubscribedMayAskToBeAFriendAgain(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, barring)
	r.say("m1", "u", "退订")
	r.texts("u", 1)
	status, _ := r.post(`{"type":"FRIEND_REQUEST","eventId":"e1","appId":"wx_demo","scene":"ticket","fromUser":"u"}`)
	if status != http.StatusOK {
		t.Errorf("friend request: %d", status)
	}
	r.until("the request is accepted", func() bool { return len(r.platform.Calls(accepts)) == 1 })
}

func TestAPushThatWaitedWhileItsReceiverUnsubscribedIsNotSent(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	down := r.platformUp()
	down() // so that what is submitted waits
	r.configure(barring)
	r.begin()
	r.submit("p1", "push", "u", "OFFER")
	r.until("it was tried", func() bool {
		var view struct{ Attempts []any }
		r.admin(http.MethodGet, "/api/v1/commands/p1", "", &view)
		return len(view.Attempts) > 0
	})
	r.say("m1", "u", "退订")
	r.until("the wish is kept", func() bool {
		var page struct{ Barred []api.Contact }
		r.admin(http.MethodGet, "/api/v1/blocked?account=shop", "", &page)
		return len(page.Barred) == 1 && page.Barred[0].User == "u" && !page.Barred[0].Unsubscribed.IsZero()
	})
	t.Cleanup(r.platformUp())
	if got := r.texts("u", 1); !slices.Equal(got, []string{"GONE"}) {
		t.Errorf("said %q", got)
	}
	r.idle()
	if n := len(r.platform.Calls(stub.Text("u"))); n != 1 {
		t.Errorf("%d texts, want the confirmation alone", n)
	}
	var page struct{ Dead []api.Letter }
	r.admin(http.MethodGet, "/api/v1/dead", "", &page)
	if len(page.Dead) != 1 || page.Dead[0].TaskID != "p1" || !strings.HasPrefix(page.Dead[0].Error, "unsubscribed") {
		t.Errorf("dead letters %+v", page.Dead)
	}
}
