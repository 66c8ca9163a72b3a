package app_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/stub"
	"bot/store"
)

// sick is a store whose writer answers as a test wishes.
type sick struct {
	store.Store
	answer atomic.Pointer[func(ctx context.Context) error]
}

func (s *sick) Charge(ctx context.Context, seq uint64) (store.Tries, error) {
	if f := s.answer.Load(); f != nil {
		return store.Tries{}, (*f)(ctx)
	}
	return s.Store.Charge(ctx, seq)
}

func TestLifeIsAWriterThatAnswers(t *testing.T) {
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	r.configure(shop + echo)
	st := &sick{}
	started, ended := make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	plan, err := app.Prepare(r.load, r.build, channel.NewClient())
	if err != nil {
		t.Fatal(err)
	}
	o := r.options(plan)
	o.OpenStore = func(ctx context.Context, so app.StoreOptions) (store.Store, error) {
		inner, err := openStore(ctx, so)
		st.Store = inner
		return st, err
	}
	o.Started = func(app.Addrs) { close(started) }
	engine := app.New(o)
	if err := engine.Alive(t.Context()); err == nil {
		t.Error("alive before the start")
	}
	go func() { ended <- engine.Run(ctx) }()
	<-started

	for _, c := range []struct {
		name   string
		answer func(ctx context.Context) error // nil: the real store's
		want   string                          // of the error; "" = alive
	}{
		{"a writer that works", nil, ""},
		{"a full disk is no lack of life", func(context.Context) error { return store.ErrFull }, ""},
		{"a store that failed", func(context.Context) error { return store.ErrFailed }, "store failed"},
		{"a writer that is stuck", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "deadline"},
	} {
		st.answer.Store(nil)
		if c.answer != nil {
			st.answer.Store(&c.answer)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if c.answer == nil {
			ctx = t.Context()
		}
		err := engine.Alive(ctx)
		cancel()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	st.answer.Store(nil)
	before, _ := st.Stats()
	for range 10 {
		if err := engine.Alive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := st.Stats(); after.Commits > before.Commits+2 {
		t.Errorf("being asked costs the disk: %d commits, then %d", before.Commits, after.Commits)
	}

	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := engine.Alive(t.Context()); err == nil {
		t.Error("alive after the stop")
	}
}
