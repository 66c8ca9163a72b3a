package boltstore

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// journals counts the rows of every journal in the file.
func journals(t *testing.T, s *Store) (rows map[uint64]int) {
	t.Helper()
	rows = make(map[uint64]int)
	err := s.read(func(tx *bolt.Tx) error {
		b := tx.Bucket(bJournal)
		return b.ForEachBucket(func(name []byte) error {
			rows[unbe(name)] = count(b.Bucket(name))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// inTree tells whether the state's own tree has it.
func inTree(t *testing.T, s *Store, k engine.StateKey) bool {
	t.Helper()
	key, err := stateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	there := false
	err = s.read(func(tx *bolt.Tx) error {
		there = tx.Bucket(bState).Get(key) != nil
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// talk handles one event of a conversation that moves its state on.
func talk(t *testing.T, s *Store, id string, k engine.StateKey) {
	t.Helper()
	handle(t, s, hear(t, s, id, k), id, k)
}

func hear(t *testing.T, s *Store, id string, k engine.StateKey) (seq uint64) {
	t.Helper()
	e := &engine.Event{Account: k.Account, Kind: engine.Message, ID: id, Conversation: k.Conversation, Sender: k.Sender}
	done, err := s.Append(t.Context(), []*engine.Event{e}, window)
	if err != nil {
		t.Fatal(err)
	}
	return done.Seqs[0]
}

func handle(t *testing.T, s *Store, seq uint64, id string, k engine.StateKey) {
	t.Helper()
	st, err := s.State(k)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Commit(t.Context(), store.Commit{Seq: seq, Owner: id,
		States: []store.StateWrite{{Key: k, Read: st.Version, State: engine.State{Skill: "form", Node: id}}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func node(t *testing.T, s *Store, k engine.StateKey) string {
	t.Helper()
	s.cache.close() // what the file says
	st, err := s.State(k)
	if err != nil {
		t.Fatal(err)
	}
	return st.Node
}

func TestAStateStaysInTheJournalAndIsReadFromThere(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	k := engine.StateKey{Account: "a", Conversation: "c", Sender: "s"}
	for i := range 5 {
		talk(t, s, fmt.Sprint(i), k)
	}
	if inTree(t, s, k) || len(journals(t, s)) != 1 {
		t.Errorf("in its tree: %v; journals %v", inTree(t, s, k), journals(t, s))
	}
	if got := node(t, reopen(t, s), k); got != "4" {
		t.Errorf("after a crash the state is at %q, want the last", got)
	}
	if got := node(t, s, k); got != "4" {
		t.Errorf("the state is at %q, want the last", got)
	}
}

func TestACleanEndLeavesNoJournal(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	k := engine.StateKey{Account: "a", Conversation: "c"}
	talk(t, s, "1", k)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, s.opt)
	if !inTree(t, again, k) || len(journals(t, again)) != 0 {
		t.Errorf("in its tree: %v; journals %v", inTree(t, again, k), journals(t, again))
	}
	talk(t, again, "2", k)
	if got := node(t, again, k); got != "2" {
		t.Errorf("the state is at %q", got)
	}
}

// What a process leaves in any stage of folding, the next one reads as it was.
func TestFoldingMayBeCutOffAnywhere(t *testing.T) { synctest.Test(t, cutOffAnywhere) }

func cutOffAnywhere(t *testing.T) {
	opt := testOptions(t, path(t))
	opt.JournalBytes = 4 << 10
	opt.Uptime = func() time.Duration { return 0 } // generations end by their size alone
	s := mustOpen(t, opt)
	defer s.Close()
	const conversations = 150 // more than a step folds
	keyOf := func(i int) engine.StateKey {
		return engine.StateKey{Account: "a", Conversation: fmt.Sprint(i % conversations)}
	}
	old, part := false, false
	crash := func(events, waiting int) {
		g := s.journal.old // nobody writes now
		old = old || g != nil && g.folded == 0
		part = part || g != nil && g.folded > 0
		c := reopen(t, s)
		for n := max(0, events-conversations); n < events; n++ {
			if got := node(t, c, keyOf(n)); got != fmt.Sprint(n) {
				t.Fatalf("after %d events and a crash, conversation %d is at %q, want %d", events, n%conversations, got, n)
			}
		}
		if c.Backlog() != waiting {
			t.Fatalf("after %d events and a crash %d wait, want %d", events, c.Backlog(), waiting)
		}
		c.Close()
	}
	for i := range 3 * conversations {
		seq := hear(t, s, fmt.Sprint(i), keyOf(i))
		if g := s.journal.old; g != nil && g.folded == 0 {
			crash(i, 1)
		}
		handle(t, s, seq, fmt.Sprint(i), keyOf(i))
		if i%10 == 5 {
			crash(i+1, 0)
		}
	}
	if !old || !part {
		t.Errorf("crashes met a generation to be folded: %v, one in part: %v; the test proves nothing without", old, part)
	}
}

// What lies in the file changes when its pages are used again, and is gone when
// the file grows beyond its map.
func TestWhatAStartReadsFromTheJournalIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where nobody is idle for long enough to fold
		s := mustOpen(t, testOptions(t, path(t)))
		defer s.Close()
		talk(t, s, "1", engine.StateKey{Account: "a", Conversation: "c"})
		c := reopen(t, s)
		defer c.Close()
		info := c.db.Info()
		mapped := info.Data + uintptr(max(c.opt.MapSize, 1<<20))
		values := 0
		for _, rows := range c.journal.old.rows {
			for key, row := range rows {
				if row.value == nil {
					continue
				}
				values++
				if at := uintptr(unsafe.Pointer(unsafe.SliceData(row.value))); at >= info.Data && at < mapped {
					t.Errorf("the value of %q lies in the file", key)
				}
			}
		}
		if values != 1 {
			t.Errorf("the journal holds %d values, want the state's", values)
		}
	})
}

// A row that one journal puts and the next removes may have been folded between
// the two: a start must not take the pair for a row that never was.
func TestARowThatWasRemovedAfterItWasFoldedStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where nobody is idle for long enough to fold
		opt := testOptions(t, path(t))
		opt.JournalBytes = 1 // a generation for each commit that needs one
		s := mustOpen(t, opt)
		defer s.Close()
		cmds := make([]engine.Command, foldStep+8)
		for i := range cmds {
			cmds[i] = engine.Command{TaskID: fmt.Sprint(i), Account: "a", Conversation: "c", Action: engine.SendText, Text: "hello", Submitted: true}
		}
		if _, err := s.Submit(t.Context(), cmds, window); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, s, "1") // now their generation is the old one
		if err := s.Cancel(t.Context(), "0"); err != nil {
			t.Fatal(err)
		}
		c := reopen(t, s)
		defer c.Close()
		folded := 0
		if err := c.read(func(tx *bolt.Tx) error { folded = count(tx.Bucket(bOutbox)); return nil }); err != nil {
			t.Fatal(err)
		}
		if n := len(journals(t, c)); n != 2 || folded != foldStep {
			t.Fatalf("%d journals, %d of %d commands folded; the test proves nothing", n, folded, len(cmds))
		}
		left, err := c.Deliveries(0, len(cmds))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) != len(cmds)-1 || left[0].Command.TaskID == "0" {
			t.Errorf("%d commands, the first is %s; want all but the cancelled one", len(left), left[0].Command.TaskID)
		}
	})
}

// On a full disk what gives pages back must come before what takes any.
func TestWhatFreesPagesIsFoldedFirstAndWhatNeedsManyLast(t *testing.T) {
	small, large := make([]byte, 4095), make([]byte, 4096)
	g := &generation{}
	for _, row := range []struct {
		t     tree
		key   string
		value []byte
	}{
		{tState, "a", large}, {tState, "c", small}, {tState, "b", small}, {tState, "d", nil}, {tState, "e", []byte{}},
		{tOutbox, "2", large}, {tOutbox, "3", small}, {tDelivery, "4", nil}, {tDelivery, "3", small}, {tWal, "9", nil}, {tWal, "1", nil},
	} {
		g.set(treeKey{row.t, row.key}, change{value: row.value})
	}
	want := []treeKey{
		{tWal, "1"}, {tWal, "9"}, {tDelivery, "4"}, {tState, "d"}, {tState, "e"},
		{tDelivery, "3"}, {tOutbox, "3"}, {tState, "b"}, {tState, "c"},
		{tOutbox, "2"}, {tState, "a"},
	}
	if got := g.order(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNoAnswerWaitsForTheKeysToBeSorted(t *testing.T) {
	opt := testOptions(t, path(t))
	opt.JournalBytes = 4 << 10
	var s *Store
	var old *generation
	closed, early := 0, 0
	opt.Observe = func(time.Duration, int) { // by the committer, before it answers
		if s == nil || s.journal.old == old {
			return
		}
		if old = s.journal.old; old != nil {
			closed++
			if old.keys != nil {
				early++
			}
		}
	}
	s = mustOpen(t, opt)
	for i := range 100 {
		talk(t, s, fmt.Sprint(i), engine.StateKey{Account: "a", Conversation: fmt.Sprint(i)})
	}
	s.Close()
	if closed == 0 || early > 0 {
		t.Errorf("%d generations were closed, %d of them sorted before the answer", closed, early)
	}
}

func TestABackupHoldsTheJournal(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	k := engine.StateKey{Account: "a", Conversation: "c"}
	talk(t, s, "1", k)
	opt := s.opt
	opt.Path = path(t)
	if err := s.Backup(t.Context(), opt.Path); err != nil {
		t.Fatal(err)
	}
	if got := node(t, mustOpen(t, opt), k); got != "1" {
		t.Errorf("the backup has the state at %q", got)
	}
}

func TestABrokenJournalIsRefused(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	talk(t, s, "1", engine.StateKey{Account: "a", Conversation: "c"})
	err := s.db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket(bJournal).Bucket(be(1)).Put(be(9), []byte{byte(trees)})
	})
	if err != nil {
		t.Fatal(err)
	}
	opt := s.opt
	opt.Path = path(t)
	copyStore(t, s.opt.Path, opt.Path)
	if _, err := Open(t.Context(), opt); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func FuzzReadChanges(f *testing.F) {
	var row []byte
	for _, c := range []keyed{
		{treeKey{tOutbox, "\x00\x00\x00\x00\x00\x00\x00\x07"}, change{value: []byte("record")}},
		{treeKey{tState, "key"}, change{value: []byte{}}},
		{treeKey{tWal, "12345678"}, change{}},
	} {
		row = appendChange(row, c.treeKey, c.change)
	}
	f.Add(row)
	f.Add(row[:len(row)-3])
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, row []byte) {
		var l, again layer
		if readChanges(row, &l) != nil {
			return
		}
		var b []byte
		for in, rows := range l.rows {
			for key, c := range rows {
				b = appendChange(b, treeKey{tree(in), key}, c)
			}
		}
		if err := readChanges(b, &again); err != nil || !reflect.DeepEqual(l.rows, again.rows) {
			t.Errorf("%v became %v, %v", l.rows, again.rows, err)
		}
	})
}

func TestAStoreThatFailsAtTheEndSaysSo(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	talk(t, s, "1", engine.StateKey{Account: "a", Conversation: "c"})
	s.update = func(fn func(*bolt.Tx) error) error {
		if err := s.db.Update(fn); err != nil {
			return err
		}
		return errors.New("the second sync failed")
	}
	if err := s.Close(); !errors.Is(err, store.ErrFailed) {
		t.Errorf("closed with %v", err)
	}
}

func TestAnIdleStoreFolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, testOptions(t, path(t)))
		defer s.Close()
		k := engine.StateKey{Account: "a", Conversation: "c"}
		talk(t, s, "1", k)
		if inTree(t, s, k) {
			t.Fatal("it was folded at once")
		}
		time.Sleep(foldEvery)
		synctest.Wait()
		if n := s.commits.Load(); !inTree(t, s, k) || len(journals(t, s)) != 0 {
			t.Errorf("a quarter second later the journals are %v", journals(t, s))
		} else if time.Sleep(time.Hour); s.commits.Load() != n {
			t.Errorf("an idle hour took %d commits", s.commits.Load()-n)
		}
	})
}
