package presence

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
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
}

func (p *platform) Online(context.Context) (bool, string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, time.Since(p.began))
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

type world struct {
	*Keeper
	memory channeltest.Memory
	shop   platform
	mu     sync.Mutex
	held   map[string]string
	stop   func()
}

func newWorld(t *testing.T) *world {
	w := &world{held: make(map[string]string)}
	w.shop.began = time.Now()
	w.Keeper = New(Options{
		Offline: offline, Memory: &w.memory,
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
	if err := w.memory.Remember(t.Context(), account, engine.Note{Key: offline, Value: why}); err != nil {
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
		if note := w.memory.Recall("shop", offline); note != "" {
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
		if err := w.memory.Remember(t.Context(), "shop", engine.Note{Key: offline, Value: "kicked"}); err != nil {
			t.Fatal(err)
		}
		w.Recover()
		w.want(t, map[string]string{"shop": "kicked"})
		w.start(t)
		defer w.stop()
		w.shop.set(true, nil)
		time.Sleep(6 * time.Second)
		w.want(t, nil)
	})
}
