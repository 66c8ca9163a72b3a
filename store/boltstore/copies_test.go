package boltstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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

func TestACopyHoldsEverythingAcknowledgedBeforeItBegan(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	var mu sync.Mutex
	acked, stop := make(map[string]bool), make(chan struct{})
	var appending sync.WaitGroup
	for worker := range 4 {
		appending.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprint(worker, "-", i)
				if _, err := s.Append(ctx, []*engine.Event{event(id)}, window); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acked[id] = true
				mu.Unlock()
			}
		})
	}
	for range 5 {
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		must := maps.Clone(acked)
		mu.Unlock()
		to := path(t)
		if err := s.Backup(ctx, to); err != nil {
			t.Fatal(err)
		}
		c, err := Inspect(to)
		if err != nil {
			t.Fatal(err)
		}
		copied := mustOpen(t, testOptions(t, to))
		there := logged(t, copied)
		if c.Events != len(there) {
			t.Errorf("Inspect counts %d events, there are %d", c.Events, len(there))
		}
		for id := range must {
			if !there[id] {
				t.Fatalf("event %s was acknowledged before the copy began and is not in it", id)
			}
		}
		storetest.Check(t, copied)
	}
	close(stop)
	appending.Wait()
	if len(acked) == 0 {
		t.Fatal("nothing was appended")
	}
}

func TestACopyGivesWayBeforeTheDiskIsFull(t *testing.T) {
	opt := testOptions(t, path(t))
	left := int64(1 << 30)
	opt.MinFree, opt.FreeSpace = 1<<20, func(string) (int64, error) { return left, nil }
	s := mustOpen(t, opt)
	mustAppend(t, s, "1")
	to := path(t)
	_, err := Save(to, false, func(w io.Writer) error {
		return s.Copy(ctx, func(int64) io.Writer { left = 0; return w })
	})
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "store.min_free") {
		t.Errorf("got %v", err)
	}
	if got := beside(t, to); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestABackupThatFailsLeavesWhatWasThere(t *testing.T) {
	good := filled(t)
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(b); return err }
	}
	never := func(io.Writer) error { t.Error("it was written to"); return nil }
	tests := []struct {
		name  string
		at    func(t *testing.T, p string)
		force bool
		write func(io.Writer) error
		want  string
	}{
		{"a file that is not to be replaced", nil, false, never, "file already exists"},
		{"a source that breaks off", nil, true, func(w io.Writer) error { w.Write(whole[:9000]); return errors.New("broke off") }, "broke off"},
		{"half of a copy", nil, true, write(whole[:len(whole)/2]), "cut off"},
		{"no copy at all", nil, true, write([]byte("<html>502</html>")), "not a bbolt file"},
		{"nothing", nil, true, write(nil), "it is empty"},
		{"a copy with a byte changed", nil, true, write(flipped(whole)), "damaged"},
		{"a folder", func(t *testing.T, p string) { remake(t, p, os.Mkdir(p+"/", 0o700)) }, true, never, "name a file in it"},
		{"a link", func(t *testing.T, p string) { remake(t, p, os.Symlink("/dev/null", p)) }, true, never, "no regular file"},
		{"a folder that is not there", func(t *testing.T, p string) { remake(t, filepath.Dir(p), nil) }, true, never, "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := filepath.Join(t.TempDir(), "sub", "backup")
			remake(t, "", os.Mkdir(filepath.Dir(p), 0o700))
			if tt.at != nil {
				tt.at(t, p)
			} else if err := os.WriteFile(p, []byte("the last one"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Save(p, tt.force, tt.write)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if b, _ := os.ReadFile(p); tt.at == nil && string(b) != "the last one" {
				t.Errorf("what was there is now %d bytes", len(b))
			}
			if got := beside(t, p); len(got) > 1 {
				t.Errorf("left: %v", got)
			}
		})
	}
}

// flipped is a copy of a file with its first page of data spoiled.
func flipped(b []byte) []byte {
	b = append([]byte(nil), b...)
	for i := len(b) / 3; i < 2*len(b)/3; i++ {
		b[i] ^= 0xff
	}
	return b
}

// remake fails the test for err; a path that is named is removed first.
func remake(t *testing.T, p string, err error) {
	t.Helper()
	if p != "" && err == nil {
		if info, e := os.Lstat(p); e == nil && info.IsDir() && filepath.Base(p) == "sub" {
			err = os.Remove(p)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// from is how backups are restored here.
func from(force bool) RestoreOptions {
	return RestoreOptions{
		Force: force, Now: time.Date(2026, 12, 1, 3, 4, 5, 0, time.UTC),
		Note: func(c store.Contents) (string, engine.Note) { return "acc", note("from", c.AsOf.Format(time.RFC3339)) },
	}
}

func TestABackupIsRestoredWhereThereIsNoStore(t *testing.T) {
	backup, p := filled(t), path(t)
	if err := os.WriteFile(handPath(p), be(11), 0o600); err != nil {
		t.Fatal(err)
	}
	before := sum(t, backup)
	c, kept, err := Restore(backup, p, from(false))
	if err != nil || kept != "" {
		t.Fatalf("kept %q, %v", kept, err)
	}
	if c.Events != 49 || c.Commands != 10 || c.Letters != 1 {
		t.Errorf("it holds %+v", c)
	}
	s := mustOpen(t, testOptions(t, p))
	recalls(t, s, "from", c.AsOf.Format(time.RFC3339))
	if len(logged(t, s)) != 49 {
		t.Errorf("%d events are there", len(logged(t, s)))
	}
	if len(s.Suspects()) != 0 {
		t.Errorf("of an older store's events in hand it suspects %v", s.Suspects())
	}
	storetest.Check(t, s)
	if sum(t, backup) != before {
		t.Error("the backup was changed")
	}
}

func TestAStoreThatIsReplacedIsKept(t *testing.T) {
	p := path(t)
	old := mustOpen(t, testOptions(t, p))
	mustAppend(t, old, "old")
	copyStore(t, p, p+"2") // as a killed process leaves it
	if err := os.WriteFile(handPath(p+"2"), be(1), 0o600); err != nil {
		t.Fatal(err)
	}
	p += "2"
	backup := filled(t)
	if _, _, err := Restore(backup, p, from(false)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("without force: %v", err)
	}
	for n, want := range []string{".before-restore-20261201-030405", ".before-restore-20261201-030405-2"} {
		_, kept, err := Restore(backup, p, from(true))
		if err != nil || kept != p+want {
			t.Fatalf("kept %q, %v", kept, err)
		}
		s := mustOpen(t, testOptions(t, kept))
		if n == 0 && (!logged(t, s)["old"] || len(s.Suspects()) != 1) {
			t.Errorf("it holds %v and suspects %v", logged(t, s), s.Suspects())
		}
	}
	s := mustOpen(t, testOptions(t, p))
	if len(logged(t, s)) != 49 || len(s.Suspects()) != 0 {
		t.Errorf("it holds %d events and suspects %v", len(logged(t, s)), s.Suspects())
	}
}

func TestBackupsThatAreNoneAreRefusedWithTheReason(t *testing.T) {
	edit := func(change func(meta *bolt.Bucket) error) func(*testing.T) string {
		return func(t *testing.T) string {
			p := filled(t)
			db, err := bolt.Open(p, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Update(func(tx *bolt.Tx) error { return change(tx.Bucket(bMeta)) }), db.Close()); err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	tests := []struct {
		name   string
		backup func(t *testing.T) string
		want   string
	}{
		{"a newer program's", edit(func(m *bolt.Bucket) error { return m.Put(kSchema, be(fileSchema+1)) }), "a newer program wrote it"},
		{"another program's", edit(func(m *bolt.Bucket) error { return m.Delete(kMagic) }), "not a store of this program"},
		{"one that a disk has lied about", edit(func(m *bolt.Bucket) error { return m.Put(kLast, be(1)) }), "said to be written"},
		{"one that is not there", func(t *testing.T) string { return path(t) }, "no such file"},
		{"a folder", func(t *testing.T) string { return t.TempDir() }, ""},
		{"a broken one", func(t *testing.T) string {
			p := filled(t)
			b, err := os.ReadFile(p)
			if err == nil {
				err = os.WriteFile(p, flipped(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return p
		}, "damaged"},
		{"a store in use", func(t *testing.T) string { p := path(t); mustOpen(t, testOptions(t, p)); return p }, "held by process"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := filled(t)
			before := sum(t, p)
			_, _, err := Restore(tt.backup(t), p, from(true))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if sum(t, p) != before || len(beside(t, p)) != 1 {
				t.Errorf("the store was touched: %v", beside(t, p))
			}
		})
	}
	p := filled(t)
	if _, _, err := Restore(p, p, from(true)); err == nil {
		t.Error("a store was restored from itself")
	}
}

func TestAStoreInUseIsNeitherReplacedNorCompacted(t *testing.T) {
	p := path(t)
	s := mustOpen(t, testOptions(t, p))
	var held *store.HeldError
	if _, _, err := Restore(filled(t), p, from(true)); !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("restore: %v", err)
	}
	if _, _, err := Compact(p); !errors.As(err, &held) {
		t.Errorf("compact: %v", err)
	}
	if err := CopyFile(ctx, p, func(int64) io.Writer { return io.Discard }); !errors.As(err, &held) {
		t.Errorf("copy: %v", err)
	}
	mustAppend(t, s, "unharmed")
}

func TestACompactedStoreHoldsTheSameInLess(t *testing.T) {
	p := path(t)
	s := mustOpen(t, testOptions(t, p))
	var ids []string
	for i := range 3000 {
		ids = append(ids, fmt.Sprint(i))
	}
	var handling sync.WaitGroup
	for i, seq := range mustAppend(t, s, ids...) {
		if i%10 == 0 {
			continue
		}
		handling.Go(func() {
			if err := s.Commit(ctx, store.Commit{Seq: seq, Owner: "o"}); err != nil {
				t.Error(err)
			}
		})
	}
	handling.Wait()
	talk(t, s, "spoken", engine.StateKey{Account: "a", Conversation: "c"})
	mustRemember(t, s, note("k", "v"))
	killed := path(t) // with a journal that is not folded, and events in hand
	s.Begin(1)
	copyStore(t, p, killed)
	for _, p := range []string{killed, closed(t, s)} {
		want := dumped(t, p)
		before, after, err := Compact(p)
		if err != nil {
			t.Fatal(err)
		}
		if after >= before {
			t.Errorf("%d bytes before, %d after", before, after)
		}
		if got := dumped(t, p); got != want {
			t.Error("it holds something else")
		}
		for _, name := range beside(t, p) {
			if strings.Contains(name, newSuffix) || strings.HasSuffix(name, ".run") {
				t.Errorf("left: %s", name)
			}
		}
		again := mustOpen(t, testOptions(t, p))
		if p == killed && len(again.Suspects()) != 1 {
			t.Errorf("it suspects %v", again.Suspects())
		}
		mustAppend(t, again, "and it works")
		storetest.Check(t, again)
	}
}

// closed ends a store in order and returns where it is.
func closed(t *testing.T, s *Store) string {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.opt.Path
}

// dumped is what a copy of the store at p shows.
func dumped(t *testing.T, p string) string {
	t.Helper()
	opt := testOptions(t, path(t))
	opt.Now = func() time.Time { return time.Unix(0, 0) } // so that its time is the file's own
	copyStore(t, p, opt.Path)
	s := mustOpen(t, opt)
	text, err := storetest.Dump(s, storetest.Names{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWhoWaitedForAFileThatWasReplacedGetsTheNewOne: the lock is on the file, and
// what has the name is another one by the time it is free.
func TestWhoWaitedForAFileThatWasReplacedGetsTheNewOne(t *testing.T) {
	p := path(t)
	old := mustOpen(t, testOptions(t, p))
	mustAppend(t, old, "old")
	fresh := filled(t)
	opened := make(chan *Store)
	go func() {
		s, err := Open(context.Background(), testOptions(t, p))
		if err != nil {
			t.Error(err)
		}
		opened <- s
	}()
	time.Sleep(100 * time.Millisecond)
	if err := os.Rename(fresh, p); err != nil {
		t.Fatal(err)
	}
	closed(t, old)
	s := <-opened
	if s == nil {
		return
	}
	defer s.Close()
	if there := logged(t, s); there["old"] || len(there) != 49 {
		t.Errorf("it opened the file that was replaced: %d events", len(there))
	}
}
