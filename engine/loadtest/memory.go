package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"bot/engine"
	"bot/store"
)

var memory = scenario{
	name: "memory",
	says: "The heap of an engine that was just started, after a collection: what each id of the dedup window takes above an empty engine, " +
		"and each event that waits, each in a conversation of its own, above an engine with half as many (which fill the payload cache).",
	plan: func(ctx context.Context, b *bench) ([]group, []string, error) {
		known, waiting := b.Keys[len(b.Keys)-1], b.Backlog
		keys, events := group{name: "ids known"}, group{name: "events waiting"}
		var noKeys, halfEvents filled // of the same round
		for _, n := range []int{0, known} {
			if err := b.addHeap(ctx, &keys, &noKeys, n, 0, b.prefill); err != nil {
				return nil, nil, err
			}
		}
		for _, n := range []int{waiting / 2, waiting} {
			if err := b.addHeap(ctx, &events, &halfEvents, n, n, b.leaveWaiting); err != nil {
				return nil, nil, err
			}
		}
		return []group{keys, events}, nil, nil
	},
}

// filled is an engine's heap with n of what it was filled with.
type filled struct {
	n    int
	heap float64
}

// addHeap adds an engine on a store that is filled with n of something, of
// which so many wait, to be compared with the group's first, the base.
func (b *bench) addHeap(ctx context.Context, g *group, base *filled, n, waiting int, fill func(context.Context, string, int) error) error {
	path := filepath.Join(b.dir, fmt.Sprintf("memory-%d-%d.db", n, waiting))
	fmt.Fprintf(b.Progress, "memory: a store with %d %s is made\n", n, g.name)
	if err := fill(ctx, path, n); err != nil {
		return err
	}
	first := len(g.trials) == 0
	t := trial{name: fmt.Sprintf("%s, %d", engineName, n), engine: true}
	t.run = func(ctx context.Context) (Sample, error) {
		srv, err := b.engine(engineSetup{store: path, workers: 1})(ctx, "http://127.0.0.1:9")
		if err != nil {
			return Sample{}, err
		}
		defer srv.kill()
		heap, err := b.heap(ctx, srv, waiting)
		if err != nil {
			return Sample{}, errors.Join(err, srv.ended())
		}
		s := Sample{Resident: float64(srv.usage().resident) / (1 << 20)}
		if first {
			*base = filled{n, heap}
		} else {
			s.BytesEach = (heap - base.heap) / float64(n-base.n)
		}
		return s, srv.ended()
	}
	g.trials = append(g.trials, t)
	return nil
}

func (b *bench) heap(ctx context.Context, srv *server, waiting int) (float64, error) {
	for {
		body, err := get(ctx, "http://"+srv.admin+"/debug/pprof/heap?gc=1") // collects first
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, body)
		body.Close()
		if err != nil {
			return 0, err
		}
		s, err := scrape(ctx, srv.admin)
		if err != nil {
			return 0, err
		}
		if int(s["bot_mailboxes"]) >= waiting {
			return s["go_memstats_heap_inuse_bytes"], nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// leaveWaiting makes a store file with n events that nobody handles: their
// account is not in the engine's configuration.
func (b *bench) leaveWaiting(ctx context.Context, path string, n int) (err error) {
	st, err := b.OpenStore(ctx, path)
	if err != nil {
		return fmt.Errorf("fill a store: %w", err)
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	for first := 0; first < n && err == nil; first += waitBatch {
		err = wait(ctx, st, first, min(waitBatch, n-first))
	}
	return err
}

const waitBatch = 1024

func wait(ctx context.Context, st store.Inbox, first, n int) error {
	events := make([]*engine.Event, n)
	for i := range events {
		who := fmt.Sprintf("user-%08d", first+i)
		events[i] = &engine.Event{
			Account: "elsewhere", Kind: engine.Message, Type: "text", ID: who, Conversation: who, Sender: who,
			Raw: make([]byte, 600),
		}
	}
	if _, err := st.Append(ctx, events, dedupWindow); err != nil {
		return fmt.Errorf("fill a store: %w", err)
	}
	return nil
}
