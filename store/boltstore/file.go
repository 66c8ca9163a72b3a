package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// What meta says of the file.
const (
	fileMagic  = "bot store"
	fileSchema = 3
	// oldSchema is made the present one at open: its long values are in their rows,
	// where they are read as before.
	oldSchema = 2
)

var (
	kMagic  = []byte("magic")
	kSchema = []byte("schema")
	kClean  = []byte("clean")
	kLast   = []byte("last")
)

// What files beside the store end with, before a random part.
const (
	newSuffix   = ".new-"
	indexSuffix = ".idx-"
)

// create makes an empty store where there is no file. A file that is created
// in place can be half there after a power cut, so it is built under another
// name and linked when it is whole; the link fails if somebody was faster.
func create(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, filepath.Base(path)+newSuffix+"*")
	if err != nil {
		return err
	}
	tmp := f.Name()
	defer os.Remove(tmp)
	if err := f.Close(); err != nil {
		return err
	}
	if err := build(tmp); err != nil {
		return err
	}
	if err := os.Link(tmp, path); err != nil {
		if _, e := os.Lstat(path); e == nil {
			return nil // somebody was faster
		}
		return err
	}
	return syncDir(dir)
}

// build writes the buckets of an empty store.
func build(path string) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoFreelistSync: true, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range slices.Concat(buckets, added) {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		b := tx.Bucket(bBallast)
		if err := fillBallast(b, b.Put); err != nil {
			return err
		}
		meta := tx.Bucket(bMeta)
		if err := meta.Put(kMagic, []byte(fileMagic)); err != nil {
			return err
		}
		if err := meta.Put(kSchema, be(fileSchema)); err != nil {
			return err
		}
		return markLast(tx)
	})
	if err == nil {
		err = markClean(db)
	}
	if e := db.Close(); err == nil {
		err = e
	}
	return err
}

// identify tells whether the file is a store that this program knows, and
// whether its last process ended in order. It writes nothing.
func identify(db *bolt.DB) (clean bool, err error) {
	err = db.View(func(tx *bolt.Tx) error {
		meta := tx.Bucket(bMeta)
		if meta == nil || string(meta.Get(kMagic)) != fileMagic {
			return errors.New("it is not a store of this program")
		}
		if n := unbe(meta.Get(kSchema)); n < oldSchema || n > fileSchema {
			wrote := "a newer"
			if n < oldSchema {
				wrote = "an older" // before there was a release
			}
			return fmt.Errorf("it has schema %d, this program knows %d; %s program wrote it", n, fileSchema, wrote)
		}
		for _, name := range buckets {
			if tx.Bucket(name) == nil {
				return fmt.Errorf("bucket %s is missing", name)
			}
		}
		clean = unbe(meta.Get(kClean)) == uint64(tx.ID())
		if last := unbe(meta.Get(kLast)); last != uint64(tx.ID()) {
			return fmt.Errorf("its pages are of commit %d, its root of commit %d: a disk lost what it had said to be written", last, tx.ID())
		}
		return nil
	})
	return clean, err
}

// modernise adds what the file of an older program lacks. A file that lacks
// nothing is left as it is.
func modernise(db *bolt.DB) error {
	complete := true
	err := db.View(func(tx *bolt.Tx) error {
		complete = unbe(tx.Bucket(bMeta).Get(kSchema)) == fileSchema
		for _, name := range added {
			complete = complete && tx.Bucket(name) != nil
		}
		return nil
	})
	if err != nil || complete {
		return wrap("look for buckets", err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range added {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return errors.Join(tx.Bucket(bMeta).Put(kSchema, be(fileSchema)), markLast(tx))
	})
	return wrap("bring the file up to date", err)
}

// markLast names the transaction among its own pages, as every commit does. If
// the root that bbolt finds is another's, the disk has lost some of them.
func markLast(tx *bolt.Tx) error { return tx.Bucket(bMeta).Put(kLast, be(uint64(tx.ID()))) }

// markClean names its own transaction as the last one. Any later commit makes
// the mark void, so that nothing has to be written to take it back, which a
// full disk could refuse. A file that bears a valid mark is left as it is.
func markClean(db *bolt.DB) error {
	if clean, err := identify(db); err == nil && clean {
		return nil
	}
	err := db.Update(func(tx *bolt.Tx) error {
		if err := tx.Bucket(bMeta).Put(kClean, be(uint64(tx.ID()))); err != nil {
			return err
		}
		return markLast(tx)
	})
	return wrap("mark clean end", err)
}

// removeLeftovers deletes what a process that died left beside the file. Only
// the holder of the file may call it.
func removeLeftovers(path string, log *slog.Logger) {
	for _, suffix := range []string{newSuffix, indexSuffix} {
		left, _ := filepath.Glob(globEscape(path+suffix) + "*")
		for _, name := range left {
			if err := os.Remove(name); err != nil {
				log.Warn("leftover stays", "file", name, "error", err)
			}
		}
	}
}

func globEscape(s string) string {
	var b []byte
	for i := range len(s) {
		switch s[i] {
		case '*', '?', '[', '\\':
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return string(b)
}

// syncDir makes names that were just made or changed survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
