package console

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/store"
)

func (r *rig) runSchedule(_ context.Context, name string) error {
	for _, s := range r.plans {
		switch {
		case s.Name != name:
		case !s.Enabled:
			return api.ErrDisabled
		default:
			r.ran = append(r.ran, name)
			return nil
		}
	}
	return store.ErrGone
}

func somePlans(now time.Time) []api.Schedule {
	run := func(state engine.RunState, note string) []engine.Run {
		return []engine.Run{{Due: now.Add(-time.Hour), TookMS: 1200, State: state, Note: note}, {Due: now.Add(-25 * time.Hour), TookMS: 80, State: engine.RunSucceeded}}
	}
	return []api.Schedule{
		{Name: "evening", Account: "shop", When: "0 20 * * *", Does: "say", Enabled: true, State: engine.RunSucceeded, Next: now.Add(9 * time.Hour), Runs: run(engine.RunSucceeded, "said to 1")},
		{Name: "off", Account: "shop", When: "0 7 * * *", Does: "say", State: engine.RunCreated},
		{Name: "soon", Account: "shop", When: "every 10m", Does: "say", Enabled: true, State: engine.RunPending, Next: now.Add(time.Minute)},
		{Name: "once", Account: "shop", When: "2026-01-01 10:00", Does: "say", Enabled: true, State: engine.RunSucceeded, Runs: run(engine.RunSucceeded, "")},
		{Name: "broken", Account: "shop", When: "0 8 * * *", Does: "GET https://example.com", Enabled: true, State: engine.RunFailed, Next: now.Add(11 * time.Hour), Runs: run(engine.RunFailed, "status 500: nothing came")},
	}
}

func TestSchedulesAreShownTheFailedOnesFirst(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/schedules"); !strings.Contains(page, "There are no schedules.") {
		t.Errorf("without any: %s", page)
	}
	r.plans = somePlans(r.now)
	page := r.page("/schedules")
	var order []string
	for _, row := range strings.Split(page, `<th scope="row">`)[1:] {
		name, _, _ := strings.Cut(row, " ")
		order = append(order, name)
	}
	if !slices.Equal(order, []string{"broken", "soon", "evening", "once", "off"}) {
		t.Errorf("in the order %q", order)
	}
	for _, want := range []string{"status 500: nothing came", "took 1 s", "in 9 h", "pending", "disabled", "no more", "Earlier ones"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestAScheduleIsRunNow(t *testing.T) {
	r := newRig(t)
	r.login()
	r.plans = somePlans(r.now)
	for _, c := range []struct{ name, says string }{
		{"evening", "Schedule evening is about to run."}, {"off", "It is disabled: set enabled = true, then reload."}, {"none", "not there any more"},
	} {
		if says := saidOn(r.press("/schedules/run", url.Values{"name": {c.name}, "back": {"/schedules"}})); !strings.Contains(says, c.says) {
			t.Errorf("%s: %q", c.name, says)
		}
	}
	if !slices.Equal(r.ran, []string{"evening"}) {
		t.Errorf("ran %q", r.ran)
	}
}
