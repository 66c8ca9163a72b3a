package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/store"
)

var keys = scenario{
	name: "keys",
	says: "Answers per second with many ids in the dedup window: each engine starts on a store that has seen as many events. Otherwise as in acks.",
	plan: func(ctx context.Context, b *bench) ([]group, []string, error) {
		g := group{name: fmt.Sprintf("%d connections", Middle), trials: []trial{
			b.trial(bareName, b.closed(b.bare, Middle, 0)),
		}}
		for i, n := range b.Keys {
			path := filepath.Join(b.dir, fmt.Sprintf("keys-%d.db", i))
			fmt.Fprintf(b.Progress, "keys: a store that has seen %d events is made\n", n)
			if err := b.prefill(ctx, path, n); err != nil {
				return nil, nil, err
			}
			t := b.engineTrial(keysName(n), b.closed(b.engine(engineSetup{workers: 1, store: path}), Middle, 0))
			if i > 0 {
				t.against = []string{keysName(b.Keys[0])}
			}
			g.trials = append(g.trials, t)
		}
		return []group{g}, nil, nil
	},
}

func keysName(n int) string { return fmt.Sprintf("%s, %d ids known", engineName, n) }

// How the store is filled: many events at a time, since each group of acts
// costs a sync.
const (
	fillers   = 32
	fillBatch = 64
)

// prefill makes a store file that has taken in and handled n events.
func (b *bench) prefill(ctx context.Context, path string, n int) (err error) {
	st, err := b.OpenStore(ctx, path)
	if err != nil {
		return fmt.Errorf("fill a store: %w", err)
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var next atomic.Int64
	var filling sync.WaitGroup
	errs := make([]error, fillers)
	for i := range errs {
		filling.Go(func() {
			for errs[i] == nil {
				first := int(next.Add(fillBatch)) - fillBatch
				if first >= n {
					return
				}
				errs[i] = fill(ctx, st, first, min(fillBatch, n-first))
			}
		})
	}
	filling.Wait()
	return errors.Join(errs...)
}

// fill takes in n events and settles them without any effect.
func fill(ctx context.Context, st store.Store, first, n int) error {
	events := make([]*engine.Event, n)
	for i := range events {
		events[i] = &engine.Event{
			Account: "load", Kind: engine.Message, Type: "text",
			ID:           fmt.Sprintf("known-%d", first+i), // never one that the generator sends
			Conversation: "known", Sender: "known",
		}
	}
	done, err := st.Append(ctx, events, dedupWindow)
	if err != nil {
		return fmt.Errorf("fill a store: %w", err)
	}
	var settling sync.WaitGroup
	errs := make([]error, n)
	for i, e := range events {
		settling.Go(func() { errs[i] = st.Commit(ctx, store.Commit{Seq: done.Seqs[i], Owner: e.Ref()}) })
	}
	settling.Wait()
	return errors.Join(errs...)
}

// dedupWindow is the engine's default.
const dedupWindow = 72 * time.Hour

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return out.Sync() // so that its pages are not written back during the measurement
}
