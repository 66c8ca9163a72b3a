// Package boltstore keeps a store.Store in one bbolt file. It is the default
// backend: no server, one process, every act on disk when it returns.
//
// Two thoughts carry it. One committer goroutine owns the write transaction and
// puts all acts that wait into one commit, because a commit costs the same for
// one act as for a thousand. And what every event changes is written to no page at
// random: the log and the dedup keys grow at their right edge, and what answers "was
// this seen?" is a table in memory; states, commands, what happens to them, and what
// leaves the log go to a journal in the same file, lie in memory as a layer over
// their trees, and are folded into these later, in the order of keys (see journal).
// Only what some events bring, which are notes, once-keys, contacts, dead letters and
// the ids of settled commands, does its act put where it belongs.
package boltstore

import (
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// Options say where the store is and how large it may grow. Zero values take
// the defaults named here.
type Options struct {
	Path string
	// Window is how long dedup keys are kept at least (72h). They are kept in
	// slices of a twelfth of it, one second to six hours each.
	Window time.Duration
	// CommandWindow is the longest window that Submit is called with (24h).
	CommandWindow time.Duration
	// MaxKeys is how many dedup keys are indexed in memory, at 24 bytes at most
	// (5 million); the index of older ones moves to disk.
	MaxKeys int
	// MinFree is the disk space that acts which add to the store leave free. It
	// is looked up once a second, so it should hold some seconds of traffic.
	// With nothing left at all, even taking large events out can fail: bbolt
	// writes a page anew before it frees the old one.
	MinFree int64
	// MaxSize bounds what the file holds; 0 does not. The file itself grows
	// beyond it by what taking things out needs (an eighth and 8 MiB).
	MaxSize int64
	// CacheBytes bounds the decoded events, commands and states kept at hand (32 MiB).
	CacheBytes int64
	// JournalBytes bounds the changes that gather before they are folded into
	// their trees (2 MiB, in memory and in the file; as much again waits for its
	// turn meanwhile). They never wait for longer than a quarter second of work.
	JournalBytes int
	// CheckBelow is the size under which the file is checked whole after an
	// unclean end (128 MiB); a larger one is checked in its structure only.
	CheckBelow int64
	// OpenTimeout is when Open gives up on a file that makes it hang (30s).
	OpenTimeout time.Duration
	// MapSize is the address space reserved for the file (1 GiB). Growing
	// beyond it makes writers wait for readers, once for each doubling.
	MapSize int

	Now func() time.Time // time.Now
	// Uptime is a clock that only the passing of time moves. The dedup window
	// is measured by it, so that setting the wall clock empties no window.
	Uptime func() time.Duration
	Log    *slog.Logger
	// FreeSpace tells the bytes left to us on the file system of a folder.
	FreeSpace func(dir string) (int64, error)
	// Observe is told of each commit: how long it took, for how many acts.
	Observe func(d time.Duration, acts int)

	// idle is how long there is no act before the journal is folded without one
	// (foldEvery). Tests that look at each commit want none of that kind.
	idle time.Duration
}

func (o Options) withDefaults() Options {
	def(&o.Window, 72*time.Hour)
	def(&o.CommandWindow, 24*time.Hour)
	def(&o.MaxKeys, 5_000_000)
	def(&o.CacheBytes, 32<<20)
	def(&o.JournalBytes, 2<<20)
	def(&o.CheckBelow, 128<<20)
	def(&o.OpenTimeout, 30*time.Second)
	def(&o.MapSize, 1<<30)
	def(&o.idle, foldEvery)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Uptime == nil {
		start := time.Now()
		o.Uptime = func() time.Duration { return time.Since(start) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.FreeSpace == nil {
		o.FreeSpace = freeSpace
	}
	if o.Observe == nil {
		o.Observe = func(time.Duration, int) {}
	}
	return o
}

func def[T int | int64 | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// Store is a store.Store in a bbolt file. Its methods are safe for concurrent
// use.
//
// Buckets; integers are 8 bytes big-endian unless said otherwise, records are
// those of store.EncodeEvent, EncodeCommand and EncodeProgress, times are nanoseconds:
//
//	meta      "magic" "schema" "clean" "last"
//	                                       what the file is; the transaction a clean close ended with; every commit's own
//	wal       seq                          → event record, until handled or buried
//	tries     seq                          → Tries (JSON), only of events that failed or were charged
//	dedup     slice start                  → bucket: first ordinal (4) → up to 64 keys of 16 bytes, in order of arrival
//	state     account, conversation, sender (each length-prefixed)
//	                                       → version | expiry | flags (1) | State (JSON)
//	expiry    time | state key             → version; one row per state that has an expiry not fired yet
//	once      period of 30 days            → bucket: hash (16) of account, skill, key → until | owner
//	outbox    id                           → command record, never rewritten
//	delivery  id                           → progress record, only where something has happened
//	dead      id                           → length (4) | what is known (JSON) | event or command record
//	settled   slice start                  → bucket: hash (16) of task id → end (1) | time | JSON of what was tried, of submitted commands
//	contacts  account (length-prefixed), user
//	                                       → since when blocked, unsubscribed (JSON); only who is one of these
//	notes     account (length-prefixed), key
//	                                       → expiry, 0 for none | value
//	note_expiry  time | note key           → nothing; one row per note that has an expiry
//	long      bucket, key, number (4)      → piece of a value that is too long for its row (see whole)
//	ballast   number                       → nothing, to be given up on a full disk (see ballast)
//	journal   generation                   → bucket: row → changes of state, outbox, delivery, and what left wal (see journal)
//
// Counters are the sequences of buckets that are never deleted: wal numbers
// events, outbox numbers commands and letters, state numbers versions, and the
// sequence of meta is the latest time that was stored. Slices of dedup and
// settled are named by steady time (see clock), periods of once by wall time.
//
// A note has no place in expiry: Fire walks that, finds each row's state in the
// journal and raises events, while a note that has expired only has to go some
// time. Both of its trees were added to schema 2, and so was contacts: an older
// program leaves alone what it does not know. A long value it could not
// read, so with them came schema 3. Where a file lacks something it is made at open.
//
// Beside the file lie path.run (who has it open), path.hand (events being
// handled) and, for a moment, path.new-* (first creation, restoring, compacting). What
// restoring has replaced is path.before-restore-*, until somebody removes it. An index that moved
// to disk has a file path.idx-*, which is rebuilt and not kept.
type Store struct {
	opt    Options
	log    *slog.Logger
	db     *bolt.DB
	update func(func(*bolt.Tx) error) error // db.Update; tests make it fail

	clock    clock
	queue    queue
	index    *index
	tasks    *tasks
	journal  journal
	ballast  ballast
	cache    *cache
	contacts contacts
	hand     *hand
	readers  readers
	space    space

	suspects []uint64

	events, tried, commands, letters atomic.Int64
	commits, acts                    atomic.Uint64
	doubt                            idSet
	touched                          idSet       // commands that have a row in delivery
	bad                              idSet       // rows that were reported as unreadable
	isAhead                          atomic.Bool // the time, of the wall clock, as was told

	failed  chan struct{}
	failure atomic.Pointer[error]

	closing  sync.Once
	closeErr error
}

var _ store.Store = (*Store)(nil)

// Now returns the store's clock.
func (s *Store) Now() time.Time { return s.clock.Now() }

// Failed is closed when the store has failed.
func (s *Store) Failed() <-chan struct{} { return s.failed }

// Err tells why the store has failed; nil while it has not.
func (s *Store) Err() error {
	if p := s.failure.Load(); p != nil {
		return *p
	}
	return nil
}

// Suspects returns the events in hand when the last process died.
func (s *Store) Suspects() []uint64 { return append([]uint64(nil), s.suspects...) }

// Begin notes the event in the in-hand file.
func (s *Store) Begin(seq uint64) (end func()) { return s.hand.begin(seq) }

// Close flushes what was handed in, leaves a clean mark and lets the file go.
// A store that failed is closed without the mark.
func (s *Store) Close() error {
	s.closing.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Store) close() error {
	s.queue.close()
	<-s.queue.drained
	err := s.tidy()
	s.cache.close()
	s.index.close()
	if err == nil && s.Err() == nil {
		err = markClean(s.db)
	}
	if e := s.db.Close(); err == nil {
		err = e
	}
	// Whoever closes in order has nothing in hand that killed it.
	s.hand.remove()
	if e := os.Remove(runPath(s.opt.Path)); err == nil && e != nil && !os.IsNotExist(e) {
		err = e
	}
	return wrap("close store", err)
}

// tidy folds the journal, so that the next start finds the trees alone. Without
// room for it the journal is as good; only a store that fails of it is worth
// telling.
func (s *Store) tidy() error {
	if s.Err() != nil {
		return nil // that was told
	}
	s.reclaim()
	return s.Err()
}

// Stats counts without walking the file.
func (s *Store) Stats() (store.Stats, error) {
	st := store.Stats{
		Events:       int(s.events.Load()),
		Commands:     int(s.commands.Load()),
		InDoubt:      s.doubt.len(),
		Letters:      int(s.letters.Load()),
		DedupKeys:    s.index.keys(),
		Commits:      s.commits.Load(),
		Acts:         s.acts.Load(),
		OldestReader: s.readers.oldest(time.Now()),
	}
	err := s.view(func(tx *snapshot) error {
		for seq, rec := range tWal.after(tx, 0) {
			var err error
			if st.OldestEvent, err = store.ReceivedOf(rec); err != nil {
				s.spoiled("log", seq, err)
			}
			break
		}
		info, err := os.Stat(s.opt.Path)
		if err != nil {
			return err
		}
		bs := s.db.Stats()
		st.FileBytes = info.Size()
		st.FreeBytes = max(0, info.Size()-tx.Size()) + int64(bs.FreePageN+bs.PendingPageN)*int64(s.db.Info().PageSize)
		if room, err := s.space.free(s.space.dir); err == nil {
			st.RoomBytes = max(1, room)
		}
		return nil
	})
	return st, wrap("read statistics", err)
}

// forgetEvent drops what is kept in memory of an event that left the log.
func (s *Store) forgetEvent(seq uint64) {
	s.events.Add(-1)
	s.cache.drop(eventKey(seq))
	s.hand.settled(seq)
}

// keepEvent notes an event that entered the log.
func (s *Store) keepEvent(seq uint64, e *engine.Event, size int) {
	s.events.Add(1)
	s.cache.offer(eventKey(seq), e, size)
}
