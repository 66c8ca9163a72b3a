package egress

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
)

// heard is what a platform was told, in order.
type heard struct {
	mu    sync.Mutex
	texts []string
}

func (h *heard) note(c *engine.Command) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts = append(h.texts, c.Text)
	return 0
}

func (h *heard) want(t *testing.T, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.texts, want) {
		t.Errorf("the platform heard %q, want %q", h.texts, want)
	}
}

// vetting is a world in which "bad" is covered, "awful" refused, and "odd" told
// of; with lax, nothing is.
func vetting(t *testing.T, a Account) (w *world, lax *atomic.Bool, h *heard) {
	w, lax, h = newWorld(t, shop(a)), new(atomic.Bool), new(heard)
	w.platforms["shop"].latency = h.note
	w.options.Vet = func(c *engine.Command) Vetted {
		v := Vetted{Command: c}
		switch {
		case lax.Load():
		case strings.Contains(c.Text, "awful"):
			v.Refused, v.Found, v.Actions = "words: 1 refused (w.txt:1)", "1 refused (w.txt:1)", []string{"refuse"}
		case strings.Contains(c.Text, "bad"):
			said := *c
			said.Text = strings.ReplaceAll(c.Text, "bad", "***")
			v.Command, v.Found, v.Actions = &said, "1 replaced (w.txt:2)", []string{"replace"}
		case strings.Contains(c.Text, "odd"):
			v.Found, v.Actions, v.Alert = "1 alerted (w.txt:3)", []string{"alert"}, true
		}
		return v
	}
	return w, lax, h
}

func (w *world) tell(task, text string) {
	w.put("shop", engine.Command{TaskID: task, Conversation: "c-" + task, Text: text})
	if w.egress != nil {
		w.egress.Wake()
	}
}

func TestThePlatformGetsOtherWordsAndTheOutboxKeepsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, h := vetting(t, quick())
		var told []string
		w.options.Sending = func(c *engine.Command) { told = append(told, c.Text) }
		w.tell("1", "a bad word")
		w.start()
		defer w.stop()
		after(0)
		w.wantState("1", "sent")
		h.want(t, "a *** word")
		if got := w.outbox.rows[0].Command.Text; got != "a bad word" {
			t.Errorf("the outbox holds %q", got)
		}
		if !slices.Equal(told, []string{"a *** word"}) {
			t.Errorf("%q is told to be sent: its echo would count as typed by a person", told)
		}
		if w.log.count(`level=INFO msg="words found"`) != 1 || w.log.count(`words="1 replaced (w.txt:2)"`) != 1 {
			t.Errorf("log:\n%s", w.log.all.String())
		}
		if n := w.total("bot_words_total", "shop", "replace"); n != 1 {
			t.Errorf("counted %v times", n)
		}
	})
}

func TestWhatIsRefusedIsDeadWithoutAnAttemptOrAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, h := vetting(t, accountWith(func(a *Account) { a.Limits.Rate = perMinute(1); a.Limits.Burst = 1 }))
		w.tell("1", "awful")
		w.tell("2", "awful too")
		w.tell("3", "fine")
		w.start()
		defer w.stop()
		after(0)
		h.want(t, "fine")
		for _, task := range []string{"1", "2"} {
			if p := w.wantState(task, "dead"); p.Attempts != 0 || len(p.Tries) != 0 || p.Reason != "words: 1 refused (w.txt:1)" {
				t.Errorf("%s: %+v", task, p)
			}
		}
		if w.outbox.marks != 1 {
			t.Errorf("%d marks", w.outbox.marks)
		}
		if w.total("bot_words_total", "shop", "refuse") != 2 || w.total("bot_dead_letters_total", "shop") != 2 {
			t.Error("not counted twice")
		}
		if w.log.count(`msg="command dead"`) != 2 || w.log.count(`msg="words found"`) != 0 {
			t.Errorf("log:\n%s", w.log.all.String())
		}
	})
}

func TestAnAlertIsSentAndIsOneWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, h := vetting(t, quick())
		fail := true
		w.platforms["shop"].answer = func(*engine.Command) error {
			if fail {
				fail = false
				return fails("transient")
			}
			return nil
		}
		w.tell("1", "odd")
		w.start()
		defer w.stop()
		after(time.Minute)
		h.want(t, "odd", "odd")
		if w.log.count(`level=WARN msg="words found"`) != 1 || w.total("bot_words_total", "shop", "alert") != 1 {
			t.Errorf("two attempts count %v times\n%s", w.total("bot_words_total"), w.log.all.String())
		}
	})
}

func TestARetryGoesByTheWordsThatHoldThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, lax, h := vetting(t, accountWith(func(a *Account) { a.Attempts = 3 }))
		w.platforms["shop"].answer = func(*engine.Command) error { return fails("transient") }
		w.tell("1", "a bad word")
		lax.Store(true)
		w.tell("2", "awful")
		w.start()
		defer w.stop()
		after(0)
		lax.Store(false)
		after(time.Minute)
		h.mu.Lock()
		slices.Sort(h.texts)
		h.mu.Unlock()
		h.want(t, "a *** word", "a *** word", "a bad word", "awful")
		p := w.wantState("2", "dead")
		if p.Attempts != 1 || !strings.HasPrefix(p.Reason, "words: 1 refused (w.txt:1); before that: transient") {
			t.Errorf("%+v", p)
		}
	})
}

func TestWordsThatComeWhileItIsMarkedHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, lax, h := vetting(t, quick())
		w.outbox.disk = time.Second
		lax.Store(true)
		w.tell("1", "awful")
		w.tell("2", "a bad word")
		w.start()
		defer w.stop()
		after(1500 * time.Millisecond) // the marks are being written
		lax.Store(false)
		after(time.Minute)
		h.want(t, "a *** word")
		if p := w.wantState("1", "dead"); p.Attempts != 0 || p.Reason != "words: 1 refused (w.txt:1)" {
			t.Errorf("%+v", p)
		}
		w.wantState("2", "sent")
	})
}
