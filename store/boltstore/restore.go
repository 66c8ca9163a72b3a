package boltstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// RestoreOptions say how a backup becomes a store.
type RestoreOptions struct {
	// Force allows to replace a store, which is kept under another name.
	Force bool
	Now   time.Time // is part of that name
	// Note is left in the store, for an account, before it is at its place: a mark
	// of where it comes from that no crash can come before.
	Note func(store.Contents) (account string, note engine.Note)
}

// Restore puts a copy of a backup in the place of a store, which nobody may have
// open, and returns what it holds and what the store that was there is called now
// ("" for none). What is at path is at any moment what was there or the whole
// copy. The notes of events in hand go with the store that was there; other files
// beside it, which tell of times and not of places in a store, stay. Errors:
// ErrHeld, fs.ErrExist for want of force, and those of Inspect.
func Restore(backup, path string, o RestoreOptions) (c store.Contents, kept string, err error) {
	if c, err = Inspect(backup); err != nil {
		return c, "", wrap("read backup", err)
	}
	old, err := vacate(backup, path, o.Force)
	if err != nil {
		return c, "", wrap("restore to "+path, err)
	}
	defer old.release()
	account, note := o.Note(c)
	fresh, err := prepareCopy(backup, path, old.like, account, note)
	if err != nil {
		return c, "", wrap("restore to "+path, err)
	}
	defer os.Remove(fresh)
	kept, err = old.replace(fresh, path, o.Now)
	return c, kept, wrap("restore to "+path, err)
}

// site is where a store is to be: one that is there is locked.
type site struct {
	there   bool
	like    fs.FileInfo // whose owner the new file gets
	release func()
}

// vacate makes sure that path may be taken, and that nobody opens what is there.
func vacate(backup, path string, force bool) (*site, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		dir, err := os.Stat(filepath.Dir(path))
		return &site{like: dir, release: func() {}}, err
	}
	if err == nil {
		err = mayWrite(path, force)
	}
	if err != nil {
		return nil, err
	}
	if b, err := os.Stat(backup); err == nil && os.SameFile(b, info) {
		return nil, errors.New("the backup is that store itself")
	}
	f, locked, err := lockNamed(path, os.O_RDWR, 0, lockWait)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		run, _ := ReadRun(path)
		err = &store.HeldError{Path: path, PID: run.PID}
	case err == nil && !locked:
		err = errors.New("whether somebody has the store open cannot be told on this system; move it aside yourself")
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	return &site{true, info, occupy(path, f.Close)}, nil
}

// prepareCopy makes the store that is to be at path, beside it: a copy of the
// backup with the note in it, checked and on disk.
func prepareCopy(backup, path string, like fs.FileInfo, account string, note engine.Note) (name string, err error) {
	in, err := os.Open(backup)
	if err != nil {
		return "", err
	}
	defer in.Close()
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newSuffix+"*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(giveTo(f, like), fillAndSync(f, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	}))
	if err == nil {
		err = leaveNote(f.Name(), account, note)
	}
	if err == nil {
		_, err = Inspect(f.Name())
	}
	return f.Name(), err
}

// leaveNote writes a note into a file that is no store in use.
func leaveNote(path, account string, note engine.Note) error {
	db, err := openFile(Options{Path: path, MapSize: 1}.withDefaults(), 0)
	if err != nil {
		return err
	}
	w, err := prepareNote(account, note)
	if err == nil {
		err = modernise(db)
	}
	if err == nil {
		err = db.Update(func(tx *bolt.Tx) error {
			return errors.Join(tx.Bucket(bNotes).Put(w.key, w.row), markLast(tx))
		})
	}
	if err == nil {
		err = markClean(db)
	}
	return errors.Join(err, db.Close())
}

// replace gives the file at fresh the name path, in one step, and another name
// beside it to what is there.
func (p *site) replace(fresh, path string, now time.Time) (kept string, err error) {
	dir := filepath.Dir(path)
	if !p.there {
		// The link fails where an engine has begun an empty store meanwhile.
		if err := errors.Join(removeHand(path), os.Link(fresh, path)); err != nil {
			return "", err
		}
		return "", syncDir(dir)
	}
	if kept, err = keepBeside(path, now); err != nil {
		return "", err
	}
	// Events are numbered anew from where the backup was: the old store's notes of
	// what was in hand would be about others.
	if err := os.Rename(handPath(path), handPath(kept)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(fresh, path); err != nil {
		os.Rename(handPath(kept), handPath(path))
		os.Remove(kept)
		return "", err
	}
	return kept, syncDir(dir)
}

func removeHand(path string) error {
	if err := os.Remove(handPath(path)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// keepBeside gives the file at path a second name that nothing has yet.
func keepBeside(path string, now time.Time) (kept string, err error) {
	base := path + ".before-restore-" + now.Format("20060102-150405")
	kept = base
	for n := 2; ; n++ {
		if err = os.Link(path, kept); !errors.Is(err, fs.ErrExist) {
			return kept, err
		}
		kept = fmt.Sprintf("%s-%d", base, n)
	}
}
