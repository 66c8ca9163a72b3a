package pull

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"bot/engine"
)

// What the store keeps of a source. The ring is there until it is answered; a
// mark stands before its token, which may be empty, and an empty note is none.
// The cursor is kept for good, and whoever has one is known.
const (
	ringNote   = "ring/"
	ringMark   = "rung:"
	cursorNote = "cursor/"
)

// source is one place that is fetched from.
type source struct {
	place
	known    bool
	attended bool          // under the Porter's mu
	bell     chan struct{} // somebody rang
	changed  chan struct{} // the configuration did

	// onDisk orders the ring on disk like the rings here: those who ring write
	// it side by side, whoever takes it away does so alone.
	onDisk sync.RWMutex

	mu              sync.Mutex
	rings, answered uint64 // counted; it is to be fetched while they differ
	token           string // of the last ring

	trouble // the attending goroutine's
}

func newSource(where place, known bool) *source {
	return &source{place: where, known: known, bell: make(chan struct{}, 1), changed: make(chan struct{}, 1)}
}

// rung notes a ring on disk, by write, and then here. If that fails the ring is
// answered all the same, since it may have come to be on disk.
func (s *source) rung(token string, write func(engine.Note) error) error {
	s.onDisk.RLock()
	defer s.onDisk.RUnlock()
	err := write(engine.Note{Key: ringNote + s.source, Value: ringMark + token})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard(token)
	return err
}

// left notes a ring that the last process left on disk, unless that of this one
// has taken its place.
func (s *source) left(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rings == 0 {
		s.heard(token)
	}
}

func (s *source) heard(token string) {
	s.rings++
	s.token = token
	signal(s.bell)
}

// ring is the number of the last one, and its token while it is not answered.
func (s *source) ring() (number uint64, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rings == s.answered {
		return s.rings, ""
	}
	return s.rings, s.token
}

// waits tells whether there is a ring to be answered.
func (s *source) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rings != s.answered
}

func (s *source) settle(number uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered = number
}

// rest waits for a ring or for the next look.
func (s *source) rest(ctx context.Context, every time.Duration) {
	look := time.NewTimer(every)
	defer look.Stop()
	for !s.waits() {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			return
		case <-s.bell:
		}
	}
}

// listed is how many notes are read at a time.
const listed = 100

// findSources reads the notes of accounts that it has not read: what was rung
// for and not answered when the last process ended, and what is known besides.
func (p *Porter) findSources() error {
	for _, account := range slices.Sorted(maps.Keys(p.o.Pullers())) {
		if p.found[account] {
			continue
		}
		p.found[account] = true
		err := p.eachNote(account, cursorNote, func(name, _ string) { p.at(place{account, name}, true) })
		if err == nil {
			err = p.eachNote(account, ringNote, func(name, value string) {
				p.at(place{account, name}, true).left(strings.TrimPrefix(value, ringMark))
			})
		}
		switch {
		case over(err):
			return fmt.Errorf("find sources of account %s: %w", account, err)
		case err != nil:
			p.o.Log.Error("not all sources could be found; what is rung for is fetched", "account", account, "error", err)
		}
	}
	return nil
}

// eachNote calls f with each note under the prefix, which its name is without.
func (p *Porter) eachNote(account, prefix string, f func(name, value string)) error {
	for after := ""; ; {
		notes, err := p.o.Store.Recollect(account, prefix, after, listed)
		if err != nil || len(notes) == 0 {
			return err
		}
		for _, n := range notes {
			if name := strings.TrimPrefix(n.Key, prefix); possible(name) {
				f(name, n.Value)
			}
		}
		after = notes[len(notes)-1].Key
	}
}
