package boltstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"bot/engine"
	"bot/store"
)

// A state's value is version (8) | expiry (8, 0 for none) | flags (1) | JSON:
// what acts need to know of a state they replace is read without its JSON.
const (
	stateExpiryAt = 8
	stateFlagsAt  = 16
	stateJSONAt   = 17

	flagNotify = 1
)

var errBrokenState = errors.New("state record is too short")

// State returns a copy of a state.
func (s *Store) State(k engine.StateKey) (engine.State, error) {
	key, err := stateKey(k)
	if err != nil {
		return engine.State{}, wrap("read state", err)
	}
	cacheKey := stateCacheKey(key)
	if st, known := s.cache.state(cacheKey); known {
		return st.Clone(), nil
	}
	var st engine.State
	size := 0
	round := s.cache.round()
	err = s.view(func(tx *snapshot) error {
		v := tx.get(tState, key)
		if v == nil {
			return nil
		}
		if len(v) < stateJSONAt {
			return fmt.Errorf("%w: %w", store.ErrDamaged, errBrokenState)
		}
		if err := json.Unmarshal(v[stateJSONAt:], &st); err != nil {
			return fmt.Errorf("%w: %w", store.ErrDamaged, err)
		}
		st.Version, size = unbe(v), len(v)
		return nil
	})
	if err != nil {
		return engine.State{}, wrap("read state", err)
	}
	s.cache.fill(round, cacheKey, st.Clone(), len(key)+size)
	return st, nil
}

// expiryOf is the time in a state's value at which it expires, nil for none.
func expiryOf(v []byte) []byte {
	if len(v) < stateJSONAt || unbe(v[stateExpiryAt:]) == 0 {
		return nil
	}
	return v[stateExpiryAt:stateFlagsAt]
}

// stateWrite is a store.StateWrite ready to be written but for its version.
type stateWrite struct {
	key   []byte
	read  uint64
	rest  []byte // what follows the version; nil removes the state
	state engine.State
}

func prepareState(w store.StateWrite) (stateWrite, error) {
	key, err := stateKey(w.Key)
	out := stateWrite{key: key, read: w.Read, state: w.State.Clone()}
	if err != nil || !w.State.Exists() {
		return out, err
	}
	js, err := json.Marshal(w.State)
	if err != nil {
		return out, fmt.Errorf("encode state: %w", err)
	}
	expiry, flags := be(0), byte(0)
	if !w.State.Expires.IsZero() {
		expiry = beTime(w.State.Expires)
	}
	if w.State.Notify {
		flags = flagNotify
	}
	out.rest = append(append(append([]byte(nil), expiry...), flags), js...)
	return out, nil
}

// commit is a store.Commit ready to be written.
type commit struct {
	seq      uint64
	owner    string
	states   []stateWrite
	once     []onceWrite
	commands []outgoing
	mark     *history      // of the first command; nil: none leaves at once
	contact  *contactWrite // nil: stays as it is
	notes    []noteWrite
	counts   []countWrite
	raised   []raisedEvent
	size     int
}

// raisedEvent is an event ready to be logged but for its time.
type raisedEvent struct {
	event *engine.Event
	rec   []byte
}

// Commit ends the handling of an event with all its effects.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	ready := commit{seq: c.Seq, owner: c.Owner, size: 256}
	for _, w := range c.States {
		sw, err := prepareState(w)
		if err != nil {
			return wrap("commit", err)
		}
		ready.states = append(ready.states, sw)
		ready.size += 2*len(sw.key) + len(sw.rest)
	}
	for _, o := range c.Once {
		ready.once = append(ready.once, prepareOnce(o, c.Owner))
		ready.size += 128
	}
	for i := range c.Commands {
		o, err := prepareCommand(&c.Commands[i])
		if err != nil {
			return wrap("commit", err)
		}
		ready.commands = append(ready.commands, o)
		ready.size += len(o.rec)
	}
	if c.Mark != nil {
		ready.mark = prepareMark(*c.Mark)
		ready.size += len(ready.mark.rec) + 64
	}
	if c.Subscription != "" {
		w, err := prepareContact(c.Account, c.Sender, engine.Change(c.Subscription))
		if err != nil {
			return wrap("commit", err)
		}
		ready.contact = w
		ready.size += len(w.key) + 128
	}
	notes, err := prepareNotes(c.Account, c.Learned)
	if err != nil {
		return wrap("commit", err)
	}
	ready.notes = notes.writes
	ready.size += notes.size
	if ready.counts, err = prepareCounts(c.Account, c.Counts); err != nil {
		return wrap("commit", err)
	}
	ready.size += 256 * len(ready.counts)
	for _, e := range c.Raised {
		r := raisedEvent{e, store.EncodeEvent(e)}
		ready.raised = append(ready.raised, r)
		ready.size += len(r.rec) + 64
	}
	err = s.do(ctx, &act{size: ready.size, run: ready.run})
	return wrap("commit", err)
}

// run asks first and writes then, so that a refusal leaves nothing behind.
func (c *commit) run(t *txn) error {
	if t.get(tWal, be(c.seq)) == nil {
		return store.ErrGone
	}
	for _, w := range c.states {
		if unbe(t.get(tState, w.key)) != w.read {
			return store.ErrConflict
		}
	}
	for _, o := range c.once {
		if err := t.free(o); err != nil {
			return err
		}
	}
	changeContact, err := t.contactChange(c.contact)
	if err != nil {
		return err
	}
	t.endEvent(c.seq)
	for _, w := range c.states {
		t.setState(w)
	}
	for _, o := range c.once {
		t.take(o)
	}
	for i, o := range c.commands {
		if id := t.send(o); i == 0 && c.mark != nil {
			// Before its row is seen, or it would look like one that waits. Where this
			// transaction comes to nothing it only has the next one of this id looked up.
			t.s.touched.set(id, true)
			t.track(id, c.mark, true)
		}
	}
	changeContact()
	t.notes(c.notes)
	t.counts(c.counts)
	for _, r := range c.raised {
		r.event.Received = t.now
		store.StampEvent(r.rec, t.now)
		t.log(r.event, r.rec)
	}
	return nil
}

// endEvent takes an event out of the log.
func (t *txn) endEvent(seq uint64) {
	t.unset(tWal, be(seq))
	if tries := t.bucket(bTries); t.s.tried.Load() > 0 && tries.Get(be(seq)) != nil {
		t.del(tries, be(seq))
		t.then(func() { t.s.tried.Add(-1) })
	}
	t.then(func() { t.s.forgetEvent(seq) })
}

// setState replaces a state. Its expiry row follows when it is folded.
func (t *txn) setState(w stateWrite) {
	cacheKey := stateCacheKey(w.key)
	if w.rest == nil {
		t.unset(tState, w.key)
		t.then(func() { t.s.cache.put(cacheKey, engine.State{}, len(w.key)) })
		return
	}
	v := append(be(t.next(bState)), w.rest...)
	t.set(tState, w.key, v, false)
	t.then(func() {
		w.state.Version = unbe(v)
		t.s.cache.put(cacheKey, w.state, len(w.key)+len(w.rest))
	})
}

// Fail records a failed attempt, or buries the event.
func (s *Store) Fail(ctx context.Context, f store.Failure) error {
	tries, err := json.Marshal(f.Tries)
	if err != nil {
		return wrap("record failure", err)
	}
	known := letter{Event: true, Count: f.Tries.Count, Skill: f.Skill, Error: f.Tries.Error}
	err = s.do(ctx, &act{size: len(tries) + 64, run: func(t *txn) error {
		rec := t.get(tWal, be(f.Seq))
		switch {
		case rec == nil:
			return store.ErrGone
		case !f.Bury:
			t.setTries(f.Seq, tries)
			return nil
		}
		if err := t.bury(known, rec); err != nil {
			return err
		}
		t.endEvent(f.Seq)
		return nil
	}})
	return wrap("record failure", err)
}

func (t *txn) setTries(seq uint64, js []byte) {
	b := t.bucket(bTries)
	if b.Get(be(seq)) == nil {
		t.then(func() { t.s.tried.Add(1) })
	}
	t.put(b, be(seq), js)
}

// Charge counts an attempt before it is made.
func (s *Store) Charge(ctx context.Context, seq uint64) (store.Tries, error) {
	var out store.Tries
	err := s.do(ctx, &act{size: 256, run: func(t *txn) error {
		if t.get(tWal, be(seq)) == nil {
			return store.ErrGone
		}
		tries, err := triesOf(t.Tx, seq)
		if err != nil {
			return err
		}
		tries.Count++
		if tries.First.IsZero() {
			tries.First = t.now
		}
		js, err := json.Marshal(tries)
		if err != nil {
			return err
		}
		t.setTries(seq, js)
		out = tries
		return nil
	}})
	if err != nil {
		return store.Tries{}, wrap("charge attempt", err)
	}
	return out, nil
}
