package boltstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"bot/store"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// lockWait is how long Open waits for another process to let the file go, as
// happens when one instance takes over from the last.
const lockWait = 2 * time.Second

// Open opens the store, and creates it where there is no file. Errors: ErrHeld
// (*store.HeldError) when another process has it, ErrDamaged when the file is
// not a store, is broken, or was written by a newer program; it is then left as
// it was. Open gives up after Options.OpenTimeout or when ctx ends: a damaged
// file can make reading it hang, and no caller is to hang with it.
func Open(ctx context.Context, opt Options) (*Store, error) {
	opt = opt.withDefaults()
	type opened struct {
		s   *Store
		err error
	}
	done := make(chan opened)
	abandoned := make(chan struct{})
	go func() {
		s, err := open(opt)
		select {
		case <-abandoned:
			if err == nil {
				s.Close()
			}
		case done <- opened{s, err}:
		}
	}()
	watchdog := time.NewTimer(opt.OpenTimeout)
	defer watchdog.Stop()
	select {
	case o := <-done:
		return o.s, o.err
	case <-watchdog.C:
		close(abandoned)
		return nil, fmt.Errorf("open store %s: not done after %v; check the disk, or restore a backup", opt.Path, opt.OpenTimeout)
	case <-ctx.Done():
		close(abandoned)
		return nil, fmt.Errorf("open store %s: %w", opt.Path, ctx.Err())
	}
}

func open(opt Options) (s *Store, err error) {
	var db *bolt.DB
	defer func() {
		if r := recover(); r != nil {
			err = damaged(opt.Path, fmt.Errorf("reading it failed: %v", r))
		}
		if err != nil {
			s = nil
			if db != nil {
				db.Close()
			}
		}
	}()
	if err := create(opt.Path); err != nil {
		return nil, fmt.Errorf("create store %s: %w", opt.Path, err)
	}
	if db, err = openFile(opt, lockWait); err != nil {
		return nil, err
	}
	clean, err := identify(db)
	if err != nil {
		return nil, damaged(opt.Path, err)
	}
	if !clean {
		if err := checkUnclean(db, opt); err != nil {
			return nil, err
		}
	}
	if err := modernise(db); err != nil {
		return nil, fmt.Errorf("open store %s: %w", opt.Path, err)
	}
	return start(db, opt)
}

// damaged says what is wrong and what can be done about it.
func damaged(path string, cause error) error {
	return fmt.Errorf("open store %s: %w: %w; the file was left as it is: restore a backup in its place (bot restore -force FILE), or move it aside to start empty",
		path, store.ErrDamaged, cause)
}

// openFile locks the file, walks it and hands it to bbolt. The walk comes
// first because bbolt trusts a file: a bad page number in it ends the process.
func openFile(opt Options, wait time.Duration) (*bolt.DB, error) {
	bo := &bolt.Options{
		Timeout:         max(wait, shortWait),
		NoFreelistSync:  true,
		FreelistType:    bolt.FreelistMapType,
		InitialMmapSize: opt.MapSize,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			return lockAndVerify(name, flag&^os.O_CREATE, mode, wait)
		},
	}
	if opt.MaxSize > 0 {
		bo.MaxSize = int(opt.MaxSize+reserve(opt.MaxSize)) + 16<<20 // bbolt refuses 16 MiB early
	}
	db, err := bolt.Open(opt.Path, 0o600, bo)
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, berrors.ErrTimeout):
		run, _ := ReadRun(opt.Path) // without it the holder has no number
		return nil, &store.HeldError{Path: opt.Path, PID: run.PID}
	case errors.Is(err, errBadFile), errors.Is(err, berrors.ErrInvalid),
		errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, damaged(opt.Path, err)
	}
	return nil, fmt.Errorf("open store %s: %w", opt.Path, err)
}

// shortWait is the least that bbolt can be told to wait for a lock.
const shortWait = 50 * time.Millisecond

func lockAndVerify(name string, flag int, mode os.FileMode, wait time.Duration) (*os.File, error) {
	f, locked, err := lockNamed(name, flag, mode, wait)
	if err == nil && locked {
		err = verify(f)
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	return f, nil
}

// lockNamed opens and locks the file that has the name once it is locked: who held
// it may have put another in its place, as restoring and compacting do. f is
// to be closed, whatever the error.
func lockNamed(name string, flag int, mode os.FileMode, wait time.Duration) (f *os.File, locked bool, err error) {
	for {
		if f, err = os.OpenFile(name, flag, mode); err != nil {
			return nil, false, err
		}
		if locked, err = lock(f, wait); err != nil || !locked {
			return f, locked, err
		}
		ours, err := f.Stat()
		if err != nil {
			return f, true, err
		}
		named, err := os.Stat(name)
		if err == nil && os.SameFile(ours, named) {
			return f, true, nil
		}
		f.Close()
	}
}

// checkUnclean looks the file over after a process died with it.
func checkUnclean(db *bolt.DB, opt Options) error {
	info, err := os.Stat(opt.Path)
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if info.Size() >= opt.CheckBelow {
		opt.Log.Info("store was not closed cleanly; its structure was checked, its pages were not", "path", opt.Path, "bytes", info.Size())
		return nil
	}
	begin := time.Now()
	if err := checkAll(db); err != nil {
		return damaged(opt.Path, err)
	}
	opt.Log.Info("store was not closed cleanly; its check found nothing wrong", "path", opt.Path, "bytes", info.Size(), "took_ms", time.Since(begin).Milliseconds())
	return nil
}

func checkAll(db *bolt.DB) error {
	return db.View(func(tx *bolt.Tx) error {
		var first error
		for err := range tx.Check() {
			if first == nil {
				first = err
			}
		}
		return first
	})
}

// start builds what is kept in memory and lets the committer go.
func start(db *bolt.DB, opt Options) (*Store, error) {
	s := &Store{
		opt: opt, log: opt.Log, db: db, update: db.Update,
		index:  &index{length: sliceLength(opt.Window), limit: opt.MaxKeys, path: opt.Path, log: opt.Log},
		tasks:  newTasks(),
		cache:  newCache(opt.CacheBytes),
		space:  space{dir: filepath.Dir(opt.Path), minFree: opt.MinFree, log: opt.Log},
		failed: make(chan struct{}),
	}
	s.space.free = s.roomLeft
	s.journal.limit, s.journal.uptime = opt.JournalBytes, opt.Uptime
	s.queue.init()
	removeLeftovers(opt.Path, opt.Log)
	if err := s.index.load(db); err != nil {
		s.index.close()
		return nil, damaged(opt.Path, err)
	}
	if err := db.View(func(tx *bolt.Tx) error { return s.load(tx) }); err != nil {
		s.index.close()
		return nil, damaged(opt.Path, err)
	}
	if err := s.claim(); err != nil {
		s.index.close()
		return nil, fmt.Errorf("open store %s: %w", opt.Path, err)
	}
	go s.committer()
	return s, nil
}

// load reads the journal, counts, and finds the task ids and the time that the
// file knows.
func (s *Store) load(file *bolt.Tx) error {
	if err := s.journal.load(file); err != nil {
		return err
	}
	s.ballast.spent = count(file.Bucket(bBallast)) < ballastRows
	tx := &snapshot{file, &s.journal}
	for range tWal.after(tx, 0) {
		s.events.Add(1)
	}
	s.tried.Store(int64(count(tx.Bucket(bTries))))
	for id, rec := range tOutbox.after(tx, 0) {
		s.commands.Add(1)
		if err := s.loadTask(id, rec); err != nil {
			return err
		}
	}
	for id, v := range plain(bDead).after(tx, 0) {
		s.letters.Add(1)
		l, rec, err := openLetter(v)
		if err == nil && !l.Event {
			err = s.loadTask(id, rec)
		}
		if err != nil {
			return err
		}
	}
	if err := s.loadProgress(tx); err != nil {
		return err
	}
	if err := s.loadContacts(file); err != nil {
		return err
	}
	floor := time.Unix(0, int64(tx.Bucket(bMeta).Sequence())).UTC()
	s.clock.start(s.opt.Now, s.opt.Uptime, floor, latest(tx.Bucket(bDedup)))
	return nil
}

// loadProgress finds the commands to which something has happened.
func (s *Store) loadProgress(tx *snapshot) error {
	read := func(key, v []byte) error {
		id := unbe(key)
		s.touched.set(id, true)
		p, err := readProgress(id, v)
		if p.Phase == store.InDoubt {
			s.doubt.set(id, true)
		}
		return err
	}
	err := tx.Bucket(bDelivery).ForEach(func(key, v []byte) error {
		if _, newer := s.journal.find(tDelivery, key); newer {
			return nil
		}
		return read(key, whole(tx.Tx, bDelivery, key, v))
	})
	if err != nil || s.journal.old == nil {
		return err
	}
	for key, c := range s.journal.old.rows[tDelivery] { // the young one is empty yet
		if c.value != nil {
			if err := read([]byte(key), c.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) loadTask(id uint64, rec []byte) error {
	taskID, err := store.TaskIDIn(rec)
	if err == nil {
		s.tasks.add(taskID, id)
	}
	return err
}

// latest is the start of the newest slice, zero when there is none.
func latest(b *bolt.Bucket) time.Time {
	k, _ := b.Cursor().Last()
	if k == nil {
		return time.Time{}
	}
	return unbeTime(k)
}

func count(b *bolt.Bucket) int {
	n := 0
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n
}

// claim says whose the file is now, and takes over what was in hand.
func (s *Store) claim() error {
	h, inHand, err := openHand(s.opt.Path, s.log)
	if err != nil {
		return err
	}
	s.hand = h
	err = s.view(func(tx *snapshot) error {
		for _, seq := range inHand {
			if tx.get(tWal, be(seq)) != nil {
				s.suspects = append(s.suspects, seq)
			}
		}
		return nil
	})
	if err == nil {
		err = WriteRun(s.opt.Path, Run{PID: os.Getpid()})
	}
	if errors.Is(err, store.ErrFull) { // what is in can be handled all the same, and makes room
		s.log.Warn("cannot leave a note of who has the store open", "error", err)
		err = nil
	}
	if err != nil {
		h.remove()
	}
	return err
}
