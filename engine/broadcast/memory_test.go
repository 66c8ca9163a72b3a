package broadcast

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/store/boltstore"
)

var memoryRecipients = flag.Int("broadcast.memory", 1_000_000, "recipients of the broadcast whose memory is measured")

// allowed is what a million recipients may take above the idle figure.
const allowed = 64 << 20

// generated is an audience that is in no memory.
type generated int

func (g generated) Each(_ context.Context, yield func(string) error) error {
	for i := range int(g) {
		if err := yield(user(i)); err != nil {
			return err
		}
	}
	return nil
}

// heap is what lives on the heap, and what is dead and not collected yet.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// peak watches the heap until it is asked for the highest value.
func peak() (highest func() uint64) {
	var top atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			top.Store(max(top.Load(), heap()))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); <-done; return top.Load() }
}

func TestAMillionRecipientsTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a million recipients take half a minute")
	}
	st, err := boltstore.Open(t.Context(), boltstore.Options{
		Path: filepath.Join(t.TempDir(), "bot.db"), Window: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	n := *memoryRecipients
	m := New(Options{
		Store: st, Template: template, Window: func() time.Duration { return time.Minute },
		Account: func(string) (Account, bool) { return Account{}, true },
	})
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as main has it
	runtime.GC()
	idle := heap()
	watch := peak()
	began := time.Now()
	s, err := m.Make(t.Context(), Request{Account: "shop", Text: "{{.User}}", Audience: generated(n), Rate: perSecond(1e9)})
	if err != nil {
		t.Fatal(err)
	}
	freezing := watch()
	t.Logf("%d recipients written down in %v", s.Recipients, time.Since(began).Round(time.Millisecond))

	watch = peak()
	began = time.Now()
	released := releaseAll(t, m, st, s.ID, n)
	releasing := watch()
	t.Logf("%d of them released in %v", released, time.Since(began).Round(time.Millisecond))
	for what, top := range map[string]uint64{"freezing": freezing, "releasing": releasing} {
		above := int64(top) - int64(idle)
		t.Logf("%s: %.1f MiB above the idle %.1f MiB", what, float64(above)/(1<<20), float64(idle)/(1<<20))
		if above > allowed {
			t.Errorf("%s takes more than %d MiB", what, allowed>>20)
		}
	}
}

// releaseAll goes through the whole audience by the steps of Run, as fast as they
// go. To spare the disk a million commands, nearly all recipients are blocked: who
// is skipped takes the same way through memory but for the outbox, of which a
// broadcast never holds more than its room.
func releaseAll(t *testing.T, m *Manager, st *boltstore.Store, id string, n int) int {
	i := 0
	m.o.Unwanted = func(*engine.Command, string) string {
		if i++; i%50 == 0 {
			return ""
		}
		return "blocked"
	}
	if _, err := m.Start(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	e := m.entry(id)
	now := time.Now()
	for e.at.Passed < n {
		now = now.Add(tick)
		if _, err := m.step(t.Context(), e, now); err != nil {
			t.Fatal(err)
		}
		rows, err := st.Deliveries(0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{Manager: m, st: st, t: t}
		done := make(chan struct{}, len(rows))
		for _, d := range rows {
			go func() { r.settle(d, "sent"); done <- struct{}{} }()
		}
		for range rows {
			<-done
		}
	}
	s, err := m.Status(id)
	if err != nil || s.Released != n/50 || s.Sent != s.Released {
		t.Error(fmt.Sprintf("stands at %+v", s), err)
	}
	return s.Released
}
