package app_test

import (
	"strings"
	"testing"

	"bot/engine/stub"
)

// task is how the API shows a command.
func (r *rig) task(id string) (state, reason string) {
	var view struct{ State, Reason string }
	r.admin("GET", "/api/v1/commands/"+id, "", &view)
	return view.State, view.Reason
}

func TestAQuotaHoldsIsShownAndOutlivesARestartAndAReload(t *testing.T) {
	t.Parallel()
	limited := shop + "[account.limit]\npush_per_day = 2\n"
	r := start(t, stub.Options{}, limited+echo)
	for _, id := range []string{"p1", "p2", "p3"} {
		r.push(id, "u"+id)
		if id != "p3" {
			r.texts("u"+id, 1)
		}
	}
	const why = "quota: 2 pushes a day (push_per_day) are used up; goes on "
	r.until("the third waits for its quota", func() bool {
		state, reason := r.task("p3")
		return state == "waiting" && strings.HasPrefix(reason, why) && strings.HasSuffix(reason, " 00:00 Asia/Shanghai")
	})
	r.say("m1", "u", "hello") // replies go on
	r.texts("u", 1)
	if p := r.status().Pushes["shop"]; p.Used != 2 || p.Left != 0 || p.Day == "" {
		t.Errorf("status: %+v", p)
	}
	r.reborn()
	r.until("it waits after a restart", func() bool {
		state, reason := r.task("p3")
		return state == "waiting" && strings.HasPrefix(reason, why)
	})
	r.reloaded(strings.Replace(limited, "push_per_day = 2", "push_per_day = 3", 1) + echo)
	r.texts("up3", 1)
	r.idle()
}

func TestWhatIsHeldForSilenceGoesWhenThePersonWrites(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+"[account.limit]\nunanswered = 2\n"+echo)
	r.push("p1", "u")
	r.until("it waits", func() bool {
		state, reason := r.task("p1")
		return state == "waiting" && strings.HasPrefix(reason, "quota: the person has not written for 48h (unanswered_for)")
	})
	r.say("m1", "u", "hello")
	r.texts("u", 2) // the reply and what was held
	r.idle()
}
