package boltstore

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// spoil flips a byte in the middle of a row, as a bad disk does.
func spoil(t *testing.T, s *Store, bucket []byte, id uint64, at int) {
	t.Helper()
	err := s.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucket)
		v := bytes.Clone(b.Get(be(id)))
		v[at] ^= 0xff
		return b.Put(be(id), v)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestASpoiledEventDoesNotStopTheOthers(t *testing.T) {
	for name, at := range map[string]int{"its head": 0, "its middle": 20} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, testOptions(t, path(t)))
			seqs := mustAppend(t, s, "1", "2", "3")
			spoil(t, s, bWal, seqs[0], at)
			s.Close()
			var log bytes.Buffer
			opt := s.opt
			opt.Log = slog.New(slog.NewTextHandler(&log, nil))
			s = mustOpen(t, opt)
			for range 2 {
				got, err := s.Read(0, 2)
				if err != nil || len(got) != 2 || got[0].Seq != seqs[1] || got[1].Seq != seqs[2] {
					t.Errorf("read %v, %v", got, err)
				}
			}
			if _, err := s.Entry(seqs[0]); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("the spoiled one: %v", err)
			}
			if _, err := s.Stats(); err != nil {
				t.Errorf("statistics: %v", err)
			}
			if s.Backlog() != 3 {
				t.Errorf("%d wait; the spoiled one is still there", s.Backlog())
			}
			if n := strings.Count(log.String(), "cannot be read"); n != 1 {
				t.Errorf("it was reported %d times:\n%s", n, log.String())
			}
		})
	}
}

func TestASpoiledCommandDoesNotStopTheOthers(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	if _, err := s.Submit(t.Context(), []engine.Command{{TaskID: "1"}, {TaskID: "2"}}, window); err != nil {
		t.Fatal(err)
	}
	s.Close() // so that they are in their tree
	s = mustOpen(t, s.opt)
	all, err := s.Deliveries(0, 10)
	s.cache.close() // what is in memory is not spoiled
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	spoil(t, s, bOutbox, all[0].ID, 4)
	if got, err := s.Deliveries(0, 10); err != nil || len(got) != 1 || got[0].ID != all[1].ID {
		t.Errorf("read %v, %v", got, err)
	}
}
