package boltstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
	"bot/store/storetest"

	bolt "go.etcd.io/bbolt"
)

func randomKeys(r *rand.Rand, n int) []engine.Key {
	keys := make([]engine.Key, n)
	for i := range keys {
		binary.BigEndian.PutUint64(keys[i][:], r.Uint64())
		binary.BigEndian.PutUint64(keys[i][8:], r.Uint64())
	}
	return keys
}

// remember stores keys without events, n at a time.
func remember(t testing.TB, s *Store, keys []engine.Key, n int) {
	t.Helper()
	for len(keys) > 0 {
		part := keys[:min(n, len(keys))]
		keys = keys[len(part):]
		err := s.do(ctx, &act{run: func(t *txn) error {
			for _, k := range part {
				t.remember(k)
			}
			t.wrote = true
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// expectSeen looks keys up as acts do, many in one transaction.
func expectSeen(t testing.TB, s *Store, keys []engine.Key, want bool) {
	t.Helper()
	wrong := 0
	err := s.read(func(tx *bolt.Tx) error {
		look := &txn{s: s, Tx: tx, steady: s.clock.Steady()}
		for _, k := range keys {
			seen, err := look.known(k, window)
			if err != nil {
				return err
			}
			if seen != want {
				wrong++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if wrong > 0 {
		t.Errorf("%d of %d keys were not found as %v", wrong, len(keys), want)
	}
	if seen, err := s.Seen(keys[0], window); err != nil || seen != want {
		t.Errorf("the first was seen %v, %v", seen, err)
	}
}

func TestIndexIsExactAndSmall(t *testing.T) {
	const n = 200_000
	r := rand.New(rand.NewPCG(1, 2))
	clock := storetest.NewClock()
	opt := testOptions(t, path(t))
	opt.Now, opt.Uptime, opt.MapSize = clock.Now, clock.Uptime, 64<<20
	s := mustOpen(t, opt)
	keys, others := randomKeys(r, n), randomKeys(r, n)
	for i := 0; i < n; i += n / 10 {
		remember(t, s, keys[i:i+n/10], 3000)
		clock.Advance(5 * time.Hour)
		if count, bytes := s.index.inMemory(); count != i+n/10 || bytes > 24*count {
			t.Errorf("%d keys take %d bytes", count, bytes)
		}
	}
	expectSeen(t, s, keys, true)
	expectSeen(t, s, others, false)
	s.Close()
	s = mustOpen(t, opt)
	if count, bytes := s.index.inMemory(); count != n || bytes > 24*count {
		t.Errorf("after a start %d keys take %d bytes", count, bytes)
	}
	expectSeen(t, s, keys, true)
	expectSeen(t, s, others, false)
	remember(t, s, others, 3000) // a table built at the start still grows
	expectSeen(t, s, others, true)
}

// Keys with the same shard and fingerprint are told apart by what is on disk.
func TestLikeKeysAreToldApart(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	var keys, others []engine.Key
	for i := range 200 {
		k := engine.Key{0: 7, 8: 1, 9: 2, 10: 3, 11: 4, 15: byte(i)}
		keys = append(keys, k)
		k[14] = 1
		others = append(others, k)
	}
	remember(t, s, keys, 7)
	expectSeen(t, s, keys, true)
	expectSeen(t, s, others, false)
}

func TestIndexBeyondItsLimitIsExactStill(t *testing.T) {
	clock := storetest.NewClock()
	var log strings.Builder
	opt := testOptions(t, path(t))
	opt.Now, opt.Uptime, opt.MaxKeys = clock.Now, clock.Uptime, 4000
	opt.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := mustOpen(t, opt)
	r := rand.New(rand.NewPCG(3, 4))
	keys, others := randomKeys(r, 30_000), randomKeys(r, 5_000)
	for i := 0; i < len(keys); i += 500 {
		remember(t, s, keys[i:i+500], 500)
		clock.Advance(time.Minute)
		s.index.moves.Wait()
		if n, _ := s.index.inMemory(); n > opt.MaxKeys+500 {
			t.Fatalf("%d keys in memory", n)
		}
	}
	expectSeen(t, s, keys, true)
	expectSeen(t, s, others, false)
	crashed := reopen(t, s)
	expectSeen(t, crashed, keys, true)
	expectSeen(t, crashed, others, false)
	if n, _ := crashed.index.inMemory(); n > opt.MaxKeys+500 {
		t.Errorf("%d keys in memory after a start", n)
	}
	if n := strings.Count(log.String(), "dedup.max_keys"); n < 1 {
		t.Errorf("no warning was logged: %s", log.String())
	}
	clock.Advance(window + 7*time.Hour)
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	expectSeen(t, s, keys[:100], false)
	for _, name := range beside(t, s.opt.Path) {
		if strings.Contains(name, indexSuffix) {
			t.Errorf("%s was left", name)
		}
	}
	crashed.Close()
	for _, name := range beside(t, crashed.opt.Path) {
		if strings.Contains(name, indexSuffix) {
			t.Errorf("%s was left by closing", name)
		}
	}
}

func TestFullSlicesDoNotShareAName(t *testing.T) {
	opt := testOptions(t, path(t))
	clock := storetest.NewClock() // which stands still
	opt.Now, opt.Uptime, opt.MaxKeys = clock.Now, clock.Uptime, 400
	s := mustOpen(t, opt)
	keys := randomKeys(rand.New(rand.NewPCG(5, 6)), 2000)
	remember(t, s, keys, 50)
	expectSeen(t, s, keys, true)
	expectSeen(t, reopen(t, s), keys, true)
}

func TestIndexThatCannotMoveStaysInMemory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs to take a folder away")
	}
	opt := testOptions(t, path(t))
	opt.MaxKeys = 400
	s := mustOpen(t, opt)
	s.index.path = s.opt.Path + "/nowhere/x"
	keys := randomKeys(rand.New(rand.NewPCG(7, 8)), 2000)
	remember(t, s, keys, 50)
	expectSeen(t, s, keys, true)
}

func TestSweepDropsOneSliceAtATimeOfUptime(t *testing.T) {
	clock := storetest.NewClock()
	opt := testOptions(t, path(t))
	opt.Now, opt.Uptime = clock.Now, clock.Uptime
	s := mustOpen(t, opt)
	for i := range 12 {
		remember(t, s, randomKeys(rand.New(rand.NewPCG(9, uint64(i))), 10), 10)
		clock.Advance(6 * time.Hour)
	}
	clock.Jump(400 * 24 * time.Hour)
	for i := range 5 {
		if err := s.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if n := s.index.keys(); n < 110-10*i {
			t.Errorf("after %d slice lengths %d of 120 keys are left", i, n)
		}
		clock.Advance(6 * time.Hour)
	}
}

// A slice goes as a whole, so it stays until the youngest of its keys may go.
func TestSweepWaitsForTheYoungestKeyOfASlice(t *testing.T) {
	clock := storetest.NewClock()
	opt := testOptions(t, path(t))
	opt.Now, opt.Uptime, opt.Window = clock.Now, clock.Uptime, window
	s := mustOpen(t, opt)
	keys := randomKeys(rand.New(rand.NewPCG(11, 0)), 2)
	remember(t, s, keys[:1], 1)
	clock.Advance(sliceLength(window) - time.Minute)
	remember(t, s, keys[1:], 1)
	if n := len(s.index.slices); n != 1 {
		t.Fatalf("the keys lie in %d slices, want them in one", n)
	}
	clock.Advance(window - time.Minute)
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if seen, err := s.Seen(keys[1], window); err != nil || !seen {
		t.Errorf("a minute before its window ends the younger key is known: %v, %v", seen, err)
	}
	clock.Advance(time.Hour)
	if err := s.Sweep(ctx); err != nil || s.index.keys() != 0 {
		t.Errorf("an hour later %d keys are left, %v", s.index.keys(), err)
	}
}

func TestSliceLengths(t *testing.T) {
	for window, want := range map[time.Duration]time.Duration{
		72 * time.Hour:       6 * time.Hour,
		12 * time.Hour:       time.Hour,
		time.Second:          time.Second,
		365 * 24 * time.Hour: 6 * time.Hour,
	} {
		if got := sliceLength(window); got != want {
			t.Errorf("window %v has slices of %v, want %v", window, got, want)
		}
	}
}

func TestCacheKeepsItsBound(t *testing.T) {
	c := newCache(10 * (100 + decodedOverhead))
	for i := range uint64(10) {
		c.offer(eventKey(i), event("x"), 100)
	}
	c.offer(eventKey(10), event("x"), 100)
	if c.event(10) != nil {
		t.Error("an offer displaced something")
	}
	c.event(0) // used last
	c.put(commandKey(1), &engine.Command{TaskID: "t"}, 100)
	if c.command(1) == nil || c.event(0) == nil || c.event(1) != nil {
		t.Error("not what was unused for longest was displaced")
	}
	if c.event(1) != nil || c.size > c.limit {
		t.Errorf("size %d of %d", c.size, c.limit)
	}
	c.put(eventKey(99), event("x"), 1<<30)
	if c.event(99) != nil {
		t.Error("what is larger than the cache was kept")
	}
	for i := range uint64(11) {
		c.drop(eventKey(i))
	}
	c.drop(commandKey(1))
	if c.size != 0 || c.order.Len() != 0 || len(c.numbered)+len(c.states) != 0 {
		t.Errorf("an empty cache has %d bytes", c.size)
	}
}

func TestTasksKeepAllIdsOfOneHash(t *testing.T) {
	m := newTasks()
	for _, id := range []uint64{1, 2, 3} {
		m.add("t", id)
	}
	m.remove("t", 1)
	m.remove("t", 9)
	if got := fmt.Sprint(m.ids("t")); got != "[2 3]" {
		t.Errorf("ids %s", got)
	}
	m.remove("t", 3)
	m.remove("t", 2)
	if len(m.ids("t")) != 0 || len(m.one) != 0 || len(m.more) != 0 {
		t.Errorf("left: %v %v", m.one, m.more)
	}
}

func TestBackupIsAWholeStore(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	mustAppend(t, s, "1", "2")
	to := path(t)
	if err := s.Backup(ctx, to); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "3")
	b := mustOpen(t, testOptions(t, to))
	if got := logged(t, b); len(got) != 2 {
		t.Errorf("backup holds %v", got)
	}
	storetest.Check(t, b)
}

func TestBackupThatWasStoppedLeavesNothing(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	to := path(t)
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Backup(stopped, to); err == nil {
		t.Error("no error")
	}
	if got := beside(t, to); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func TestOldestReaderIsTold(t *testing.T) {
	var r readers
	now := time.Now()
	a := r.enter(now.Add(-time.Minute))
	b := r.enter(now.Add(-time.Second))
	if d := r.oldest(now); d != time.Minute {
		t.Errorf("got %v", d)
	}
	r.leave(a)
	if d := r.oldest(now); d != time.Second {
		t.Errorf("got %v", d)
	}
	r.leave(b)
	if d := r.oldest(now); d != 0 {
		t.Errorf("got %v", d)
	}
}

func TestStatsTellTheFileFromWhatIsFreeInIt(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	var ids []string
	for i := range 2000 {
		ids = append(ids, fmt.Sprint(i))
	}
	for _, seq := range mustAppend(t, s, ids...) {
		go s.Commit(ctx, store.Commit{Seq: seq})
	}
	before, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	after := mustOpen(t, s.opt)
	st, err := after.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if before.FileBytes == 0 || st.FreeBytes <= 0 || st.FreeBytes >= st.FileBytes {
		t.Errorf("%d bytes, %d free", st.FileBytes, st.FreeBytes)
	}
}

// inMemory is the keys and bytes of the tables in memory.
func (x *index) inMemory() (keys, bytes int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, sl := range x.slices {
		if sl.memory != nil {
			keys += int(sl.count)
			bytes += sl.memory.bytes()
		}
	}
	return keys, bytes
}

func (t *memTable) bytes() int {
	n := 0
	for _, s := range t.slots {
		n += 8 * len(s)
	}
	return n
}
