package boltstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

var ctx = context.Background()

// failAfter makes commits end with err although they were made, as when the
// second sync fails.
func failAfter(s *Store, err error) {
	s.update = func(fn func(*bolt.Tx) error) error {
		if e := s.db.Update(fn); e != nil {
			return e
		}
		return err
	}
}

// failBefore makes commits end with err and leave nothing, as when the first
// sync or a write fails.
func failBefore(s *Store, err error) {
	s.update = func(fn func(*bolt.Tx) error) error {
		return s.db.Update(func(tx *bolt.Tx) error {
			if e := fn(tx); e != nil {
				return e
			}
			return err
		})
	}
}

// together hands acts over so that they share a batch, and returns their answers.
func together(s *Store, acts ...*act) []error {
	s.queue.mu.Lock()
	b := &batch{since: time.Now(), done: make(chan struct{}), acts: acts}
	for _, a := range acts {
		a.now, a.steady = s.clock.stamp()
	}
	s.queue.waiting = append(s.queue.waiting, b)
	s.queue.press()
	s.queue.mu.Unlock()
	<-b.done
	errs := make([]error, len(acts))
	for i, a := range acts {
		errs[i] = a.err
	}
	return errs
}

func TestFailedSyncPutsTheStoreOutOfService(t *testing.T) {
	for name, fail := range map[string]func(*Store, error){"first sync": failBefore, "second sync": failAfter} {
		for _, cause := range []error{syscall.EIO, syscall.ENOSPC} {
			if name == "first sync" && cause == syscall.ENOSPC {
				continue // that is a full disk, see below
			}
			t.Run(fmt.Sprint(name, " ", cause), func(t *testing.T) {
				s := mustOpen(t, testOptions(t, path(t)))
				mustAppend(t, s, "before")
				fail(s, cause)
				if _, err := s.Append(ctx, []*engine.Event{event("1")}, window); !errors.Is(err, store.ErrFailed) || !errors.Is(err, cause) {
					t.Errorf("got %v", err)
				}
				select {
				case <-s.Failed():
				default:
					t.Error("Failed is open")
				}
				if !errors.Is(s.Err(), store.ErrFailed) {
					t.Errorf("Err is %v", s.Err())
				}
				s.update = s.db.Update
				if err := s.Commit(ctx, store.Commit{Seq: 1}); !errors.Is(err, store.ErrFailed) {
					t.Errorf("a later act: %v", err)
				}
				if got := logged(t, reopen(t, s)); !got["before"] {
					t.Errorf("an acknowledged event is lost: %v", got)
				}
			})
		}
	}
}

// A crash after any commit finds all of an act or nothing of it, and no act
// needs two commits.
func TestEachCommitHoldsWholeActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where nobody is idle for long enough to fold
		s := mustOpen(t, testOptions(t, path(t)))
		defer s.Close()
		var files [][]byte // after each commit
		s.update = func(fn func(*bolt.Tx) error) error {
			err := s.db.Update(fn)
			file, readErr := os.ReadFile(s.opt.Path)
			if readErr != nil {
				t.Error(readErr)
			}
			files = append(files, file)
			return err
		}
		k := engine.StateKey{Account: "acc", Conversation: "c1", Sender: "s"}
		seq := mustAppend(t, s, "1")[0]
		err := s.Commit(ctx, store.Commit{Seq: seq, Owner: "o",
			States:   []store.StateWrite{{Key: k, State: engine.State{Skill: "form", Node: "name"}}},
			Once:     []store.Once{{Account: "acc", Skill: "form", Key: "k", Until: s.Now().Add(time.Hour)}},
			Commands: []engine.Command{{TaskID: "t", Account: "acc", Conversation: "c1", Action: engine.SendText, Text: "hello"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"1 logged and known true; states 0, commands 0, once-keys 0",
			"0 logged and known true; states 1, commands 1, once-keys 1",
		}
		var got []string
		for _, file := range files {
			opt := s.opt
			opt.Path = path(t)
			if err := os.WriteFile(opt.Path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			image := mustOpen(t, opt)
			got = append(got, holdings(t, image, k))
			image.Close()
		}
		if !slices.Equal(got, want) {
			t.Errorf("the commits hold\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// holdings tells what a store has of event 1 and of what was done about it.
func holdings(t *testing.T, s *Store, k engine.StateKey) string {
	t.Helper()
	known, err := s.Seen(event("1").Key(), window)
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.State(k)
	if err != nil {
		t.Fatal(err)
	}
	states := 0
	if st.Exists() {
		states = 1
	}
	commands, err := s.Deliveries(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	once := 0
	err = s.read(func(tx *bolt.Tx) error {
		return eachPeriod(tx.Bucket(bOnce), func(_ []byte, b *bolt.Bucket) { once += count(b) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d logged and known %v; states %d, commands %d, once-keys %d", len(logged(t, s)), known, states, len(commands), once)
}

func TestWaitersOfAFailedStoreAreAnswered(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	failAfter(s, syscall.EIO)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if _, err := s.Append(ctx, []*engine.Event{event(fmt.Sprint(i))}, window); !errors.Is(err, store.ErrFailed) {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
}

func TestPanicOfAnActPutsTheStoreOutOfService(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	err := s.do(ctx, &act{run: func(*txn) error { panic("boom") }})
	if !errors.Is(err, store.ErrFailed) || !strings.Contains(err.Error(), "boom") {
		t.Errorf("got %v", err)
	}
	if _, err := s.Append(ctx, []*engine.Event{event("1")}, window); !errors.Is(err, store.ErrFailed) {
		t.Errorf("a later act: %v", err)
	}
}

func TestFullDiskRefusesGrowthOnly(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	seq := mustAppend(t, s, "1")[0]
	// As long as there is no room, only what appends nothing fits.
	s.update = func(fn func(*bolt.Tx) error) error {
		return s.db.Update(func(tx *bolt.Tx) error {
			before := tx.Bucket(bWal).Sequence()
			if err := fn(tx); err != nil {
				return err
			}
			if tx.Bucket(bWal).Sequence() > before {
				return fmt.Errorf("write: %w", syscall.ENOSPC)
			}
			return nil
		})
	}
	grow := &act{grows: true, run: func(t *txn) error {
		t.log(event("2"), store.EncodeEvent(event("2")))
		return nil
	}}
	shrink := &act{run: (&commit{seq: seq}).run}
	errs := together(s, grow, shrink)
	if !errors.Is(errs[0], store.ErrFull) || errs[1] != nil {
		t.Errorf("growing: %v, shrinking: %v", errs[0], errs[1])
	}
	if s.Err() != nil {
		t.Errorf("the store failed: %v", s.Err())
	}
	s.update = s.db.Update
	mustAppend(t, s, "2")
}

func TestDiskTooFullForAnythingRefusesAll(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	seq := mustAppend(t, s, "1")[0]
	failBefore(s, fmt.Errorf("file sync error: %s", syscall.ENOSPC))
	if err := s.Commit(ctx, store.Commit{Seq: seq}); !errors.Is(err, store.ErrFull) {
		t.Errorf("got %v", err)
	}
	s.update = s.db.Update
	if err := s.Commit(ctx, store.Commit{Seq: seq}); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestReserveOnTheDiskIsLeftToHandling(t *testing.T) {
	opt := testOptions(t, path(t))
	var free atomic.Int64
	free.Store(1 << 30)
	opt.MinFree = 1 << 20
	opt.FreeSpace = func(string) (int64, error) { return free.Load(), nil }
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, opt)
		seq := mustAppend(t, s, "1")[0]
		free.Store(1000)
		time.Sleep(2 * time.Second)
		if st, err := s.Stats(); err != nil || st.RoomBytes < 1000 || st.RoomBytes > 1<<20 {
			t.Errorf("%d bytes of room, %v", st.RoomBytes, err)
		}
		if _, err := s.Append(ctx, []*engine.Event{event("2")}, window); !errors.Is(err, store.ErrFull) {
			t.Errorf("append: %v", err)
		}
		if got, err := s.Append(ctx, []*engine.Event{event("1")}, window); err != nil || !got.Duplicate[0] {
			t.Errorf("a duplicate: %+v, %v", got, err)
		}
		if _, err := s.Submit(ctx, []engine.Command{{TaskID: "t"}}, window); !errors.Is(err, store.ErrFull) {
			t.Errorf("submit: %v", err)
		}
		if err := s.Commit(ctx, store.Commit{Seq: seq, Commands: []engine.Command{{TaskID: "t"}}}); err != nil {
			t.Errorf("commit: %v", err)
		}
		free.Store(1 << 30)
		time.Sleep(2 * time.Second)
		mustAppend(t, s, "2")
		s.Close()
	})
}

// fillDrainFill appends until the store is full, drains it and fills it again.
func fillDrainFill(t *testing.T, s *Store, size, drainers int) {
	t.Helper()
	acked := map[string]bool{}
	big := strings.Repeat("x", size)
	n := 0
	fill := func() int {
		for i := 0; i < 100_000; i++ {
			n++
			e := event(fmt.Sprint(n))
			e.Text = big
			_, err := s.Append(ctx, []*engine.Event{e}, window)
			if errors.Is(err, store.ErrFull) {
				return i
			}
			if err != nil {
				t.Fatal(err)
			}
			acked[e.ID] = true
		}
		t.Fatal("it was never full")
		return 0
	}
	first := fill()
	if first == 0 {
		t.Fatal("full from the start")
	}
	have := logged(t, s)
	for id := range acked {
		if !have[id] {
			t.Fatalf("event %s was acknowledged and is lost", id)
		}
	}
	entries, err := s.Read(0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	drain := make(chan uint64)
	var wg sync.WaitGroup
	for range drainers {
		wg.Go(func() {
			for seq := range drain {
				if err := s.Commit(ctx, store.Commit{Seq: seq}); err != nil {
					t.Errorf("a full store does not drain: %v", err)
				}
			}
		})
	}
	for _, e := range entries {
		drain <- e.Seq
	}
	close(drain)
	wg.Wait()
	if second := fill(); second < first/2 {
		t.Errorf("%d events fitted at first, %d after draining", first, second)
	}
	if err := s.CheckNow(); err != nil {
		t.Error(err)
	}
}

func TestFileAtItsLimitLosesNothingAndDrains(t *testing.T) {
	opt := testOptions(t, path(t))
	opt.MaxSize = 4 << 20
	s := mustOpen(t, opt)
	fillDrainFill(t, s, 50_000, 64)
	if st, err := s.Stats(); err != nil || st.FileBytes-st.FreeBytes > opt.MaxSize+opt.MaxSize/4 {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestFullDiskLosesNothingAndDrains(t *testing.T) {
	dir := smallDisk(t)
	fillDrainFill(t, mustOpen(t, testOptions(t, filepath.Join(dir, "bot.db"))), 3000, 1)
}

func TestRefusedWriteHarmsNoNeighbour(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	put := func(key []byte) *act {
		return &act{run: func(t *txn) error { t.put(t.bucket(bState), key, []byte("v")); return nil }}
	}
	errs := together(s, put([]byte("a")), put(make([]byte, 1<<16)), put([]byte("b")))
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("answers %v", errs)
	}
	err := s.read(func(tx *bolt.Tx) error {
		for _, k := range []string{"a", "b"} {
			if tx.Bucket(bState).Get([]byte(k)) == nil {
				t.Errorf("%s is not there", k)
			}
		}
		return nil
	})
	if err != nil || s.Err() != nil {
		t.Errorf("view %v, store %v", err, s.Err())
	}
}

func TestCallersShareCommits(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	const callers, each = 64, 10
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				if _, err := s.Append(ctx, []*engine.Event{event(fmt.Sprint(c, "-", i))}, window); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	st, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if st.Acts < callers*each || st.Commits*4 > st.Acts {
		t.Errorf("%d commits for %d acts", st.Commits, st.Acts)
	}
}

func TestDuplicatesCostNoCommit(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	mustAppend(t, s, "1")
	before := s.commits.Load()
	for range 10 {
		if got, err := s.Append(ctx, []*engine.Event{event("1")}, window); err != nil || !got.Duplicate[0] {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	// One that meets its original in line costs none either.
	together(s, &act{run: func(t *txn) error { _, err := t.known(event("1").Key(), window); return err }})
	if n := s.commits.Load() - before; n != 0 {
		t.Errorf("%d commits", n)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	opt := testOptions(t, path(t))
	var most atomic.Int64
	opt.Observe = func(_ time.Duration, acts int) { most.Store(max(most.Load(), int64(acts))) }
	s := mustOpen(t, opt)
	hold := make(chan struct{})
	s.update = func(fn func(*bolt.Tx) error) error {
		<-hold
		return s.db.Update(fn)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := s.do(ctx, &act{size: 1 << 20, run: func(*txn) error { return nil }}); err != nil {
				t.Error(err)
			}
		})
	}
	close(hold)
	wg.Wait()
	s.Close()
	if n := most.Load(); n > 4 {
		t.Errorf("%d acts of 1 MiB in one batch", n)
	}
}

func TestCommitWaitGrowsWithTheDiskAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, testOptions(t, path(t)))
		slow := s.db.Update
		s.update = func(fn func(*bolt.Tx) error) error {
			time.Sleep(8 * time.Second)
			return slow(fn)
		}
		if d := s.CommitWait(); d != 0 {
			t.Errorf("idle: %v", d)
		}
		done := make(chan struct{})
		go func() {
			s.Append(ctx, []*engine.Event{event("1")}, window)
			close(done)
		}()
		time.Sleep(5 * time.Second)
		if d := s.CommitWait(); d != 5*time.Second {
			t.Errorf("5 s into a commit: %v", d)
		}
		<-done
		if d := s.CommitWait(); d != time.Second {
			t.Errorf("after a commit of 8 s: %v", d)
		}
		time.Sleep(40 * time.Second)
		if d := s.CommitWait(); d != 0 {
			t.Errorf("long after: %v", d)
		}
		s.Close()
	})
}

func TestCallerWhoGivesUpIsLetGo(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	hold := make(chan struct{})
	s.update = func(fn func(*bolt.Tx) error) error {
		<-hold
		return s.db.Update(fn)
	}
	short, cancel := context.WithCancel(ctx)
	go cancel()
	if _, err := s.Append(short, []*engine.Event{event("1")}, window); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(hold)
}

// At any moment a copy of the files holds what was acknowledged before.
func TestCopyAtAnyMomentHoldsWhatWasAcknowledged(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	for i := range 5 {
		id := fmt.Sprint(i)
		seq := mustAppend(t, s, id)[0]
		crashed := reopen(t, s)
		if !logged(t, crashed)[id] {
			t.Fatalf("event %s is lost", id)
		}
		c := store.Commit{Seq: seq, Owner: id, Commands: []engine.Command{{TaskID: id}},
			States: []store.StateWrite{{Key: engine.StateKey{Sender: id}, State: engine.State{Skill: "x"}}}}
		if err := s.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
		crashed = reopen(t, s)
		d, _, err := crashed.Find(id)
		if err != nil || logged(t, crashed)[id] {
			t.Fatalf("outcome of %s is lost: %v", id, err)
		}
		if err := s.Settle(ctx, store.Settlement{ID: d.ID, Final: store.Sent}); err != nil {
			t.Fatal(err)
		}
		crashed = reopen(t, s)
		if _, _, err := crashed.Find(id); !errors.Is(err, store.ErrGone) {
			t.Fatalf("settlement of %s is lost: %v", id, err)
		}
		if err := crashed.CheckNow(); err != nil {
			t.Fatal(err)
		}
	}
}

// inOneBatch runs calls so that they stand in line in this order and are
// committed together.
func inOneBatch(s *Store, calls ...func()) {
	begun, hold := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.update = func(fn func(*bolt.Tx) error) error {
		once.Do(func() { close(begun) })
		<-hold
		return s.db.Update(fn)
	}
	var wg sync.WaitGroup
	wg.Go(func() { s.do(ctx, &act{run: func(*txn) error { return nil }}) })
	<-begun
	for i, call := range calls {
		wg.Go(call)
		for s.inLine() <= i {
			runtime.Gosched()
		}
	}
	close(hold)
	wg.Wait()
}

func (s *Store) inLine() int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	n := 0
	for _, b := range s.queue.waiting {
		n += len(b.acts)
	}
	return n
}

func TestActsOfOneBatchSeeEachOther(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	mustAppend(t, s, "handled")
	if _, err := s.Submit(ctx, []engine.Command{{TaskID: "dying"}}, window); err != nil {
		t.Fatal(err)
	}
	dying, _, err := s.Find("dying")
	if err != nil {
		t.Fatal(err)
	}
	appendOne := func(want bool) func() {
		return func() {
			got, err := s.Append(ctx, []*engine.Event{event("1")}, window)
			if err != nil || got.Duplicate[0] != want {
				t.Errorf("append: %+v, %v; want duplicate %v", got, err, want)
			}
		}
	}
	submit := func(task string, want bool) func() {
		return func() {
			got, err := s.Submit(ctx, []engine.Command{{TaskID: task}}, window)
			if err != nil || got[0] != want {
				t.Errorf("submit %s: %v, %v; want duplicate %v", task, got, err, want)
			}
		}
	}
	commit := func(want error) func() {
		return func() {
			if err := s.Commit(ctx, store.Commit{Seq: 1}); !errors.Is(err, want) {
				t.Errorf("commit: %v, want %v", err, want)
			}
		}
	}
	bury := func() {
		if err := s.Settle(ctx, store.Settlement{ID: dying.ID, Final: store.Dead}); err != nil {
			t.Errorf("settle: %v", err)
		}
	}
	before := s.commits.Load()
	inOneBatch(s, appendOne(false), appendOne(true), submit("t", false), submit("t", true),
		commit(nil), commit(store.ErrGone), bury, submit("dying", true))
	if n := s.commits.Load() - before; n != 1 {
		t.Errorf("%d commits", n)
	}
}
