package broadcast

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

var (
	crashRecipients = flag.Int("broadcast.recipients", 2000, "recipients of the broadcast that is killed")
	crashKills      = flag.Int("broadcast.kills", 100, "how often it is killed")
)

// mortal is a store as a process sees it that dies at its n-th act: just before the
// act, or with lost just after it, before it learns of that.
type mortal struct {
	Store
	left atomic.Int64
	lost bool
}

func (m *mortal) act(do func() error) error {
	switch left := m.left.Add(-1); {
	case left > 0:
		return do()
	case left == 0 && m.lost:
		do()
	}
	return fmt.Errorf("killed: %w", store.ErrFailed)
}

func (m *mortal) SubmitPage(ctx context.Context, cmds []engine.Command, window time.Duration, account string, notes []engine.Note) (duplicate []bool, err error) {
	err = m.act(func() (err error) {
		duplicate, err = m.Store.SubmitPage(ctx, cmds, window, account, notes)
		return err
	})
	return duplicate, err
}

func (m *mortal) Remember(ctx context.Context, account string, notes []engine.Note) error {
	return m.act(func() error { return m.Store.Remember(ctx, account, notes) })
}

func (m *mortal) Cancel(ctx context.Context, taskID string) error {
	return m.act(func() error { return m.Store.Cancel(ctx, taskID) })
}

// longUsers are so long that few of them go into a chunk.
func longUsers(n int) List {
	all := users(n)
	for i := range all {
		all[i] += strings.Repeat("x", 480)
	}
	return all
}

// life is one process: it makes the broadcast of an event, unless that is made, and
// releases for as long. It tells whether the broadcast is done.
func (r *rig) life(act int64, lost bool, n int, long time.Duration) (made, done bool) {
	m := &mortal{lost: lost}
	m.left.Store(act)
	r.wrap = func(s Store) Store { m.Store = s; return m }
	r.Manager = New(r.options())
	if err := r.Recover(context.Background()); err != nil {
		if !errors.Is(err, store.ErrFailed) {
			r.t.Fatal(err)
		}
		return false, false
	}
	r.run()
	defer func() {
		if err := r.stop(); err != nil && !errors.Is(err, store.ErrFailed) {
			r.t.Error(err)
		}
	}()
	q := Request{Account: "shop", Text: "hello", Audience: longUsers(n), Rate: perSecond(100), Start: true, Event: "due-1", At: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
	s, err := r.Make(context.Background(), q)
	if err != nil {
		if !errors.Is(err, store.ErrFailed) {
			r.t.Error(err)
		}
		return false, false
	}
	pass(long)
	if s, err = r.Status(s.ID); err != nil {
		r.t.Error(err)
	}
	return true, s.State == Done
}

func (r *rig) everybodyOnceOf(all List) {
	r.t.Helper()
	times := make(map[string]int)
	for _, user := range r.reached() {
		times[user]++
	}
	for _, user := range all {
		if times[user] != 1 {
			r.t.Fatalf("%.12s was reached %d times", user, times[user])
		}
	}
	if len(times) != len(all) {
		r.t.Fatalf("%d were reached, want %d", len(times), len(all))
	}
}

func TestWhereverTheProcessDiesEverybodyIsReachedOnce(t *testing.T) {
	const n = 120
	for _, lost := range []bool{false, true} {
		acts := int64(0)
		for more := true; more; {
			acts++
			in(t, func(t *testing.T, r *rig) {
				_, done := r.life(acts, lost, n, time.Minute)
				more = !done
				for lives := 0; !done; lives++ {
					if lives == 3 {
						t.Fatalf("killed at act %d: it does not end", acts)
					}
					_, done = r.life(1<<40, false, n, time.Minute)
				}
				r.everybodyOnceOf(longUsers(n))
				all, err := r.List()
				if err != nil || len(all) != 1 || all[0].Sent != n || all[0].Recipients != n {
					t.Errorf("killed at act %d: stands at %+v, %v", acts, all, err)
				}
				if left := r.notes(chunkKey); len(left) > 0 {
					t.Errorf("killed at act %d: left %q", acts, left)
				}
			})
		}
		if acts < 12 {
			t.Errorf("only %d acts", acts)
		}
	}
}

func TestABroadcastThatIsKilledAHundredTimesReachesEverybodyOnce(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		chance := rand.New(rand.NewPCG(7, 1))
		n := *crashRecipients
		perLife := int64(n / 100 / 8) // of the rate: acts in which the broadcast comes to its end in as many lives
		done := false
		for kills := range *crashKills {
			act := 1 + chance.Int64N(max(perLife, 4))
			if kills == 0 {
				act = 1 << 40
			}
			if _, done = r.life(act, chance.IntN(2) == 0, n, time.Second); done {
				t.Logf("done after %d kills", kills)
				break
			}
		}
		for !done {
			_, done = r.life(1<<40, false, n, time.Minute)
		}
		r.everybodyOnceOf(longUsers(n))
	})
}

func TestWhatIsHalfPreparedIsNeverSent(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		m := &mortal{}
		m.left.Store(3)
		r.wrap = func(s Store) Store { m.Store = s; return m }
		r.begin()
		_, err := r.Make(t.Context(), Request{Account: "shop", Text: "x", Audience: longUsers(3000), Start: true})
		if !errors.Is(err, store.ErrFailed) {
			t.Fatalf("made: %v", err)
		}
		r.end()
		if len(r.notes(chunkKey)) == 0 {
			t.Fatal("nothing is left, so this shows nothing")
		}
		r.wrap = func(s Store) Store { return s }
		r.begin()
		pass(time.Hour)
		r.end()
		all, err := r.List()
		if err != nil || len(all) != 1 || all[0].State != Failed || !strings.Contains(all[0].Reason, "nothing was sent") {
			t.Errorf("stands at %+v, %v", all, err)
		}
		if left := r.notes(chunkKey); len(left) > 0 || len(r.reached()) > 0 {
			t.Errorf("left %q, reached %d", left, len(r.reached()))
		}
	})
}
