package boltstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"bot/store"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// A batch closes at this many acts or bytes, so that one commit does not keep
// its first act waiting for the last of a flood.
const (
	maxBatchActs  = 4096
	maxBatchBytes = 4 << 20
)

// act is one atomic change. run may be called more than once, each time on a
// fresh transaction: it assigns its results and never adds to them. An error it
// returns is the act's own answer and must come before its first write.
type act struct {
	run   func(*txn) error
	stamp func(now time.Time) // told the act's time when it gets its place in line
	grows bool                // adds to the store and may be refused for room
	folds bool                // wants all of the journal folded before it
	own   bool                // the store's, about its room
	rides bool                // wakes nobody: it waits for another act's commit
	size  int

	now, steady time.Time
	err         error
}

// batch is the acts of one commit. done is closed when all have their answer.
type batch struct {
	acts  []*act
	size  int
	since time.Time // when the first began to wait, or the first of those that do not ride
	done  chan struct{}
}

// queue is the line before the committer.
type queue struct {
	mu      sync.Mutex
	wake    *sync.Cond
	waiting []*batch
	urgent  bool        // what waits is to be committed now: not all of it rides, or it has waited long enough, or the batch before was taken
	ride    *time.Timer // ends the wait of what rides; nil: nothing waits for it
	closed  bool
	drained chan struct{} // closed when the committer has ended

	busy  time.Time     // since when the oldest act in hand waits; zero: idle
	took  time.Duration // moving average of the commit time
	ended time.Time     // when the last commit did
}

func (q *queue) init() {
	q.wake = sync.NewCond(&q.mu)
	q.drained = make(chan struct{})
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.endRide()
	q.wake.Signal()
}

// next waits for a batch; nil when the queue is closed and empty. An idle time
// that is not 0 is how long it waits at most before it returns an empty one.
func (q *queue) next(idle time.Duration) *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if idle > 0 && len(q.waiting) == 0 {
		over := false
		timer := time.AfterFunc(idle, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			over = true
			q.wake.Signal()
		})
		defer timer.Stop()
		for !q.ready() && !q.closed && !over {
			q.wake.Wait()
		}
		if over && len(q.waiting) == 0 {
			return &batch{done: make(chan struct{})}
		}
	}
	for !q.ready() {
		if q.closed {
			return nil
		}
		q.wake.Wait()
	}
	// Whoever is about to hand something in gets the processor first: a commit
	// costs the same for one act as for a hundred. Nobody waits for the clock;
	// where nothing else can run this takes no time.
	q.mu.Unlock()
	runtime.Gosched()
	q.mu.Lock()
	b := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.endRide()
	q.urgent = len(q.waiting) > 0
	q.busy = b.since
	return b
}

// ready tells whether there is something to be committed now.
func (q *queue) ready() bool { return len(q.waiting) > 0 && (q.urgent || q.closed) }

// What rides waits as long as two commits take, within these bounds: where there are
// others, one of them comes in that time, and where there is nobody it is no long wait.
const (
	leastRide = time.Millisecond
	mostRide  = 20 * time.Millisecond
)

// setRide has what rides committed after a while, whether others come or not.
func (q *queue) setRide() {
	var ride *time.Timer
	ride = time.AfterFunc(min(max(leastRide, 2*q.took), mostRide), func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.ride == ride { // else they are gone, and it may be others who ride
			q.ride = nil
			q.press()
		}
	})
	q.ride = ride
}

// endRide is for those who need to wait no more.
func (q *queue) endRide() {
	if q.ride != nil {
		q.ride.Stop()
		q.ride = nil
	}
}

// press has what waits committed now. Where all of it rode, nobody waited for the disk
// until now, so the wait counts from here.
func (q *queue) press() {
	if !q.urgent {
		q.urgent, q.waiting[0].since = true, time.Now()
	}
	q.wake.Signal()
}

// finished notes the time a commit took in the average.
func (q *queue) finished(took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy, q.ended = time.Time{}, time.Now()
	q.took += (took - q.took) / 8
}

// wait is how long the oldest act has waited, plus what a commit usually takes.
// The memory of a slow commit halves each second: were it kept while nothing is
// handed in, those who refuse work by it would never find out that the disk
// recovered.
func (q *queue) wait() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	oldest := q.busy
	if oldest.IsZero() && q.ready() {
		oldest = q.waiting[0].since
	}
	if !oldest.IsZero() {
		return now.Sub(oldest) + q.took
	}
	return q.took >> min(62, max(0, now.Sub(q.ended)/time.Second))
}

// CommitWait estimates how long an act handed in now waits for the disk.
func (s *Store) CommitWait() time.Duration { return s.queue.wait() }

// do hands an act over and waits until it is on disk, or for ctx. When ctx ends
// first the act is done all the same; its results must then not be looked at.
func (s *Store) do(ctx context.Context, a *act) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.grows && s.space.low() {
		return fmt.Errorf("%w: less than %d bytes free on the disk", store.ErrFull, s.opt.MinFree)
	}
	a.rides = store.Rides(ctx)
	b, err := s.handOver(a)
	if err != nil {
		return err
	}
	select {
	case <-b.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store) handOver(a *act) (*batch, error) {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := s.Err(); err != nil {
		return nil, err
	}
	if q.closed {
		return nil, store.ErrClosed
	}
	// Times are given under the lock, so that they rise in the order of acts.
	a.now, a.steady = s.clock.stamp()
	if a.stamp != nil {
		a.stamp(a.now)
	}
	var b *batch
	if n := len(q.waiting); n > 0 {
		b = q.waiting[n-1]
	}
	if b == nil || len(b.acts) >= maxBatchActs || b.size+a.size > maxBatchBytes {
		b = &batch{since: time.Now(), done: make(chan struct{})}
		q.waiting = append(q.waiting, b)
	}
	b.acts = append(b.acts, a)
	b.size += a.size
	switch {
	case !a.rides:
		q.press()
	case !q.urgent && q.ride == nil:
		q.setRide()
	}
	return b, nil
}

// committer is the only goroutine that writes to the file.
func (s *Store) committer() {
	defer close(s.queue.drained)
	for b := s.queue.next(0); b != nil; b = s.queue.next(s.idle()) {
		if len(b.acts) == 0 {
			s.reclaim()
			continue
		}
		start := time.Now()
		s.commit(b.acts)
		took := time.Since(start)
		s.queue.finished(took)
		s.opt.Observe(took, len(b.acts))
		close(b.done)
		if g := s.journal.old; g != nil {
			g.order() // now, that nobody waits for it
		}
	}
}

// idle is how long to wait for an act before what is in the journal is folded
// without one; 0 when there is nothing to be folded, or no room for it.
func (s *Store) idle() time.Duration {
	if s.journal.unfolded() == 0 || s.journal.resting() {
		return 0
	}
	return s.opt.idle
}

// commit gives every act its answer. What is refused for lack of room is tried
// again when there was something to be folded, which frees what it replaces.
func (s *Store) commit(acts []*act) {
	s.commitOnce(acts)
	var refused []*act
	for _, a := range acts {
		if errors.Is(a.err, store.ErrFull) {
			refused = append(refused, a)
		}
	}
	if len(refused) == 0 && !s.ballast.spent {
		return
	}
	room := s.reclaim()
	if s.restock() {
		room = true
	}
	if len(refused) > 0 && room {
		s.commitOnce(refused)
	}
}

// commitOnce needs one transaction most often, and as many as there are acts to
// leave out.
func (s *Store) commitOnce(acts []*act) {
	for len(acts) > 0 {
		if err := s.Err(); err != nil {
			answer(acts, err)
			return
		}
		before, beforeErr := s.txid()
		t, bad, err := s.try(acts)
		if err == nil {
			s.journal.poor = max(0, s.journal.poor-1)
			s.applied(t, acts)
			return
		}
		after, afterErr := s.txid()
		unchanged := beforeErr == nil && afterErr == nil && before == after
		switch {
		case unchanged && bad != nil:
			bad.err = err
			acts = slices.DeleteFunc(slices.Clone(acts), func(a *act) bool { return a == bad })
		case unchanged && noSpace(err) && t.folds():
			s.journal.poor++
		case unchanged && noSpace(err):
			acts = s.withLess(acts, err)
		default:
			// Whether the batch is on disk nobody can tell: a failed sync may
			// have left it visible. Nothing more may be built on it.
			s.fail(err)
		}
	}
}

// try runs the acts in one transaction. bad is the act whose write was refused;
// none of them has then had an effect.
func (s *Store) try(acts []*act) (t *txn, bad *act, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, bad, err = nil, nil, fmt.Errorf("panic in an act: %v\n%s", r, debug.Stack())
		}
	}()
	err = s.update(func(tx *bolt.Tx) error {
		t, bad = newTxn(s, tx), nil
		if slices.ContainsFunc(acts, func(a *act) bool { return a.folds }) && !s.journal.resting() {
			if t.foldAll(); t.err != nil {
				return t.err
			}
		}
		room := s.room(tx)
		for _, a := range acts {
			if s.ballast.spent && !s.frugal(a) {
				a.err = fmt.Errorf("%w: its reserve is spent", store.ErrFull)
				continue
			}
			if a.folds && s.journal.resting() {
				a.err = fmt.Errorf("%w: no room to fold the journal", store.ErrFull)
				continue
			}
			if a.grows {
				if room -= int64(a.size); room < 0 {
					a.err = fmt.Errorf("%w: the file has reached %d bytes", store.ErrFull, s.opt.MaxSize)
					continue
				}
			}
			t.now, t.steady = a.now, a.steady
			a.err = a.run(t)
			if t.err != nil {
				bad = a
				return t.err
			}
		}
		if !t.wrote {
			return errNothing
		}
		return t.finish()
	})
	if errors.Is(err, errNothing) {
		err = nil
	}
	return t, bad, err
}

// room is how many bytes may be added before the file holds MaxSize. bbolt is
// given a little more (see reserve), because it writes a page anew before it
// frees the old one: a file without a free page could not be emptied.
func (s *Store) room(tx *bolt.Tx) int64 {
	if s.opt.MaxSize <= 0 {
		return math.MaxInt64
	}
	st := s.db.Stats()
	free := int64(st.FreePageN+st.PendingPageN) * int64(s.db.Info().PageSize)
	if !s.ballast.spent {
		free += ballastRows * ballastRow // which holds nothing of anybody's
	}
	return s.opt.MaxSize - (tx.Size() - free)
}

// reserve is what bbolt may use beyond MaxSize: room for one whole batch and
// for what is fragmented.
func reserve(maxSize int64) int64 { return 2*maxBatchBytes + maxSize/8 }

// errNothing ends a transaction in which nothing was written without the cost
// of a commit.
var errNothing = errors.New("nothing to commit")

// applied brings what is kept in memory in line with the file. It runs before
// the acts are answered, so that callers find what they wrote.
func (s *Store) applied(t *txn, acts []*act) {
	s.journal.publish(t)
	for _, f := range t.after {
		f()
	}
	if t.wrote {
		s.commits.Add(1)
	}
	s.acts.Add(uint64(len(acts)))
}

// withLess answers what there is no room for and returns what is to be tried
// again: the acts that need no room of their own, then the same with the
// reserve, then each half by itself.
func (s *Store) withLess(acts []*act, cause error) []*act {
	full := fmt.Errorf("%w: %w", store.ErrFull, cause)
	var rest []*act
	for _, a := range acts {
		if a.grows {
			a.err = full
		} else {
			rest = append(rest, a)
		}
	}
	switch n := len(rest); {
	case n < len(acts):
		return rest
	case rest[0].own:
		answer(rest, full)
		return nil
	case s.spendBallast():
		s.reclaim()
		return rest
	case n > 1:
		s.commitOnce(rest[:n/2])
		return rest[n/2:]
	}
	answer(rest, full)
	return nil
}

func answer(acts []*act, err error) {
	for _, a := range acts {
		a.err = err
	}
}

// fail puts the store out of service for good.
func (s *Store) fail(cause error) {
	err := fmt.Errorf("%w: %w", store.ErrFailed, cause)
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	if s.failure.CompareAndSwap(nil, &err) {
		s.log.Error("store failed; it takes no further act until the process is started again", "error", cause)
		close(s.failed)
	}
}

// txid numbers the state of the file that readers see.
func (s *Store) txid() (id int, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		id = tx.ID()
		return nil
	})
	return id, err
}

// noSpace tells a lack of room from other trouble. bbolt passes some of these
// on as text only.
func noSpace(err error) bool {
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		return true
	}
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, e) || strings.HasSuffix(err.Error(), e.Error()) {
			return true
		}
	}
	return false
}
