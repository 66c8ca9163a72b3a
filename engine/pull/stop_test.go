package pull

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine/channel"
)

// stubborn is a Puller that goes on until it is told to stop.
type stubborn struct{ stopped atomic.Int64 }

func (s *stubborn) Pull(ctx context.Context, _, _, _ string) (channel.Page, error) {
	<-ctx.Done()
	s.stopped.Add(1)
	return channel.Page{}, &channel.SendError{Class: channel.Unsure}
}

func TestItEndsWhereverItIs(t *testing.T) {
	many := newNotebook("ring/1", "rung:", "ring/2", "rung:", "ring/3", "rung:", "ring/4", "rung:", "ring/5", "rung:", "ring/6", "rung:")
	for name, tt := range map[string]struct {
		notes  *notebook
		puller channel.Puller
	}{
		"with nothing to do": {newNotebook(), book(nil)},
		"at rest":            {newNotebook("cursor/kf", "c1"), book(nil)},
		"in a page":          {newNotebook("ring/kf", "rung:"), &stubborn{}},
		"waiting for a slot": {many, &stubborn{}},
		"in a wait": {newNotebook("ring/kf", "rung:"), failing(9, func(int) error {
			return failure(channel.Transient)
		})},
		"in a long wait": {newNotebook("ring/kf", "rung:"), failing(9, func(int) error {
			return failure(channel.Halted)
		})},
		"without a puller": {newNotebook("ring/kf", "rung:"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, tt.notes, book(nil))
				h.pullers[account] = tt.puller
				before := time.Now()
				h.run()
				time.Sleep(time.Second)
				if err := h.stop(); err != nil || time.Since(before) != time.Second {
					t.Errorf("after %v: %v", time.Since(before), err)
				}
				h.ring("late", "T") // which is for the next process
				if _, ok := h.store.notes["ring/late"]; !ok || len(tt.notes.acts) != 1 {
					t.Errorf("acts %v", tt.notes.acts)
				}
			})
		})
	}
}

func TestAPageTakesSoLongAndNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stubborn{}
		h := build(t, newNotebook("ring/kf", "rung:"), book(nil))
		h.pullers[account] = s
		h.run()
		time.Sleep(pageTime)
		synctest.Wait()
		if n := s.stopped.Load(); n != 1 {
			t.Errorf("stopped %d times", n)
		}
	})
}
