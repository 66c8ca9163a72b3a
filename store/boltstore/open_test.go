package boltstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
	"bot/store/storetest"

	bolt "go.etcd.io/bbolt"
)

const window = 72 * time.Hour

func event(id string) *engine.Event {
	return &engine.Event{Account: "acc", Kind: engine.Message, ID: id, Conversation: "c" + id, Sender: "s", Text: "text of " + id}
}

func mustAppend(t testing.TB, s *Store, ids ...string) []uint64 {
	t.Helper()
	var events []*engine.Event
	for _, id := range ids {
		events = append(events, event(id))
	}
	got, err := s.Append(context.Background(), events, window)
	if err != nil {
		t.Fatal(err)
	}
	return got.Seqs
}

// logged returns the ids of the events in the log.
func logged(t testing.TB, s *Store) map[string]bool {
	t.Helper()
	entries, err := s.Read(0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]bool)
	for _, e := range entries {
		ids[e.Event.ID] = true
	}
	return ids
}

// filled returns the path of a closed store with something of every kind.
func filled(t *testing.T) string {
	t.Helper()
	s := mustOpen(t, testOptions(t, path(t)))
	ctx := context.Background()
	var ids []string
	for i := range 60 {
		ids = append(ids, fmt.Sprint(i))
	}
	mustAppend(t, s, ids...)
	for seq := uint64(1); seq <= 10; seq++ {
		c := store.Commit{Seq: seq, Owner: "o", Commands: []engine.Command{{TaskID: fmt.Sprint("t", seq)}},
			Once:   []store.Once{{Key: fmt.Sprint(seq), Until: s.Now().Add(time.Hour)}},
			States: []store.StateWrite{{Key: engine.StateKey{Sender: fmt.Sprint(seq)}, State: engine.State{Skill: "x", Expires: s.Now().Add(time.Hour)}}}}
		if err := s.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Fail(ctx, store.Failure{Seq: 30, Bury: true}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.opt.Path
}

func sum(t *testing.T, name string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

// refused opens a file that must be found damaged and left alone.
func refused(t *testing.T, name string) error {
	t.Helper()
	before := sum(t, name)
	s, err := Open(context.Background(), testOptions(t, name))
	if err == nil {
		s.Close()
		t.Fatal("it was opened")
	}
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(err.Error(), "restore a backup") {
		t.Errorf("no way out is named: %v", err)
	}
	if sum(t, name) != before {
		t.Error("the file was changed")
	}
	return err
}

func TestFilesThatAreNoStoreAreRefusedAndLeftAlone(t *testing.T) {
	write := func(b []byte) func(*testing.T, string) {
		return func(t *testing.T, name string) {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	foreign := func(fill func(*bolt.Tx) error) func(*testing.T, string) {
		return func(t *testing.T, name string) {
			db, err := bolt.Open(name, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Update(fill); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, make := range map[string]func(*testing.T, string){
		"an empty file":     write(nil),
		"a short text":      write([]byte("hello")),
		"a long text":       write(bytes.Repeat([]byte("hello, world. "), 10000)),
		"zeroes":            write(make([]byte, 1<<16)),
		"another's bbolt":   foreign(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("x")); return err }),
		"another's meta":    foreign(func(tx *bolt.Tx) error { _, err := tx.CreateBucket(bMeta); return err }),
		"an empty database": foreign(func(*bolt.Tx) error { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			p := path(t)
			make(t, p)
			refused(t, p)
		})
	}
}

func TestStoreOfANewerProgramIsRefused(t *testing.T) {
	p := filled(t)
	db, err := bolt.Open(p, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bolt.Tx) error { return tx.Bucket(bMeta).Put(kSchema, be(fileSchema+1)) }); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if err := refused(t, p); !strings.Contains(err.Error(), "newer") {
		t.Errorf("got %v", err)
	}
}

func TestFolderIsNoStore(t *testing.T) {
	if s, err := Open(context.Background(), testOptions(t, t.TempDir())); err == nil {
		s.Close()
		t.Error("it was opened")
	}
}

func TestMissingFolderIsNamed(t *testing.T) {
	_, err := Open(context.Background(), testOptions(t, filepath.Join(t.TempDir(), "no", "bot.db")))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestTruncatedFileIsRefused(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []int{1, 10, 25, 50, 75} {
		t.Run(fmt.Sprint(share, "%"), func(t *testing.T) {
			p := path(t)
			// bbolt makes files larger than they need; cut into what is used.
			db := usedBytes(t, whole)
			if err := os.WriteFile(p, whole[:db*share/100], 0o600); err != nil {
				t.Fatal(err)
			}
			refused(t, p)
		})
	}
}

func usedBytes(t *testing.T, file []byte) int {
	t.Helper()
	m, err := readMeta(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return int(m.pages * m.pageSize)
}

// Wherever a byte changes, the store is refused, or it opens and every record
// it returns is one that was written.
func TestFlippedBytesNeverBecomeOtherRecords(t *testing.T) {
	p := filled(t)
	whole, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	used := usedBytes(t, whole)
	opened, damage := 0, 0
	for at := 0; at < used; at += 701 {
		if around := whole[max(0, at-100):min(used, at+100)]; len(bytes.Trim(around, "\x00")) == 0 && at%16 != 0 {
			continue // the reserve, and what is free: a few will do
		}
		file := bytes.Clone(whole)
		file[at] ^= 0x41
		name := path(t)
		if err := os.WriteFile(name, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(context.Background(), testOptions(t, name))
		if err != nil {
			if !errors.Is(err, store.ErrDamaged) {
				t.Fatalf("byte %d: %v", at, err)
			}
			damage++
			continue
		}
		opened++
		entries, err := s.Read(0, 1000)
		if err != nil && !errors.Is(err, store.ErrDamaged) {
			t.Fatalf("byte %d: %v", at, err)
		}
		for _, e := range entries {
			if want := "text of " + e.Event.ID; e.Event.Text != want || e.Event.Sender != "s" {
				t.Fatalf("byte %d: event became %+v", at, e.Event)
			}
		}
		if err := s.Close(); err != nil && !errors.Is(err, store.ErrFailed) {
			t.Fatalf("byte %d: close: %v", at, err)
		}
	}
	if opened == 0 || damage == 0 {
		t.Errorf("%d opened, %d refused: one side was not tried", opened, damage)
	}
}

func TestLeftoversOfACrashedStartAreRemoved(t *testing.T) {
	p := path(t)
	for _, suffix := range []string{newSuffix + "123", indexSuffix + "456"} {
		if err := os.WriteFile(p+suffix, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	neighbour := filepath.Join(filepath.Dir(p), "other.db"+newSuffix+"1")
	if err := os.WriteFile(neighbour, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, testOptions(t, p))
	if got := beside(t, p); len(got) != 3 {
		t.Errorf("beside the open store lie %v", got)
	}
	s.Close()
	if got := beside(t, p); len(got) != 1 {
		t.Errorf("beside the closed store lie %v", got)
	}
	if _, err := os.Stat(neighbour); err != nil {
		t.Errorf("a neighbour's file is gone: %v", err)
	}
}

// beside lists the store's own files.
func beside(t *testing.T, p string) []string {
	t.Helper()
	names, err := filepath.Glob(p + "*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestOfTwoFirstStartsOneGetsTheStore(t *testing.T) {
	p := path(t)
	var mu sync.Mutex
	var won []*Store
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			s, err := Open(context.Background(), testOptions(t, p))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, s)
			} else if !errors.Is(err, store.ErrHeld) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Errorf("%d got it", len(won))
	}
	for _, s := range won {
		s.Close()
	}
}

// A file that is locked makes opening hang, for as long as lockWait.
func TestOpenGivesUpInTime(t *testing.T) {
	p := filled(t)
	holder := mustOpen(t, testOptions(t, p))
	opt := testOptions(t, p)
	opt.OpenTimeout = 10 * time.Millisecond
	if _, err := Open(context.Background(), opt); err == nil || !strings.Contains(err.Error(), "not done after") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, testOptions(t, p)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	// What was given up closes itself when it is done, so the file is free.
	mustOpen(t, testOptions(t, p))
}

func TestCleanEndIsToldFromACrash(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	isClean := func(s *Store) bool {
		clean, err := identify(s.db)
		if err != nil {
			t.Fatal(err)
		}
		return clean
	}
	if !isClean(s) {
		t.Error("a fresh store counts as crashed")
	}
	mustAppend(t, s, "1")
	if isClean(reopen(t, s)) {
		t.Error("a crash counts as clean")
	}
	s.Close()
	if !isClean(mustOpen(t, s.opt)) {
		t.Error("a clean end counts as a crash")
	}
}

func TestRunFileTellsWhoHasTheStore(t *testing.T) {
	p := path(t)
	s := mustOpen(t, testOptions(t, p))
	if r, err := ReadRun(p); err != nil || r.PID != os.Getpid() {
		t.Errorf("got %+v, %v", r, err)
	}
	want := Run{PID: 7, Admin: "127.0.0.1:1", Callback: ":80"}
	if err := WriteRun(p, want); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadRun(p); err != nil || r != want {
		t.Errorf("got %+v, %v", r, err)
	}
	s.Close()
	if _, err := ReadRun(p); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the end: %v", err)
	}
}

func TestGarbageInTheHandFileIsHarmless(t *testing.T) {
	p := filled(t)
	if err := os.WriteFile(handPath(p), append(be(25), "abcdefgh123"...), 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, testOptions(t, p))
	if got := s.Suspects(); len(got) != 1 || got[0] != 25 {
		t.Errorf("suspects %v", got)
	}
}

func TestCleanEndLeavesNothingInHand(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	end := s.Begin(mustAppend(t, s, "1")[0])
	s.Close()
	end()
	if got := mustOpen(t, s.opt).Suspects(); len(got) != 0 {
		t.Errorf("suspects %v", got)
	}
}

// What is due lies in the file, whether the journal or the trees have it.
func TestWhatIsDueSurvivesAnEndInOrder(t *testing.T) {
	clock := storetest.NewClock()
	opt := testOptions(t, path(t))
	opt.Now, opt.Uptime = clock.Now, clock.Uptime
	s := mustOpen(t, opt)
	err := s.Commit(ctx, store.Commit{Seq: mustAppend(t, s, "1")[0], Owner: "o", States: []store.StateWrite{{
		Key:   engine.StateKey{Account: "acc", Conversation: "c1", Sender: "s"},
		State: engine.State{Skill: "form", Expires: s.Now().Add(time.Minute), Notify: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Hour)
	again := mustOpen(t, opt)
	if events, ended, more, err := again.Fire(ctx); err != nil || events != 1 || ended != 0 || more {
		t.Errorf("%d events, %d ended, more %v, %v; want one event", events, ended, more, err)
	}
}
