package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// compactStep is how much of a file is copied with one transaction. Smaller ones
// leave more free pages behind, larger ones take more memory.
const compactStep = 16 << 20

// Compact writes the store at path anew, without what is free in it, and returns
// how long its file was and is. Nobody may have it open. The new file takes the
// place of the old one in one step, when it is on disk, was found whole and holds
// the same; until then the old one is as it was. Both need room at once. Errors:
// ErrHeld, fs.ErrNotExist, ErrDamaged.
func Compact(path string) (before, after int64, err error) {
	f, err := take(path, lockWait)
	if err != nil {
		return 0, 0, err
	}
	defer f.release()
	removeLeftovers(path, Options{}.withDefaults().Log)
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, wrap("compact store", err)
	}
	fresh, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newSuffix+"*")
	if err != nil {
		return 0, 0, wrap("compact store", err)
	}
	defer os.Remove(fresh.Name()) // where it was renamed, there is nothing of that name
	if err := errors.Join(giveTo(fresh, info), fresh.Close(), compactInto(fresh.Name(), f.db)); err != nil {
		return 0, 0, wrap("compact store", err)
	}
	c, err := Inspect(fresh.Name())
	if err != nil {
		return 0, 0, fmt.Errorf("compact store: the new file is no good, the old one stays: %w", err)
	}
	if err := os.Rename(fresh.Name(), path); err != nil {
		return 0, 0, wrap("compact store", err)
	}
	return info.Size(), c.Bytes, wrap("compact store", syncDir(filepath.Dir(path)))
}

// compactInto copies a store to an empty file and compares the two. When it returns
// the file is on disk.
func compactInto(path string, from *bolt.DB) error {
	to, err := bolt.Open(path, 0o600, &bolt.Options{
		NoSync: true, NoFreelistSync: true, FreelistType: bolt.FreelistMapType, PageSize: from.Info().PageSize,
	})
	if err != nil {
		return err
	}
	err = bolt.Compact(to, from, compactStep)
	if err == nil {
		err = markClean(to)
	}
	if err == nil {
		err = sameContents(from, to)
	}
	used := int64(0)
	if err == nil {
		err = to.View(func(tx *bolt.Tx) error { used = tx.Size(); return nil })
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	return trim(path, used)
}

// trim cuts off the room that bbolt has made ahead, and returns when all is on disk.
func trim(path string, used int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(used)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sameContents is an error where two files do not hold the same, but for what
// each says of its own commits.
func sameContents(a, b *bolt.DB) error {
	return a.View(func(a *bolt.Tx) error {
		return b.View(func(b *bolt.Tx) error { return sameBuckets(a.Cursor(), b.Cursor(), a.Bucket, b.Bucket) })
	})
}

func sameBuckets(a, b *bolt.Cursor, inA, inB func(name []byte) *bolt.Bucket) error {
	k, v := a.First()
	for l, w := b.First(); k != nil || l != nil; l, w = b.Next() {
		if !bytes.Equal(k, l) || (v == nil) != (w == nil) {
			return fmt.Errorf("the new file differs at %x", k)
		}
		switch {
		case v != nil:
			if !bytes.Equal(v, w) && !bytes.Equal(k, kLast) && !bytes.Equal(k, kClean) {
				return fmt.Errorf("the new file differs in %x", k)
			}
		default:
			p, q := inA(k), inB(k)
			if p.Sequence() != q.Sequence() {
				return fmt.Errorf("the new file counts %x differently", k)
			}
			if err := sameBuckets(p.Cursor(), q.Cursor(), p.Bucket, q.Bucket); err != nil {
				return err
			}
		}
		k, v = a.Next()
	}
	return nil
}
