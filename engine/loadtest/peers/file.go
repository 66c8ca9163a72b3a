package peers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// file is a bbolt file with the engine's own settings. What is written to it while
// others are being made durable becomes durable together.
type file struct {
	db   *bolt.DB
	line *line[write]
}

// write is a change of the file.
type write struct {
	key []byte // to know a callback by; nil for none
	run func(*bolt.Tx) error
}

var bucketLog, bucketKeys, bucketStates, bucketReplies = []byte("log"), []byte("keys"), []byte("states"), []byte("replies")

// newFile makes one with all buckets, of which each peer uses what it needs.
func newFile(path string) (file, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoFreelistSync: true, FreelistType: bolt.FreelistMapType, InitialMmapSize: 1 << 30})
	if err != nil {
		return file{}, fmt.Errorf("open %s: %w", path, err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{bucketLog, bucketKeys, bucketStates, bucketReplies} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		db.Close()
		return file{}, fmt.Errorf("write %s: %w", path, err)
	}
	return file{db, newLine[write]()}, nil
}

// commits does so until ctx is done or the disk fails.
func (f *file) commits(ctx context.Context) error { return f.line.serve(ctx, f.commit) }

func (f *file) commit(writes []write) error {
	err := f.db.Update(func(tx *bolt.Tx) error {
		var block []byte // one row for the keys of a commit
		for _, w := range writes {
			if err := w.run(tx); err != nil {
				return err
			}
			block = append(block, w.key...)
		}
		if block == nil {
			return nil
		}
		keys := tx.Bucket(bucketKeys)
		keys.FillPercent = 0.9
		return keys.Put(be(tx.Bucket(bucketLog).Sequence()), block)
	})
	if err != nil {
		return fmt.Errorf("commit %d writes: %w", len(writes), err)
	}
	return nil
}

// log keeps a callback, and a key to know it by. It returns when both are durable.
func (f *file) log(body []byte) (number []byte, err error) {
	key := sha256.Sum256(body)
	err = f.line.add(write{key[:16], func(tx *bolt.Tx) error {
		log := tx.Bucket(bucketLog)
		log.FillPercent = 0.9
		n, err := log.NextSequence()
		if err != nil {
			return err
		}
		number = be(n)
		return log.Put(number, body)
	}})
	return number, err
}

func be(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
