package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"bot/store"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// taken is the file of a store that no engine has open, held so that none opens
// it meanwhile. Nothing is kept in memory, and nothing is changed by taking it.
type taken struct {
	db      *bolt.DB
	release func()
}

// take opens the file at path and checks it. Errors: fs.ErrNotExist, ErrHeld
// when somebody has it for longer than wait, ErrDamaged.
func take(path string, wait time.Duration) (f *taken, err error) {
	opt := Options{Path: path, MapSize: 1}.withDefaults()
	db, err := openFile(opt, wait)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if _, err := examine(db); err != nil {
		return nil, damaged(path, err)
	}
	return &taken{db, occupy(path, db.Close)}, nil
}

// occupy leaves word of who has the store, for those who find it locked, until
// release. A process that died with it may have left its own, which is void.
func occupy(path string, unlock func() error) (release func()) {
	err := WriteRun(path, Run{PID: os.Getpid()})
	return func() {
		if err == nil {
			os.Remove(runPath(path))
		}
		unlock()
	}
}

// Inspect checks a copy of a store, every page of it, and tells what it holds.
// Nothing is written. Errors: ErrHeld when it is no copy but a store that somebody
// has open, fs.ErrNotExist, ErrDamaged with the reason.
func Inspect(path string) (c store.Contents, err error) {
	db, err := bolt.Open(path, 0, &bolt.Options{
		ReadOnly: true, Timeout: shortWait, FreelistType: bolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			return lockAndVerify(name, flag, mode, 0)
		},
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return c, err
	case errors.Is(err, berrors.ErrTimeout):
		run, _ := ReadRun(path)
		return c, &store.HeldError{Path: path, PID: run.PID}
	case err != nil:
		return c, fmt.Errorf("%s: %w: %w", path, store.ErrDamaged, err)
	}
	defer db.Close()
	if c, err = examine(db); err != nil {
		return c, fmt.Errorf("%s: %w: %w", path, store.ErrDamaged, err)
	}
	info, err := os.Stat(path)
	if err == nil {
		c.Bytes = info.Size()
	}
	return c, err
}

// examine checks all there is to a file and counts what waits in it.
func examine(db *bolt.DB) (c store.Contents, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading it failed: %v", r)
		}
	}()
	if _, err := identify(db); err != nil {
		return c, err
	}
	if err := checkAll(db); err != nil {
		return c, err
	}
	err = db.View(func(file *bolt.Tx) error {
		j := journal{uptime: func() time.Duration { return 0 }}
		if err := j.load(file); err != nil {
			return err
		}
		tx := &snapshot{file, &j}
		c.AsOf = unbeTime(be(file.Bucket(bMeta).Sequence()))
		for range tWal.after(tx, 0) {
			c.Events++
		}
		for range tOutbox.after(tx, 0) {
			c.Commands++
		}
		c.Letters = count(file.Bucket(bDead))
		return nil
	})
	return c, err
}
