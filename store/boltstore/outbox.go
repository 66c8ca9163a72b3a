package boltstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bot/engine"
	"bot/store"
)

// outgoing is a command ready to be stored. command is as reading it back
// gives it, so that senders see the same before and after a restart.
type outgoing struct {
	command *engine.Command
	rec     []byte
}

func prepareCommand(c *engine.Command) (outgoing, error) {
	rec, err := store.EncodeCommand(c)
	if err != nil {
		return outgoing{}, err
	}
	own, err := store.Stored(c, rec)
	return outgoing{own, rec}, err
}

// send puts a command at the tail of the outbox.
func (t *txn) send(o outgoing) (id uint64) {
	id = t.next(bOutbox)
	t.set(tOutbox, be(id), o.rec, true)
	t.addTask(o.command.TaskID, id)
	t.then(func() {
		t.s.commands.Add(1)
		t.s.tasks.add(o.command.TaskID, id)
		t.s.cache.offer(commandKey(id), o.command, len(o.rec))
	})
	return id
}

// addTask makes a task id known to the acts that follow in this transaction.
func (t *txn) addTask(taskID string, id uint64) {
	if t.tasks == nil {
		t.tasks = make(map[string][]uint64)
	}
	t.tasks[taskID] = append(t.tasks[taskID], id)
}

// unsend takes a command out of the outbox.
func (t *txn) unsend(id uint64, taskID string) {
	t.unset(tOutbox, be(id))
	if t.get(tDelivery, be(id)) != nil {
		t.unset(tDelivery, be(id))
	}
	t.then(func() {
		t.s.commands.Add(-1)
		t.s.cache.drop(commandKey(id)) // before touched, or it would look like one that was never tried
		t.s.doubt.set(id, false)
		t.s.touched.set(id, false)
		t.s.tasks.remove(taskID, id)
	})
}

// where is a place in which a task id was found.
type where struct {
	id   uint64
	dead bool
}

// reader is a transaction or a snapshot.
type reader interface {
	get(in tree, key []byte) []byte
	letter(id uint64) []byte
}

// findTask looks among the candidates for the record that has the task id.
func findTask(tx reader, candidates []uint64, taskID string) (where, bool) {
	for _, id := range candidates {
		if rec := tx.get(tOutbox, be(id)); rec != nil {
			if got, err := store.TaskIDIn(rec); err == nil && got == taskID {
				return where{id: id}, true
			}
		}
		if v := tx.letter(id); v != nil {
			if l, rec, err := openLetter(v); err == nil && !l.Event {
				if got, err := store.TaskIDIn(rec); err == nil && got == taskID {
					return where{id: id, dead: true}, true
				}
			}
		}
	}
	return where{}, false
}

func (t *txn) findTask(taskID string) (where, bool) {
	return findTask(t, append(t.s.tasks.ids(taskID), t.tasks[taskID]...), taskID)
}

// Submit stores commands from outside.
func (s *Store) Submit(ctx context.Context, cmds []engine.Command, window time.Duration) ([]bool, error) {
	return s.SubmitPage(ctx, cmds, window, "", nil)
}

// SubmitPage stores a part of a larger job and how far that has come.
func (s *Store) SubmitPage(ctx context.Context, cmds []engine.Command, window time.Duration, account string, notes []engine.Note) ([]bool, error) {
	ready := make([]outgoing, len(cmds))
	size := 0
	for i := range cmds {
		if cmds[i].TaskID == "" {
			return nil, wrap("submit commands", errors.New("a command has no task id"))
		}
		var err error
		if ready[i], err = prepareCommand(&cmds[i]); err != nil {
			return nil, wrap("submit commands", err)
		}
		size += len(ready[i].rec) + 64
	}
	far, err := prepareNotes(account, notes)
	if err != nil {
		return nil, wrap("submit commands", err)
	}
	var duplicate []bool
	err = s.do(ctx, &act{grows: true, size: size + far.size, run: func(t *txn) error {
		duplicate = t.submit(ready, window)
		t.notes(far.writes)
		return nil
	}})
	if err != nil {
		return nil, wrap("submit commands", err)
	}
	return duplicate, nil
}

func (t *txn) submit(ready []outgoing, window time.Duration) []bool {
	duplicate := make([]bool, len(ready))
	for i, o := range ready {
		id := o.command.TaskID
		_, known := t.findTask(id)
		if !known {
			e, ok := settled(t.Tx, id)
			known = ok && t.steady.Sub(e.since) < window
		}
		if duplicate[i] = known; !known {
			t.send(o)
		}
	}
	return duplicate
}

// Deliveries returns commands after id.
func (s *Store) Deliveries(after uint64, limit int) ([]store.Delivery, error) {
	return page(s, "outbox", tOutbox, after, limit, s.delivery)
}

// Delivery returns one command.
func (s *Store) Delivery(id uint64) (store.Delivery, error) {
	if !s.touched.has(id) {
		if c := s.cache.command(id); c != nil {
			return store.Delivery{ID: id, Command: c, Progress: store.Progress{Phase: store.Waiting}}, nil
		}
	}
	return one(s, "outbox", tOutbox, id, s.delivery)
}

// command returns what a command says, without its progress.
func (s *Store) command(id uint64) (*engine.Command, error) {
	if c := s.cache.command(id); c != nil {
		return c, nil
	}
	d, err := s.Delivery(id)
	return d.Command, err
}

func (s *Store) delivery(tx *snapshot, round, id uint64, rec []byte) (store.Delivery, error) {
	c := s.cache.command(id)
	if c == nil {
		var err error
		if c, err = store.DecodeCommand(rec); err != nil {
			return store.Delivery{}, fmt.Errorf("%w: command %d: %w", store.ErrDamaged, id, err)
		}
		s.cache.fill(round, commandKey(id), c, len(rec))
	}
	if !s.touched.has(id) {
		return store.Delivery{ID: id, Command: c, Progress: store.Progress{Phase: store.Waiting}}, nil
	}
	p, err := progressOf(tx, id)
	return store.Delivery{ID: id, Command: c, Progress: p}, err
}

func progressOf(tx reader, id uint64) (store.Progress, error) {
	v := tx.get(tDelivery, be(id))
	if v == nil {
		return store.Progress{Phase: store.Waiting}, nil
	}
	return readProgress(id, v)
}

func readProgress(id uint64, v []byte) (store.Progress, error) {
	p, err := store.DecodeProgress(v)
	if err != nil {
		return p, fmt.Errorf("%w: progress of command %d: %w", store.ErrDamaged, id, err)
	}
	return p, nil
}

// clip keeps the last attempts only.
func clip(p store.Progress) store.Progress {
	if n := len(p.Tries) - store.MaxTries; n > 0 {
		p.Tries = p.Tries[n:]
	}
	if p.Phase == "" {
		p.Phase = store.Waiting
	}
	return p
}

// Attempt marks a command as Sending, whatever p.Phase says. p is the whole
// progress with the new Try already in it.
func (s *Store) Attempt(ctx context.Context, id uint64, p store.Progress, counts ...engine.Count) error {
	told, err := s.prepareTold(id, nil, counts)
	if err != nil {
		return wrap("mark attempt", err)
	}
	return wrap("mark attempt", s.progress(ctx, id, prepareMark(p), told))
}

func prepareMark(p store.Progress) *history {
	p.Phase = store.Sending
	return prepareHistory(p)
}

// told is what an act about a command has to remember for its account.
type told struct {
	learned notesReady
	counts  []countWrite
}

func (n *told) size() int { return n.learned.size + 256*len(n.counts) }

func (t *txn) tell(n *told) {
	t.notes(n.learned.writes)
	t.counts(n.counts)
}

// prepareTold looks the command up for its account where there is something to
// be remembered.
func (s *Store) prepareTold(id uint64, learned []engine.Note, counts []engine.Count) (*told, error) {
	if len(learned)+len(counts) == 0 {
		return &told{}, nil
	}
	c, err := s.command(id)
	if err != nil {
		return nil, err
	}
	return toldOf(c.Account, learned, counts)
}

func toldOf(account string, learned []engine.Note, counts []engine.Count) (n *told, err error) {
	n = new(told)
	if n.learned, err = prepareNotes(account, learned); err != nil {
		return nil, err
	}
	n.counts, err = prepareCounts(account, counts)
	return n, err
}

// progress replaces the progress of a command in the outbox.
func (s *Store) progress(ctx context.Context, id uint64, h *history, n *told) error {
	return s.do(ctx, &act{size: len(h.rec) + 64 + n.size(), run: func(t *txn) error {
		if t.get(tOutbox, be(id)) == nil {
			return store.ErrGone
		}
		t.track(id, h, !t.s.touched.has(id))
		t.tell(n)
		return nil
	}})
}

// history is a store.Progress ready to be written.
type history struct {
	phase store.Phase
	rec   []byte
}

func prepareHistory(p store.Progress) *history {
	p = clip(p)
	return &history{p.Phase, store.EncodeProgress(&p)}
}

// track writes down what has happened to a command in the outbox. fresh says that
// nothing had.
func (t *txn) track(id uint64, h *history, fresh bool) {
	t.set(tDelivery, be(id), h.rec, fresh)
	t.then(func() {
		t.s.touched.set(id, true)
		t.s.doubt.set(id, h.phase == store.InDoubt)
	})
}

// Settle records how an attempt ended.
func (s *Store) Settle(ctx context.Context, e store.Settlement) error {
	told, err := s.prepareTold(e.ID, e.Learned, e.Counts)
	if err != nil {
		return wrap("settle command", err)
	}
	if e.Final == "" {
		return wrap("settle command", s.progress(ctx, e.ID, prepareHistory(e.Progress), told))
	}
	if _, ok := finalCodes[e.Final]; !ok {
		return wrap("settle command", fmt.Errorf("unknown end %q", e.Final))
	}
	c, err := s.command(e.ID)
	if err != nil {
		return wrap("settle command", err)
	}
	p := clip(e.Progress)
	tried, err := triedOf(c, &p)
	if err != nil {
		return wrap("settle command", err)
	}
	known := letter{Tries: p.Tries, Count: p.Attempts, Skill: c.Skill, Error: p.Reason}
	err = s.do(ctx, &act{size: 128 + len(tried) + told.size(), run: func(t *txn) error {
		rec := t.get(tOutbox, be(e.ID))
		if rec == nil {
			return store.ErrGone
		}
		if e.Final == store.Dead {
			known := known
			known.TaskID = c.TaskID
			if err := t.bury(known, rec); err != nil {
				return err
			}
		}
		t.unsend(e.ID, c.TaskID)
		if e.Final != store.Dead && c.Submitted {
			t.settle(c.TaskID, e.Final, tried)
		}
		t.tell(told)
		return nil
	}})
	return wrap("settle command", err)
}

// triedOf is what Find is to tell of a command that other systems sent, nil for
// any other.
func triedOf(c *engine.Command, p *store.Progress) ([]byte, error) {
	if !c.Submitted {
		return nil, nil
	}
	return json.Marshal(p)
}

// Cancel takes a waiting command out.
func (s *Store) Cancel(ctx context.Context, taskID string) error {
	err := s.do(ctx, &act{size: 128, run: func(t *txn) error {
		at, ok := t.findTask(taskID)
		if !ok || at.dead {
			return store.ErrGone
		}
		p, err := progressOf(t, at.id)
		if err != nil {
			return err
		}
		if p.Phase != store.Waiting {
			return store.ErrGone
		}
		c, err := store.DecodeCommand(t.get(tOutbox, be(at.id)))
		if err != nil {
			return fmt.Errorf("%w: command %d: %w", store.ErrDamaged, at.id, err)
		}
		t.unsend(at.id, taskID)
		if c.Submitted {
			t.settle(taskID, store.Cancelled, nil)
		}
		return nil
	}})
	return wrap("cancel command", err)
}

// Find looks a task id up.
func (s *Store) Find(taskID string) (store.Delivery, store.Final, error) {
	var d store.Delivery
	var final store.Final
	round := s.cache.round()
	err := s.view(func(tx *snapshot) (err error) {
		if at, ok := findTask(tx, s.tasks.ids(taskID), taskID); ok {
			if at.dead {
				final = store.Dead
				l, err := readLetter(tx, round, at.id, tx.letter(at.id))
				d.Command = l.Command
				d.Progress = store.Progress{Attempts: l.Count, Reason: l.Error, Tries: l.Tries}
				return err
			}
			d, err = s.delivery(tx, round, at.id, tx.get(tOutbox, be(at.id)))
			return err
		}
		e, ok := settled(tx.Tx, taskID)
		if !ok || s.clock.Steady().Sub(e.since) >= s.settledFor() {
			return store.ErrGone
		}
		final = e.final
		if len(e.progress) == 0 {
			return nil
		}
		return json.Unmarshal(e.progress, &d.Progress)
	})
	if err != nil {
		return store.Delivery{}, "", wrap("find task", err)
	}
	return d, final, nil
}
