package presence

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/channel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const offline = "hold/offline"

// platform answers whether an account is online, and counts the questions.
type platform struct {
	mu     sync.Mutex
	asked  []time.Duration
	began  time.Time
	online bool
	err    error
	during func() // what happens while the platform answers; nil: nothing
}

func (p *platform) Online(context.Context) (bool, string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, time.Since(p.began))
	if p.during != nil {
		p.during()
	}
	return p.online, "", p.err
}

func (p *platform) set(online bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.online, p.err = online, err
}

func (p *platform) times() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// notes is a store of notes.
type notes struct {
	mu  sync.Mutex
	all map[string]string
}

func (n *notes) Recall(account, key string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all[account+" "+key], nil
}

func (n *notes) Remember(_ context.Context, account string, notes []engine.Note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil {
		n.all = make(map[string]string)
	}
	for _, note := range notes {
		n.all[account+" "+note.Key] = note.Value
	}
	return nil
}

type world struct {
	*Keeper
	memory notes
	shop   platform
	mu     sync.Mutex
	held   map[string]string
	stop   func()
}

func newWorld(t *testing.T) *world {
	w := &world{held: make(map[string]string)}
	w.shop.began = time.Now()
	w.Keeper = New(Options{
		Offline: offline, Why: func(note string) string { return note }, Store: &w.memory,
		Hold: func(account, reason string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.held[account] = reason; reason == "" {
				delete(w.held, account)
			}
		},
		Accounts: func() map[string]channel.Prober { return map[string]channel.Prober{"shop": &w.shop, "mute": nil} },
	})
	return w
}

func (w *world) start(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	w.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// tell is an event that was committed.
func (w *world) tell(t *testing.T, account, why string) {
	if err := w.memory.Remember(t.Context(), account, []engine.Note{{Key: offline, Value: why}}); err != nil {
		t.Fatal(err)
	}
	w.Changed(account, why == "")
}

func (w *world) want(t *testing.T, held map[string]string) {
	t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !maps.Equal(w.held, held) {
		t.Errorf("held %v, want %v", w.held, held)
	}
}

func TestOfflineHoldsAndOnlineReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(t)
		defer w.stop()
		w.tell(t, "mute", "kicked")
		w.tell(t, "mute", "kicked again")
		w.want(t, map[string]string{"mute": "kicked again"})
		time.Sleep(2 * time.Hour) // nobody can be asked
		w.want(t, map[string]string{"mute": "kicked again"})
		w.tell(t, "mute", "")
		w.want(t, nil)
	})
}

func TestAnAccountIsAskedForUntilItIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(t)
		defer w.stop()
		w.shop.set(false, nil)
		w.tell(t, "shop", "kicked")
		time.Sleep(40 * time.Second)
		if got := w.shop.times(); len(got) != 2 || got[0] != 5*time.Second || got[1] != 35*time.Second {
			t.Errorf("asked at %v, want after 5 s and then every 30 s", got)
		}
		w.shop.set(true, errors.New("no answer")) // which says nothing
		time.Sleep(30 * time.Second)
		w.want(t, map[string]string{"shop": "kicked"})
		w.shop.set(true, nil)
		time.Sleep(30 * time.Second)
		w.want(t, nil)
		if note, _ := w.memory.Recall("shop", offline); note != "" {
			t.Errorf("still noted: %q", note)
		}
		asked := len(w.shop.times())
		time.Sleep(time.Hour)
		if n := len(w.shop.times()); n != asked {
			t.Errorf("asked %d times more about an account that is online", n-asked)
		}
	})
}

func TestALongOutageIsAskedForLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(t)
		defer w.stop()
		w.tell(t, "shop", "kicked")
		time.Sleep(time.Hour)
		before := len(w.shop.times())
		time.Sleep(time.Hour)
		if n := len(w.shop.times()) - before; n < 11 || n > 13 {
			t.Errorf("asked %d times in the second hour, want every 5 minutes", n)
		}
	})
}

func TestARestartKeepsTheHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		if err := w.memory.Remember(t.Context(), "shop", []engine.Note{{Key: offline, Value: "kicked"}}); err != nil {
			t.Fatal(err)
		}
		if err := w.Recover("shop"); err != nil {
			t.Fatal(err)
		}
		w.want(t, map[string]string{"shop": "kicked"})
		w.start(t)
		defer w.stop()
		w.shop.set(true, nil)
		time.Sleep(6 * time.Second)
		w.want(t, nil)
	})
}

// An account goes offline a second time while the platform answers about the
// first: the answer is of yesterday.
func TestAnAnswerThatIsOvertakenCountsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(t)
		defer w.stop()
		w.shop.set(true, nil)
		w.shop.during = sync.OnceFunc(func() { w.tell(t, "shop", "kicked again") })
		w.tell(t, "shop", "kicked")
		time.Sleep(6 * time.Second)
		w.want(t, map[string]string{"shop": "kicked again"})
		if note, _ := w.memory.Recall("shop", offline); note == "" {
			t.Error("a restart would let it go")
		}
		time.Sleep(30 * time.Second) // asked about the second time
		w.want(t, nil)
	})
}

func TestOneLineSaysThatAnAccountIsOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var log strings.Builder
		w.o.Log = slog.New(slog.NewTextHandler(&log, nil))
		for range 5 {
			w.tell(t, "shop", "kicked")
		}
		if n := strings.Count(log.String(), "account is offline"); n != 1 {
			t.Errorf("%d lines:\n%s", n, log.String())
		}
	})
}

func TestASuspectIsHeldUntilAskingClearsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start(t)
		defer w.stop()
		w.Suspect("shop", "not logged in")
		w.Suspect("mute", "not logged in") // of whom nobody can be asked
		w.want(t, map[string]string{"shop": "not logged in"})
		w.shop.set(true, nil)
		time.Sleep(6 * time.Second)
		w.want(t, nil)
	})
}
