package boltstore

import (
	"context"
	"io"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// Backup writes a copy of the store as it is now to path, which it replaces.
// The copy is whole or not there. The store goes on meanwhile, but its file
// grows by what changes until the copy is done.
func (s *Store) Backup(ctx context.Context, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newSuffix+"*")
	if err != nil {
		return wrap("back up store", err)
	}
	err = s.read(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(&stoppable{ctx, f})
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return wrap("back up store", err)
	}
	return wrap("back up store", syncDir(filepath.Dir(path)))
}

// stoppable refuses writes once ctx has ended.
type stoppable struct {
	ctx context.Context
	w   io.Writer
}

func (s *stoppable) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.w.Write(b)
}

// CheckNow checks every page of the file. It must not run beside acts: bbolt's
// check reads the list of free pages without a lock.
func (s *Store) CheckNow() error { return wrap("check store", checkAll(s.db)) }
