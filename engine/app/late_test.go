package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bot/engine/api"
	"bot/engine/broadcast"
	"bot/engine/stub"
)

// result posts what the platform says of a command.
func (r *rig) result(id, task, status string) {
	r.t.Helper()
	code, answer := r.post(fmt.Sprintf(`{"type":"COMMAND_RESULT","eventId":%q,"appId":"wx_demo","taskId":%q,"status":%q}`, id, task, status))
	if code != http.StatusOK {
		r.t.Errorf("result %s: %d %s", id, code, answer)
	}
}

func TestWhatThePlatformDidAfterItHadFailedIsConfirmed(t *testing.T) {
	t.Parallel()
	for name, attempts := range map[string]int{"while it waits to be sent again": 5, "when it was given up": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(shop, "[[account]]", "[[account]]\nconfirm = true\nconfirm_within = \"1h\"", 1)
			r := start(t, stub.Options{}, text+fmt.Sprintf("[account.retry]\nattempts = %d\nbackoff = \"1h..1h\"\n", attempts))
			state := func(want string) {
				t.Helper()
				r.until("it is "+want, func() bool { s, _ := r.task("p1"); return s == want })
			}
			r.submit("p1", "push", "u", "OFFER")
			state("sent")
			r.result("r1", "p1", "failed")
			state(map[int]string{5: "waiting", 1: "dead"}[attempts])
			r.reborn()
			r.result("r2", "p1", "ok")
			state("confirmed")
			r.idle()
			if s := r.status(); s.Dead != 0 || s.Commands != 0 || s.Events != 0 {
				t.Errorf("status %+v, want nothing left of it", s)
			}
			if n := r.platform.Counts().Calls; n != 1 {
				t.Errorf("%d calls, want one", n)
			}
		})
	}
}

// What a broadcast has reached and not reached adds up to its recipients, whatever
// becomes of its dead letters.
func TestWhatLeavesTheDeadLettersCountsForItsBroadcastAnew(t *testing.T) {
	t.Parallel()
	text := strings.Replace(shop, "[[account]]", "[[account]]\nconfirm = true\nconfirm_within = \"1h\"", 1)
	r := start(t, stub.Options{}, text+"[account.retry]\nattempts = 1\n")
	var made broadcast.Status
	r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"shop","text":"hi","rate":"100/s","start":true,"to":["u1","u2","u3"]}`, &made)
	task := func(n int) string { return fmt.Sprintf("bc-%s-%d", made.ID, n) }
	stands := func(want broadcast.Status) {
		t.Helper()
		var s broadcast.Status
		r.until("the broadcast stands as it should", func() bool {
			s = r.broadcasts()[0]
			return s.Dead == want.Dead && s.Sent == want.Sent && s.Unconfirmed == want.Unconfirmed && s.ByHand == 0
		})
	}
	stands(broadcast.Status{Unconfirmed: 3})
	for n := range 3 {
		r.result(fmt.Sprint("f", n), task(n), "failed")
	}
	stands(broadcast.Status{Dead: 3})

	var dead struct{ Dead []api.Letter }
	r.admin(http.MethodGet, "/api/v1/dead", "", &dead)
	for _, l := range dead.Dead {
		if l.TaskID == task(0) {
			r.admin(http.MethodPost, fmt.Sprintf("/api/v1/dead/%d/replay", l.ID), "", nil)
		}
	}
	stands(broadcast.Status{Dead: 2, Unconfirmed: 1})
	r.result("again", task(0), "ok")
	stands(broadcast.Status{Dead: 2, Sent: 1})
	r.result("after all", task(1), "ok")
	stands(broadcast.Status{Dead: 1, Sent: 2})
	r.reborn()
	stands(broadcast.Status{Dead: 1, Sent: 2})
}
