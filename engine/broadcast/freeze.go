package broadcast

import (
	"context"
	"fmt"
	"hash/maphash"
	"runtime"
	"time"

	"bot/engine"
)

// freeze writes the audience down. Its first act says that it is under way, its
// last that it is complete: what a crash leaves in between is never sent.
func (m *Manager) freeze(ctx context.Context, e *entry, r *Request) (err error) {
	e.acting.Lock()
	defer e.acting.Unlock()
	e.b.State = Preparing
	note, err := e.b.note()
	if err != nil {
		return err
	}
	if err := m.o.Store.Remember(ctx, owner, []engine.Note{note}); err != nil {
		return fmt.Errorf("remember broadcast: %w", err)
	}
	m.mu.Lock()
	m.entries[e.b.ID] = e
	m.mu.Unlock()
	defer func() {
		if err != nil {
			m.abandon(e)
		}
	}()
	w := &writer{m: m, id: e.b.ID, seed: maphash.MakeSeed(), seen: make(map[uint64]struct{})}
	if err := r.Audience.Each(ctx, func(id string) error { return w.add(ctx, id) }); err != nil {
		return err
	}
	if w.count == 0 {
		return Problems{{"to", "the audience is nobody"}}
	}
	w.cut()
	if w.seen = nil; w.count >= collectEvery {
		runtime.GC()
	}
	b := e.b
	b.Recipients, b.Duplicates, b.State = w.count, w.duplicates, Ready
	if r.Start {
		b.State, b.Started = Running, m.o.Store.Now()
	}
	if note, err = b.note(); err != nil {
		return err
	}
	if err := m.o.Store.Remember(context.WithoutCancel(ctx), owner, append(w.notes, note)); err != nil {
		return fmt.Errorf("remember broadcast: %w", err)
	}
	m.mu.Lock()
	e.b = b
	m.mu.Unlock()
	m.o.Log.Info("broadcast "+string(b.State), "broadcast", b.ID, "name", b.Name, "account", b.Account, "recipients", b.Recipients, "rate", b.Rate.String())
	m.wake()
	return nil
}

// abandonWithin bounds how long what was half made is taken out.
const abandonWithin = 30 * time.Second

// abandon takes out what was half made. Should that fail the next start does it.
// acting is held.
func (m *Manager) abandon(e *entry) {
	ctx, cancel := context.WithTimeout(context.Background(), abandonWithin)
	defer cancel()
	err := m.forget(ctx, &e.b)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.o.Log.Warn("a broadcast that came to nothing is swept at the next start", "broadcast", e.b.ID, "error", err)
		e.b.State, e.b.Reason, e.b.Ended = Failed, "its audience was not written down", m.o.Store.Now()
		return
	}
	delete(m.entries, e.b.ID)
}

// writer puts recipients into chunks. Who was named before is known by 64 bits of
// a hash: of a million different ids one is taken for another, and left out, once in
// forty million broadcasts.
type writer struct {
	m          *Manager
	id         string
	seed       maphash.Seed
	seen       map[uint64]struct{}
	chunk      []byte
	chunks     int
	notes      []engine.Note // chunks that are not written yet
	count      int
	duplicates int
}

// collectEvery is after how many recipients what they left behind is collected. The
// collector by itself lets the heap of a small engine grow to five times what lives
// in it, which is cheap until some tens of MiB live there for a few seconds.
const collectEvery = 100_000

// pendingChunks are how many chunks go into one act.
const pendingChunks = 8

func (w *writer) add(ctx context.Context, id string) error {
	h := maphash.String(w.seed, id)
	if _, known := w.seen[h]; known {
		w.duplicates++
		return nil
	}
	if w.count == w.m.o.MaxRecipients {
		return Problems{{"to", fmt.Sprintf("one broadcast reaches at most %d recipients (make several)", w.count)}}
	}
	w.seen[h] = struct{}{}
	if w.count++; w.count%collectEvery == 0 {
		runtime.GC()
	}
	if len(w.chunk)+len(id)+1 > maxChunk {
		w.cut()
	}
	w.chunk = append(append(w.chunk, id...), '\n')
	if len(w.notes) < pendingChunks {
		return nil
	}
	if err := w.m.o.Store.Remember(ctx, owner, w.notes); err != nil {
		return fmt.Errorf("write recipients down: %w", err)
	}
	w.notes = w.notes[:0]
	return nil
}

// cut ends a chunk.
func (w *writer) cut() {
	if len(w.chunk) == 0 {
		return
	}
	w.notes = append(w.notes, engine.Note{Key: chunkName(w.id, w.chunks), Value: string(w.chunk)})
	w.chunks, w.chunk = w.chunks+1, w.chunk[:0]
}
