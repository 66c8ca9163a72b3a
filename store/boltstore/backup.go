package boltstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bot/store"

	bolt "go.etcd.io/bbolt"
)

var _ store.Copier = (*Store)(nil)

// copyChunk is what is written at once, and how often a copy looks whether it
// is still wanted and still does no harm.
const copyChunk = 1 << 20

// syncEvery keeps what is not written back yet short. Commits of a store on the
// same disk wait for all of it.
const syncEvery = 8 * copyChunk

// Copy writes the store as it is now (store.Copier). The store goes on
// meanwhile, but no page that is freed can be used again until the copy is done,
// so its file grows by what is written. The copy gives way before that costs
// what MinFree keeps for handling.
func (s *Store) Copy(ctx context.Context, begin func(bytes int64) io.Writer) error {
	return wrap("copy store", s.read(func(tx *bolt.Tx) error {
		return copyTo(tx, begin, func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return s.roomToCopy()
		})
	}))
}

// roomToCopy is ErrFull when a copy would take room that handling needs. Pages
// that wait for a reader do not count: it is the copy that they wait for.
func (s *Store) roomToCopy() error {
	free, err := s.opt.FreeSpace(s.space.dir)
	if err != nil || s.opt.MinFree <= 0 {
		return nil
	}
	if free += int64(s.db.Stats().FreePageN) * int64(s.db.Info().PageSize); free < s.opt.MinFree {
		return fmt.Errorf("%w: %d bytes are left beside it, fewer than store.min_free (%d), and a copy makes it grow", store.ErrFull, free, s.opt.MinFree)
	}
	return nil
}

// CopyFile writes a store that nobody has open, in the manner of Store.Copy.
// Errors: ErrHeld when somebody has it, fs.ErrNotExist, ErrDamaged.
func CopyFile(ctx context.Context, path string, begin func(bytes int64) io.Writer) error {
	f, err := take(path, 0)
	if err != nil {
		return err
	}
	defer f.release()
	return wrap("copy store", f.db.View(func(tx *bolt.Tx) error { return copyTo(tx, begin, ctx.Err) }))
}

func copyTo(tx *bolt.Tx, begin func(bytes int64) io.Writer, may func() error) error {
	if err := may(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(&asking{may, begin(tx.Size())}, copyChunk)
	if _, err := tx.WriteTo(out); err != nil {
		return err
	}
	return out.Flush()
}

// asking asks before each write whether there may be another.
type asking struct {
	may func() error
	w   io.Writer
}

func (a *asking) Write(b []byte) (int, error) {
	if err := a.may(); err != nil {
		return 0, err
	}
	return a.w.Write(b)
}

// Save has write make a copy of a store, in a new file beside path, and gives
// it that name once it is on disk and was found whole: whatever happens, what is
// at path is what was there or the copy. A file that is there is replaced only
// with force, else the error is fs.ErrExist. A process that dies meanwhile leaves
// a file path.new-*.
func Save(path string, force bool, write func(io.Writer) error) (c store.Contents, err error) {
	defer func() {
		if err != nil {
			c, err = store.Contents{}, wrap("write backup "+path, err)
		}
	}()
	if err := mayWrite(path, force); err != nil {
		return c, err
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, filepath.Base(path)+newSuffix+"*")
	if err != nil {
		return c, err
	}
	defer os.Remove(f.Name()) // where it was renamed, there is nothing of that name
	if err := fillAndSync(f, write); err != nil {
		return c, err
	}
	if c, err = Inspect(f.Name()); err != nil {
		return c, fmt.Errorf("the copy is no good: %w", err)
	}
	if err := mayWrite(path, force); err != nil { // it took a while
		return c, err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return c, err
	}
	return c, syncDir(dir)
}

// mayWrite tells whether a backup may be put at path. What is no file, such as
// /dev/null or a link, is not replaced by one.
func mayWrite(path string, force bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder; name a file in it")
	case !info.Mode().IsRegular():
		return errors.New("there is something that is no regular file")
	case !force:
		return fs.ErrExist
	}
	return nil
}

// fillAndSync has write fill the file, closes it, and returns when it is on disk.
func fillAndSync(f *os.File, write func(io.Writer) error) error {
	err := write(&synced{f: f})
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// synced writes to a file and does not let it get far ahead of the disk.
type synced struct {
	f     *os.File
	ahead int
}

func (s *synced) Write(b []byte) (int, error) {
	n, err := s.f.Write(b)
	if s.ahead += n; err == nil && s.ahead >= syncEvery {
		s.ahead, err = 0, s.f.Sync()
	}
	return n, err
}

// CheckNow checks every page of the file. It must not run beside acts: bbolt's
// check reads the list of free pages without a lock.
func (s *Store) CheckNow() error { return wrap("check store", checkAll(s.db)) }
