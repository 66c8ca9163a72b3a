package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/dispatch"
)

func TestOneConversationIsHandledInOrderOneAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		inside, most := 0, 0
		r := newRig(t, newLedger(), func(context.Context, *engine.Turn) (engine.Outcome, error) {
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			inside--
			mu.Unlock()
			return reply("ok")
		}).start()
		r.say("u1", "u1", "u1", "u1")
		pass(10 * time.Second)
		r.ledger.wantHandled(t, 1, 2, 3, 4)
		if most != 1 {
			t.Errorf("%d events of one conversation at a time", most)
		}
		r.stop()
	})
}

func TestConversationsRunSideBySideUpToTheWorkers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, newLedger(), takes(time.Second), workers(2)).start()
		r.say("u1", "u2", "u3", "u4", "u5")
		start := time.Now()
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Running != 2 || s.Waiting != 5 || s.Conversations != 5 {
			t.Errorf("at the start %+v, want 2 of 5 running", s)
		}
		for len(r.ledger.waiting()) > 0 {
			pass(100 * time.Millisecond)
		}
		if took := time.Since(start); took < 3*time.Second || took > 3200*time.Millisecond {
			t.Errorf("5 events of 1 s with 2 workers took %v", took)
		}
		r.stop()
	})
}

func TestALongQueueDelaysNobodyElse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, newLedger(), takes(50*time.Millisecond))
		const flood = 100_000
		for range flood {
			r.say("hot")
		}
		r.start()
		pass(time.Second)
		if s := r.dispatch.Stats(); s.Waiting < flood-100 || s.Running != 1 {
			t.Errorf("%+v, want nearly all of the flood waiting behind one turn", s)
		}
		r.say("cool")
		pass(200 * time.Millisecond)
		r.ledger.look(func() {
			if !r.ledger.out[flood+1] {
				t.Error("the other conversation's event was not handled within 200 ms")
			}
		})
		r.stop()
	})
}

func TestWithOneWorkerTheConversationsTakeTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, newLedger(), takes(50*time.Millisecond), workers(1))
		r.say("a", "a", "a", "b", "b", "c")
		r.start()
		pass(time.Second)
		r.ledger.wantHandled(t, 1, 4, 6, 2, 5, 3)
		r.stop()
	})
}

func TestTheTableIsEmptyWhenAllIsHandled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const conversations, each = 1000, 20
		var mu sync.Mutex
		next := make(map[string]int)
		r := newRig(t, newLedger(), func(_ context.Context, turn *engine.Turn) (engine.Outcome, error) {
			mu.Lock()
			defer mu.Unlock()
			c := turn.Event.Conversation
			if turn.Event.Text != fmt.Sprint(next[c]) {
				t.Errorf("conversation %s: handled %s, want %d", c, turn.Event.Text, next[c])
			}
			next[c]++
			return reply("ok")
		}, workers(16)).start()
		for i := range each {
			for c := range conversations {
				e := message("shop", fmt.Sprint("u", c))
				e.Text = fmt.Sprint(i)
				r.append(e)
			}
			pass(2 * time.Millisecond)
		}
		synctest.Wait()
		if s := r.dispatch.Stats(); s != (dispatch.Stats{}) {
			t.Errorf("left behind: %+v", s)
		}
		for c, n := range next {
			if n != each {
				t.Errorf("conversation %s: %d handled, want %d", c, n, each)
			}
		}
		r.stop()
	})
}

// A conversation's events are handled each once and in order, or buried,
// whatever fails and however often the process ends in between.
func TestOrderSurvivesFailuresAndRestarts(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			bubble(t, func(t *testing.T) { endure(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func endure(t *testing.T, rnd *rand.Rand) {
	var mu sync.Mutex
	chance := func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return rnd.Float64()
	}
	unruly := func(ctx context.Context, turn *engine.Turn) (engine.Outcome, error) {
		time.Sleep(time.Duration(chance() * float64(time.Second)))
		switch x := chance(); {
		case x < 0.1:
			return engine.Outcome{}, errors.New("failed")
		case x < 0.15:
			panic("panicked")
		case x < 0.2:
			<-ctx.Done()
			return engine.Outcome{}, ctx.Err()
		case x < 0.22:
			time.Sleep(7 * time.Second) // past the limit and past caring
		}
		return engine.Outcome{State: &engine.State{Skill: "s", Node: turn.State.Node + "x"}}, nil
	}
	options := func(o *dispatch.Options) { o.Chance = chance }
	l := newLedger()
	for life := 0; len(l.waiting()) > 0 || life < 6; life++ {
		r := newRig(t, l, unruly, attempts(6), options)
		if life < 6 {
			for range 20 {
				r.say(fmt.Sprint("u", rnd.IntN(4)))
			}
		}
		r.start()
		pass(time.Duration(chance() * float64(40*time.Second)))
		if chance() < 0.5 {
			l = r.kill()
		} else {
			r.stop()
			l = r.ledger.restart()
		}
	}
	inOrder(t, l)
	pass(time.Minute) // for skills that were abandoned
}

// inOrder checks that each event was handled or buried once, in the order of
// the log, and that as many states were written as events were handled.
func inOrder(t *testing.T, l *ledger) {
	t.Helper()
	last, handled := map[engine.ConversationKey]uint64{}, map[engine.ConversationKey]int{}
	for _, seq := range l.ended {
		c := l.log[seq-1].Event.ConversationKey()
		if seq <= last[c] {
			t.Errorf("conversation %s: %d ended after %d", c, seq, last[c])
		}
		last[c] = seq
	}
	for _, seq := range l.handled {
		handled[l.log[seq-1].Event.ConversationKey()]++
	}
	if len(l.ended) != len(l.log) {
		t.Errorf("%d of %d events ended", len(l.ended), len(l.log))
	}
	for k, s := range l.states {
		if n := handled[engine.ConversationKey{Account: k.Account, Conversation: k.Conversation}]; len(s.Node) != n {
			t.Errorf("conversation %s: its state counts %d events, %d were handled", k.Conversation, len(s.Node), n)
		}
	}
}
