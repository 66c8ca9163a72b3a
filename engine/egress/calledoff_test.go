package egress

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store"
)

// notes is a world with notes that call commands off.
func notes(t *testing.T, a Account) (w *world, said *atomic.Value) {
	w, said = newWorld(t, shop(a)), new(atomic.Value)
	said.Store("")
	w.options.Recall = func(account, key string) (string, error) {
		switch {
		case account == "shop" && key == "stop":
			return said.Load().(string), nil
		case key == "":
			t.Error("asked of a command that names no note")
		}
		return w.outbox.Recall(account, key)
	}
	return w, said
}

func reminder(task string, in time.Duration) engine.Command {
	return engine.Command{TaskID: task, Conversation: "u", Unless: "stop", NotBefore: time.Now().Add(in)}
}

func TestWhatWasCalledOffIsCancelledAndNoDeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, said := notes(t, quick())
		w.put("shop", reminder("later", 5*time.Minute))
		w.say("shop", "reply u now")
		w.start()
		defer w.stop()
		after(4 * time.Minute)
		if got := w.waits("later"); !strings.HasPrefix(got, "due ") {
			t.Errorf("it waits for %q", got)
		}
		said.Store("they wrote")
		w.wantState("later", "waiting")
		if got, want := w.waits("later"), "they wrote; it is taken out when its turn comes; due "; !strings.HasPrefix(got, want) {
			t.Errorf("it waits for %q, want %q…", got, want)
		}
		after(2 * time.Minute)
		w.wantTasks("shop", "now")
		if p := w.wantState("later", "cancelled"); p.Attempts != 0 || p.Reason != "they wrote" {
			t.Errorf("%+v", p)
		}
		if w.total("bot_dead_letters_total") != 0 || w.total("bot_commands_cancelled_total", "shop") != 1 {
			t.Errorf("counted as %v dead and %v cancelled", w.total("bot_dead_letters_total"), w.total("bot_commands_cancelled_total"))
		}
		if w.log.count(`level=INFO msg="command cancelled"`) != 1 || w.log.count(`reason="they wrote"`) != 1 {
			t.Errorf("log:\n%s", w.log.all.String())
		}
	})
}

func TestWhatNobodyCallsOffGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, said := notes(t, quick())
		w.put("shop", reminder("later", 5*time.Minute))
		w.start()
		defer w.stop()
		after(5*time.Minute + time.Second)
		said.Store("too late")
		after(time.Minute)
		w.wantState("later", "sent")
	})
}

func TestWhatIsCalledOffWhileItIsMarkedDoesNotLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, said := notes(t, quick())
		w.outbox.disk = time.Second
		w.put("shop", reminder("now", 0))
		w.start()
		defer w.stop()
		after(500 * time.Millisecond) // its mark is being written
		said.Store("they wrote")
		after(time.Minute)
		w.wantTasks("shop")
		if p := w.wantState("now", "cancelled"); p.Attempts != 0 {
			t.Errorf("%+v", p)
		}
	})
}

func TestWhatRanOutOfTimeAfterItWasCalledOffIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, said := notes(t, accountWith(func(a *Account) { a.GiveUp = time.Hour }))
		w.start()
		defer w.stop()
		w.egress.Hold("shop", "test", "held")
		w.put("shop", reminder("held", time.Minute))
		w.egress.Wake()
		said.Store("they wrote")
		after(2 * time.Hour)
		w.wantState("held", "cancelled")
	})
}

func TestACancellationThatIsNotStoredIsMadeUpForByTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, said := notes(t, quick())
		said.Store("they wrote")
		broken := true
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "settle" && broken {
				return store.ErrFailed
			}
			return nil
		}
		w.put("shop", reminder("now", 0))
		w.start()
		after(time.Second)
		if err := w.end(); !errors.Is(err, store.ErrFailed) {
			t.Fatalf("Run ended with %v", err)
		}
		w.wantState("now", "waiting")
		broken = false
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantTasks("shop")
		w.wantState("now", "cancelled")
	})
}

func TestWhatCannotBeAskedForIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, said := newWorld(t, shop(quick())), 0
		w.options.Recall = func(account, key string) (string, error) {
			if key != "stop" {
				return w.outbox.Recall(account, key)
			}
			said++
			return "", errors.New("unreadable")
		}
		w.put("shop", reminder("a", 0))
		w.say("shop", "push b other")
		w.start()
		defer w.stop()
		after(time.Minute)
		w.wantTasks("shop", "other")
		w.wantState("a", "waiting")
		if said == 0 || w.log.count("cannot be read") != 1 {
			t.Errorf("asked %d times, log:\n%s", said, w.log.all.String())
		}
	})
}
