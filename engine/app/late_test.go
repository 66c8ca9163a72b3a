package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

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
