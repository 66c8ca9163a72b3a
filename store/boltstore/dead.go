package boltstore

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bot/engine"
	"bot/store"
)

// letter is what is kept with the record of a dead event or command. In the
// file it stands before the record, as JSON with its length (4 bytes).
type letter struct {
	Event  bool        `json:"event,omitempty"`
	TaskID string      `json:"-"`
	Tries  []store.Try `json:"tries,omitempty"`
	Count  int         `json:"count,omitempty"`
	Skill  string      `json:"skill,omitempty"`
	Error  string      `json:"error,omitempty"`
	Time   time.Time   `json:"time"`
}

var errBrokenLetter = errors.New("letter is cut off")

func openLetter(v []byte) (l letter, rec []byte, err error) {
	if len(v) < 4 {
		return l, nil, errBrokenLetter
	}
	n := binary.BigEndian.Uint32(v)
	if uint64(n) > uint64(len(v)-4) {
		return l, nil, errBrokenLetter
	}
	err = json.Unmarshal(v[4:4+n], &l)
	return l, v[4+n:], err
}

// letter reads a dead letter.
func (t *txn) letter(id uint64) []byte { return getRow(t.Tx, bDead, be(id)) }

// bury puts a record among the dead letters.
func (t *txn) bury(l letter, rec []byte) error {
	l.Time = t.now
	js, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode letter: %w", err)
	}
	v := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(js)+len(rec)), uint32(len(js)))
	v = append(append(v, js...), rec...)
	id := t.next(bOutbox) // letters and commands share a counter, so that tasks needs no kinds
	t.putRow(bDead, be(id), v)
	if !l.Event {
		t.addTask(l.TaskID, id)
	}
	t.then(func() {
		t.s.letters.Add(1)
		if !l.Event {
			t.s.tasks.add(l.TaskID, id)
		}
	})
	return nil
}

// exhume takes a letter out.
func (t *txn) exhume(id uint64, l letter) {
	t.delRow(bDead, be(id))
	t.then(func() {
		t.s.letters.Add(-1)
		if !l.Event {
			t.s.tasks.remove(l.TaskID, id)
		}
	})
}

// Letters returns letters after id.
func (s *Store) Letters(after uint64, limit int) ([]store.Letter, error) {
	return page(s, "dead letters", plain(bDead), after, limit, readLetter)
}

// Letter returns one letter.
func (s *Store) Letter(id uint64) (store.Letter, error) {
	return one(s, "dead letter", plain(bDead), id, readLetter)
}

func readLetter(_ *snapshot, _, id uint64, v []byte) (store.Letter, error) {
	l, rec, err := openLetter(v)
	out := store.Letter{ID: id, Tries: l.Tries, Count: l.Count, Skill: l.Skill, Error: l.Error, Time: l.Time}
	if err == nil && l.Event {
		out.Event, err = store.DecodeEvent(rec)
	} else if err == nil {
		out.Command, err = store.DecodeCommand(rec)
	}
	if err != nil {
		return store.Letter{}, fmt.Errorf("%w: letter %d: %w", store.ErrDamaged, id, err)
	}
	return out, nil
}

// Replay puts a letter back. An event keeps its identity, receipt included. A
// command keeps its task id, but counts as created now and loses a deadline
// that has passed: it joins the tail of its conversation and has its time anew.
func (s *Store) Replay(ctx context.Context, id uint64, counts ...engine.Count) error {
	l, err := s.Letter(id)
	if err != nil {
		return wrap("replay letter", err)
	}
	if l.Event != nil {
		return wrap("replay letter", s.do(ctx, &act{grows: true, size: 256, run: s.replayEvent(id, l.Event)}))
	}
	n, err := toldOf(l.Command.Account, nil, counts)
	if err != nil {
		return wrap("replay letter", err)
	}
	return wrap("replay letter", s.do(ctx, &act{grows: true, size: 256 + n.size(), run: s.replayCommand(id, *l.Command, n)}))
}

func (s *Store) replayEvent(id uint64, e *engine.Event) func(*txn) error {
	return func(t *txn) error {
		v := t.letter(id)
		if v == nil {
			return store.ErrGone
		}
		l, rec, err := openLetter(v)
		if err != nil {
			return fmt.Errorf("%w: letter %d: %w", store.ErrDamaged, id, err)
		}
		rec = append([]byte(nil), rec...)
		t.exhume(id, l)
		t.log(e, rec)
		return nil
	}
}

func (s *Store) replayCommand(id uint64, c engine.Command, n *told) func(*txn) error {
	return func(t *txn) error {
		if t.letter(id) == nil {
			return store.ErrGone
		}
		o, err := prepareCommand(renewed(c, t.now))
		if err != nil {
			return err
		}
		t.exhume(id, letter{TaskID: c.TaskID})
		t.send(o)
		t.tell(n)
		return nil
	}
}

// Drop forgets a letter. The task id of a command is free again.
func (s *Store) Drop(ctx context.Context, id uint64) error {
	err := s.do(ctx, &act{size: 64, run: func(t *txn) error {
		v := t.letter(id)
		if v == nil {
			return store.ErrGone
		}
		l, rec, err := openLetter(v)
		if err == nil && !l.Event {
			l.TaskID, err = store.TaskIDIn(rec)
		}
		if err != nil {
			// What cannot be read can still be thrown away; its task id, if
			// it had one, is forgotten at the next start.
			s.log.Warn("dropped an unreadable letter", "letter", id, "error", err)
			l.Event = true
		}
		t.exhume(id, l)
		return nil
	}})
	return wrap("drop letter", err)
}
