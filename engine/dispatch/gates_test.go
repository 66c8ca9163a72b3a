package dispatch_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/dispatch"
	"bot/engine/turn"
)

// model is a skill that waits for another system and says how many of its runs
// there are at once.
type model struct {
	handle    handler
	now, most atomic.Int64
}

func (m *model) Name() string { return "model" }

func (m *model) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	defer m.now.Add(-1)
	if n := m.now.Add(1); n > m.most.Load() {
		m.most.Store(n)
	}
	return m.handle(ctx, t)
}

// mixed answers conversations that are called slow… by the model, others at once.
type mixed struct {
	model       *model
	concurrency int
}

func (r mixed) Route(e *engine.Event, _, _ engine.State) []engine.Choice {
	if r.model != nil && strings.HasPrefix(e.Conversation, "slow") {
		return []engine.Choice{{Skill: r.model, Waits: true, Concurrency: r.concurrency}}
	}
	return []engine.Choice{{Skill: handler(answering)}}
}

func (r mixed) Rules(*engine.Event) []engine.Choice { return nil }

func (r *rig) route(to engine.Router) *rig {
	r.setup.Store(&turn.Setup{Router: to, Accounts: map[string]engine.Account{"shop": {Name: "shop"}}})
	return r
}

func slow(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint("slow", i))
	}
	return names
}

func TestStalledCallsTakeNoWorkerFromOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		stalls := &model{handle: takes(4 * time.Second)}
		r := newRig(t, newLedger(), nil, workers(2)).route(mixed{stalls, 100}).start()
		r.say(slow(64)...)
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Running != 0 || s.Away != 64 || s.Waiting != 64 {
			t.Errorf("stalled: %+v, want 64 away and none with a worker", s)
		}
		r.say("u1", "u2", "u3", "slow0")
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Waiting != 65 {
			t.Errorf("%+v, want all others answered", s)
		}
		pass(5 * time.Second)
		if s := r.dispatch.Stats(); s.Away != 1 || s.Running != 0 || s.Waiting != 1 {
			t.Errorf("after their time: %+v, want the second event of slow0 away", s)
		}
		r.stop()
	})
}

func TestASkillRunsNoMoreOftenAtOnceThanItMay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &model{handle: takes(time.Second)}
		r := newRig(t, newLedger(), nil, workers(2)).route(mixed{m, 3}).start()
		start := time.Now()
		r.say("slow0")
		synctest.Wait() // it is the first, so that there is time for its second
		r.say(slow(10)[1:]...)
		r.say("slow0", "fast")
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Away != 3 || s.Parked != 7 || s.Running != 0 {
			t.Errorf("at the start %+v, want 3 away and 7 parked", s)
		}
		r.ledger.wantHandled(t, 12)
		for len(r.ledger.waiting()) > 0 && time.Since(start) < time.Minute {
			pass(100 * time.Millisecond)
		}
		if took := time.Since(start); m.most.Load() != 3 || took > 4200*time.Millisecond {
			t.Errorf("at most %d at once, 11 runs of 1 s took %v; want 3, in 4 s", m.most.Load(), took)
		}
		if s := r.dispatch.Stats(); s.Parked != 0 || s.Away != 0 || s.Waiting != 0 || len(r.ledger.failed) != 0 {
			t.Errorf("at the end %+v, charged %v", s, r.ledger.failed)
		}
		inOrder(t, r.ledger)
		r.stop()
	})
}

func TestWhatWaitsForASkillThatIsTakenAwayGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &model{handle: takes(4 * time.Second)}
		r := newRig(t, newLedger(), nil, workers(2)).route(mixed{m, 1}).start()
		r.say(slow(9)...)
		synctest.Wait()
		r.route(mixed{})
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Parked != 8 {
			t.Errorf("nobody told of the reload, and %+v", s)
		}
		pass(5 * time.Second) // the run ends: one after the other finds that it needs no turn of the skill
		if s := r.dispatch.Stats(); s.Waiting != 0 || s.Parked != 0 {
			t.Errorf("%+v, want all answered by the new rules", s)
		}
		r.stop()
	})
}

func TestAReloadThatAllowsMoreRunsIsHeeded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &model{handle: takes(4 * time.Second)}
		r := newRig(t, newLedger(), nil, workers(2)).route(mixed{m, 1}).start()
		r.say(slow(5)...)
		synctest.Wait()
		r.route(mixed{m, 4})
		r.dispatch.Reconfigured()
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Away != 4 || s.Parked != 1 {
			t.Errorf("%+v, want 4 away and 1 parked", s)
		}
		pass(9 * time.Second)
		r.stop()
	})
}

func TestAStopWithTurnsAwayAndParkedLosesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &model{handle: func(ctx context.Context, _ *engine.Turn) (engine.Outcome, error) {
			<-ctx.Done()
			return engine.Outcome{}, ctx.Err()
		}}
		r := newRig(t, newLedger(), nil, workers(2), func(o *dispatch.Options) { o.Timeout = time.Hour }).route(mixed{m, 2}).start()
		r.say(slow(6)...)
		synctest.Wait()
		r.stop()
		if n := len(r.ledger.waiting()); n != 6 || len(r.ledger.failed) != 0 {
			t.Errorf("%d events in the log, charged %v; want all 6 and no charge", n, r.ledger.failed)
		}
	})
}

func TestARunThatFailsMakesRoomForTheNext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &model{handle: func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
			if t.Event.Conversation == "slow0" {
				panic("at once")
			}
			return reply("ok")
		}}
		r := newRig(t, newLedger(), nil, workers(8)).route(mixed{m, 1}).start()
		r.say(slow(20)...)
		pass(5 * time.Minute)
		if s := r.dispatch.Stats(); s.Waiting != 0 || s.Parked != 0 || s.Away != 0 {
			t.Errorf("%+v", s)
		}
		r.ledger.wantBuried(t, 1)
		r.stop()
	})
}

// Who waits for a skill gets the next run of it, however many come meanwhile.
func TestWhoWaitsLongestIsNext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var order []string
		m := &model{handle: func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
			order = append(order, t.Event.Conversation)
			time.Sleep(time.Second)
			return reply("ok")
		}}
		r := newRig(t, newLedger(), nil, workers(8)).route(mixed{m, 1}).start()
		r.say(slow(4)...)
		synctest.Wait()
		first := order[0]
		for i := range 40 { // newcomers, all the time
			time.Sleep(100 * time.Millisecond)
			r.say(fmt.Sprint("slow-new", i))
			synctest.Wait()
		}
		pass(time.Minute)
		if len(order) != 44 || order[0] != first || strings.Contains(strings.Join(order[:4], " "), "new") {
			t.Errorf("the order was %q", order)
		}
		r.stop()
	})
}
