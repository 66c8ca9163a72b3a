package egress

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// learning is an outbox that notes what is learned with each settlement.
type learning struct {
	*memory
	mu      sync.Mutex
	learned map[string]store.Final // by note
}

func (l *learning) Settle(ctx context.Context, s store.Settlement) error {
	if err := l.memory.Settle(ctx, s); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range s.Learned {
		l.learned[n.Key] = s.Final
	}
	return nil
}

// teaches has each command that its platform took remembered.
func teaches(c *engine.Command, s *store.Settlement, taken bool) {
	if taken {
		s.Learned = append(s.Learned, engine.Note{Key: c.TaskID, Value: "1"})
	}
}

func TestWhatASentCommandTeachesIsRememberedInTheActThatSettlesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Attempts = 2 })))
		outbox := &learning{memory: w.outbox, learned: make(map[string]store.Final)}
		w.options.Outbox = outbox
		w.options.Adds = teaches
		w.options.Unwanted = func(c *engine.Command) string {
			if c.TaskID == "unwanted" {
				return "unwanted"
			}
			return ""
		}
		failures := 0
		w.platforms["shop"].answer = func(c *engine.Command) error {
			switch c.TaskID {
			case "refused":
				return fails(channel.Permanent)
			case "lost":
				return fails(channel.Unsure)
			case "later":
				if failures++; failures == 1 {
					return fails(channel.Transient)
				}
			}
			return nil
		}
		full := 0
		w.outbox.fault = func(act string, id uint64) error {
			if act == "settle" && id == 1 && full < 2 {
				full++
				return store.ErrFull
			}
			return nil
		}
		w.say("shop", "push a sent", "push b refused", "push c lost", "push d later", "push e unwanted")
		w.start()
		defer w.stop()
		after(time.Hour)
		outbox.mu.Lock()
		defer outbox.mu.Unlock()
		if got := outbox.learned; len(got) != 2 || got["sent"] != store.Sent || got["later"] != store.Sent || full != 2 {
			t.Errorf("learned %v", got)
		}
	})
}

func TestASettlementThatFailsTeachesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		outbox := &learning{memory: w.outbox, learned: make(map[string]store.Final)}
		w.options.Outbox = outbox
		w.options.Adds = teaches
		broken := errors.New("broken")
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "settle" {
				return broken
			}
			return nil
		}
		w.say("shop", "push a sent")
		w.start()
		after(time.Minute)
		if err := w.end(); !errors.Is(err, broken) || len(outbox.learned) > 0 {
			t.Errorf("%v, learned %v", err, outbox.learned)
		}
	})
}

// What the platform took is learned once: with its answer, or with the confirmation
// where there was no answer to learn it by.
func TestAConfirmationTeachesWhatNoAnswerDid(t *testing.T) {
	for name, answer := range map[string]error{"after an answer": nil, "after a lost one": fails(channel.Unsure)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newConfirmer(t, hold)
				taken := 0
				w.options.Adds = func(_ *engine.Command, _ *store.Settlement, news bool) {
					if news {
						taken++
					}
				}
				w.platforms["shop"].answer = func(*engine.Command) error { return answer }
				w.say("shop", "push u 1")
				w.start()
				after(time.Second)
				w.confirm("1", true)
				w.wantState("1", "confirmed")
				w.stop()
				if taken != 1 {
					t.Errorf("learned %d times that it was taken", taken)
				}
			})
		})
	}
}

// An act that was lost with what it taught of a contact says nothing of the pace.
func TestALostLessonIsNoNoteOfThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.options.Adds = teaches
		gone := false
		w.outbox.lost = func(act string, id uint64) error {
			if act == "settle" && !gone {
				gone = true
				return store.ErrGone
			}
			return nil
		}
		w.say("shop", "push a 1")
		w.start()
		after(time.Minute)
		w.say("shop", "push b 2")
		after(time.Minute)
		w.stop()
		if _, written := w.outbox.learned("shop"); written != 2 {
			t.Errorf("%d notes were written, want the two lessons", written)
		}
	})
}
