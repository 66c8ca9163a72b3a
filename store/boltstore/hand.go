package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
)

// hand notes which events are being handled, in a file of 8-byte slots that is
// written and never synced: what the kernel holds survives the death of the
// process, and a power cut is no event's fault. An event that left the log is
// no suspect whatever the file says, so its slot is not written again until
// another one takes it.
type hand struct {
	mu    sync.Mutex
	f     *os.File
	free  []int
	held  map[uint64]int // slots by events that are still in the log
	slots int
	log   *slog.Logger
	mute  bool // the warning was given
	gone  bool
}

func handPath(store string) string { return store + ".hand" }

// openHand returns the events that were in hand, in order, and empties the file.
func openHand(path string, log *slog.Logger) (*hand, []uint64, error) {
	old, err := os.ReadFile(handPath(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read events in hand: %w", err)
	}
	var seqs []uint64
	for ; len(old) >= 8; old = old[8:] {
		if seq := unbe(old); seq != 0 {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	f, err := os.OpenFile(handPath(path), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("note events in hand: %w", err)
	}
	return &hand{f: f, log: log, held: make(map[uint64]int)}, slices.Compact(seqs), nil
}

func (h *hand) begin(seq uint64) (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.free); n == 0 {
		h.free = append(h.free, h.slots)
		h.slots++
	}
	last := len(h.free) - 1
	slot := h.free[last]
	h.free = h.free[:last]
	h.write(slot, seq)
	h.held[seq] = slot
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if at, still := h.held[seq]; still && at == slot {
			h.write(slot, 0)
			delete(h.held, seq)
		}
		h.free = append(h.free, slot)
	})
}

// settled is told that an event left the log.
func (h *hand) settled(seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, seq)
}

// write failing costs the protection from events that kill the process, not
// the handling of events.
func (h *hand) write(slot int, seq uint64) {
	if h.gone {
		return
	}
	if _, err := h.f.WriteAt(be(seq), int64(slot)*8); err != nil && !h.mute {
		h.mute = true
		h.log.Warn("cannot note which events are in hand", "error", err)
	}
}

// remove ends the notes: a process that ends in order leaves none.
func (h *hand) remove() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return
	}
	h.gone = true
	if err := errors.Join(h.f.Close(), os.Remove(h.f.Name())); err != nil {
		h.log.Warn("notes of events in hand stay", "error", err)
	}
}
