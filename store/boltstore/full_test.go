package boltstore

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store"
	"bot/store/storetest"
)

var fullSeeds = flag.Uint64("full.seeds", 6, "runs of a store until it is full and then empty, on each kind of disk in turn")

// A store that has no room refuses what would add to it, and nothing else is
// lost or done twice; those who handle and send go on, it drains with nobody's
// help, and takes in again.
func TestFullStoreGoesOn(t *testing.T) {
	places := []struct {
		name    string
		options func(t *testing.T, rng *rand.Rand) Options
		size    int // of the larger events
	}{
		{"at its limit", func(t *testing.T, rng *rand.Rand) Options {
			return Options{Path: filepath.Join(memory(t), "bot.db"), MaxSize: 1<<20 + rng.Int64N(2<<20)}
		}, 20_000},
		{"on a disk of 3 MiB", onDisk("3m"), 20_000},
		{"with a reserve on the disk", func(t *testing.T, rng *rand.Rand) Options {
			opt := onDisk("8m")(t, rng)
			opt.MinFree = 3<<20 + rng.Int64N(1<<20)
			return opt
		}, 10_000},
		{"on a disk of 64 MiB", onDisk("64m"), 400_000},
	}
	if *fullSeeds < 20 {
		places = places[:len(places)-1] // a large disk takes its time to fill
	}
	for seed := range *fullSeeds {
		place := places[seed%uint64(len(places))]
		t.Run(fmt.Sprintf("%s, seed %d", place.name, seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			opt := place.options(t, rng)
			opt.MapSize = 1 << 20
			synctest.Test(t, func(t *testing.T) { fillAndDrain(t, opt, place.size, seed) })
		})
	}
}

func onDisk(size string) func(*testing.T, *rand.Rand) Options {
	return func(t *testing.T, _ *rand.Rand) Options { return Options{Path: filepath.Join(disk(t, size), "bot.db")} }
}

func fillAndDrain(t *testing.T, opt Options, size int, seed uint64) {
	s := mustOpen(t, opt)
	f := &flood{T: t, s: s, size: size, seed: seed, full: make(chan struct{}), over: make(chan struct{}),
		acked: map[string]bool{}, handled: map[string]int{}, sent: map[string]int{}}
	var intake, work sync.WaitGroup
	for n := range 3 {
		intake.Go(func() { f.callbacks(n) })
	}
	intake.Go(f.tasks)
	for n := range fullWorkers {
		work.Go(func() { f.handle(uint64(n)) })
	}
	work.Go(f.send)
	intake.Wait()
	f.waitEmpty("it does not drain")
	f.reopens()
	f.waitEmpty("it does not drain any more")
	close(f.over)
	work.Wait()
	f.complete()
	if t.Failed() {
		return
	}

	storetest.Check(t, s)
	if err := s.CheckNow(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if got := beside(t, opt.Path); len(got) != 1 {
		t.Errorf("beside the closed store lie %v", got)
	}
	again := mustOpen(t, opt)
	storetest.Check(t, again)
	if long := checkLong(t, again); long != 0 {
		t.Errorf("%d long values are left of nothing", long)
	}
	if st, err := again.Stats(); err != nil || st.Events != 0 || st.Commands != 0 {
		t.Errorf("after the next start: %+v, %v", st, err)
	}
	if got, err := again.Append(ctx, []*engine.Event{event("reopened")}, window); err != nil || !got.Duplicate[0] {
		t.Errorf("a copy of an event that was handled: %+v, %v", got, err)
	}
	again.Close()
}

const (
	fullWorkers = 3
	// fullOffers is how often each who takes in tries to when it has been full.
	fullOffers = 60
)

// flood is a store with those who fill it, and those who work on it.
type flood struct {
	*testing.T
	s    *Store
	size int
	seed uint64

	full     chan struct{} // closed at the first refusal
	fullOnce sync.Once
	over     chan struct{} // closed when all is done

	mu            sync.Mutex
	acked         map[string]bool // events and tasks
	handled, sent map[string]int
}

func (f *flood) isOver() bool {
	select {
	case <-f.over:
		return true
	default:
		return f.Failed()
	}
}

func (f *flood) isFull() bool {
	select {
	case <-f.full:
		return true
	default:
		return false
	}
}

// refused tells whether an act is to be tried again later; time passes then.
func (f *flood) refused(what string, err error) bool {
	f.Helper()
	switch {
	case err == nil:
		return false
	case !errors.Is(err, store.ErrFull):
		f.Errorf("%s: %v", what, err)
		return false
	}
	time.Sleep(50 * time.Millisecond)
	return true
}

// takeIn offers what offer makes until the store is full, and a while longer.
func (f *flood) takeIn(name string, offer func(id string, rng *rand.Rand) error) {
	rng := rand.New(rand.NewPCG(f.seed, uint64(len(name))))
	left := fullOffers
	for n := 0; left > 0 && !f.Failed(); n++ {
		if f.isFull() {
			left--
		}
		id := fmt.Sprint(name, "-", n)
		if f.refused(id, offer(id, rng)) {
			f.fullOnce.Do(func() { close(f.full) })
			continue
		}
		f.mu.Lock()
		f.acked[id] = true
		f.mu.Unlock()
		time.Sleep(20 * time.Millisecond) // so that the reserve is looked up in time
	}
}

func (f *flood) text(rng *rand.Rand) string {
	if rng.IntN(3) == 0 {
		return strings.Repeat("x", rng.IntN(f.size))
	}
	return strings.Repeat("x", rng.IntN(4000))
}

func (f *flood) callbacks(n int) {
	f.takeIn(fmt.Sprint("event", strings.Repeat("+", n)), func(id string, rng *rand.Rand) error {
		e := event(id)
		e.Text = f.text(rng)
		_, err := f.s.Append(ctx, []*engine.Event{e}, window)
		return err
	})
}

func (f *flood) tasks() {
	f.takeIn("task", func(id string, rng *rand.Rand) error {
		_, err := f.s.Submit(ctx, []engine.Command{{TaskID: id, Text: f.text(rng), Submitted: true}}, window)
		return err
	})
}

// handle is a worker. Until the store is full it leaves most events where they
// are.
func (f *flood) handle(worker uint64) {
	after := uint64(0)
	for !f.isOver() {
		entries, err := f.s.Read(after, 20)
		if err != nil {
			f.Errorf("read: %v", err)
			return
		}
		if len(entries) == 0 {
			after = 0
			time.Sleep(10 * time.Millisecond)
		}
		for _, e := range entries {
			after = e.Seq
			if e.Seq%fullWorkers == worker && (f.isFull() || e.Seq%4 == 0) {
				f.commit(e)
			}
		}
	}
}

// commit may be refused; the event then stays for another time.
func (f *flood) commit(e store.Entry) {
	k := engine.StateKey{Account: "acc", Sender: fmt.Sprint(e.Seq % 50)}
	st, err := f.s.State(k)
	if err != nil {
		f.Errorf("state: %v", err)
		return
	}
	c := store.Commit{Seq: e.Seq, Owner: e.Event.ID,
		Commands: []engine.Command{{TaskID: "reply to " + e.Event.ID, Text: e.Event.Text[:len(e.Event.Text)/2]}},
		States:   []store.StateWrite{{Key: k, Read: st.Version, State: engine.State{Skill: "form", Data: map[string]string{"last": e.Event.ID}}}},
	}
	if e.Seq%8 == 0 {
		c.Mark = &store.Progress{Attempts: 1, Tries: []store.Try{{Time: f.s.Now()}}}
	}
	err = f.s.Commit(ctx, c)
	if errors.Is(err, store.ErrConflict) || f.refused("commit", err) || err != nil {
		return // another worker had the same state in hand, or there was no room
	}
	f.mu.Lock()
	f.handled[e.Event.ID]++
	f.mu.Unlock()
}

// send is the sender: once the store is full, all that is in the outbox leaves.
func (f *flood) send() {
	<-f.full
	for !f.isOver() {
		ds, err := f.s.Deliveries(0, 20)
		if err != nil {
			f.Errorf("deliveries: %v", err)
			return
		}
		if len(ds) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		for _, d := range ds {
			p := store.Progress{Attempts: 1, Tries: []store.Try{{Time: f.s.Now()}}}
			if d.Progress.Phase == store.Waiting && f.refused("attempt", f.s.Attempt(ctx, d.ID, p)) {
				continue
			}
			if f.refused("settle", f.s.Settle(ctx, store.Settlement{ID: d.ID, Final: store.Sent, Progress: p})) {
				continue
			}
			f.mu.Lock()
			f.sent[d.Command.TaskID]++
			f.mu.Unlock()
		}
	}
}

// waitEmpty waits until all is handled and sent. It is long enough that nothing
// moves when everybody has been refused some twenty times since something did.
func (f *flood) waitEmpty(why string) {
	f.Helper()
	last, moved := 0, time.Now()
	for ; !f.Failed(); time.Sleep(10 * time.Millisecond) {
		st, err := f.s.Stats()
		left := st.Events + st.Commands
		if err == nil && left == 0 {
			return
		}
		if left != last {
			last, moved = left, time.Now()
		}
		if err != nil || f.s.Err() != nil || time.Since(moved) > time.Second {
			f.Errorf("%s: %+v, %v; failed: %v", why, st, err, f.s.Err())
		}
	}
}

// reopens waits until events are taken in again.
func (f *flood) reopens() {
	f.Helper()
	for began := time.Now(); !f.Failed(); time.Sleep(100 * time.Millisecond) {
		_, err := f.s.Append(ctx, []*engine.Event{event("reopened")}, window)
		if err == nil {
			f.acked["reopened"] = true
			return
		}
		if took := time.Since(began); !errors.Is(err, store.ErrFull) || took > 5*time.Second {
			st, _ := f.s.Stats()
			f.Errorf("nothing is taken in %v after it drained: %v; %+v", took, err, st)
		}
	}
}

// complete compares what was acknowledged with what became of it: it was done
// once, or is there still.
func (f *flood) complete() {
	f.Helper()
	if !f.isFull() || len(f.acked) < 20 {
		f.Errorf("%d things were taken in, full %v: that was no test", len(f.acked), f.isFull())
	}
	inLog, inOutbox := f.left()
	known := map[string]bool{}
	for id := range f.acked {
		task := id
		if !strings.HasPrefix(id, "task-") {
			task = "reply to " + id
			if f.handled[id]+inLog[id] != 1 {
				f.Errorf("event %s was acknowledged, handled %d times, and stands in the log %d times", id, f.handled[id], inLog[id])
			}
			if inLog[id] > 0 {
				continue
			}
		}
		known[task] = true
		if f.sent[task]+inOutbox[task] != 1 {
			f.Errorf("command %q was sent %d times, and stands in the outbox %d times", task, f.sent[task], inOutbox[task])
		}
	}
	for task := range f.sent {
		if !known[task] {
			f.Errorf("command %q was sent, and nobody asked for it", task)
		}
	}
	f.Logf("%d acknowledged; %d events and %d commands are left", len(f.acked), len(inLog), len(inOutbox))
}

// left counts what is still there; nothing, if all went well.
func (f *flood) left() (inLog, inOutbox map[string]int) {
	f.Helper()
	inLog, inOutbox = map[string]int{}, map[string]int{}
	entries, err := f.s.Read(0, 1<<20)
	for _, e := range entries {
		inLog[e.Event.ID]++
	}
	ds, err2 := f.s.Deliveries(0, 1<<20)
	for _, d := range ds {
		inOutbox[d.Command.TaskID]++
	}
	if err := errors.Join(err, err2); err != nil {
		f.Error(err)
	}
	return inLog, inOutbox
}

// TestCreateOnAFullDisk: where there is no room for a store there is no part of
// one, at most a whole one that there was no room to open; and where there is
// room again it is opened.
func TestCreateOnAFullDisk(t *testing.T) {
	failed, made := 0, 0
	for seed := range *fullSeeds {
		folder := disk(t, "4m")
		p := filepath.Join(folder, "bot.db")
		// From nothing to what is enough.
		leave := int64(seed) * 2 << 20 / int64(max(1, *fullSeeds-1))
		ballast := fillDisk(t, folder, leave)
		s, err := Open(ctx, testOptions(t, p))
		if err != nil {
			failed++
			if got := beside(t, p); len(got) > 0 && !slices.Equal(got, []string{p}) {
				t.Errorf("%d bytes free: %v; left behind: %v", leave, err, got)
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, testOptions(t, p))
		} else {
			made++
		}
		os.Remove(ballast)
		mustAppend(t, s, "1")
		if err := s.CheckNow(); err != nil {
			t.Errorf("%d bytes free: %v", leave, err)
		}
		s.Close()
	}
	if failed == 0 || made == 0 {
		t.Errorf("%d failed, %d were made: one side was not tried", failed, made)
	}
}

// TestBackupToAFullDisk: a backup for which there is no room leaves nothing
// behind, takes nothing away, and harms the store as little.
func TestBackupToAFullDisk(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	var ids []string
	for i := range 200 {
		ids = append(ids, fmt.Sprint(strings.Repeat("id", 200), i))
	}
	mustAppend(t, s, ids...)
	for seed := range *fullSeeds {
		folder := disk(t, "3m")
		backup := filepath.Join(folder, "copy.db")
		if err := os.WriteFile(backup, []byte("the last backup"), 0o600); err != nil {
			t.Fatal(err)
		}
		ballast := fillDisk(t, folder, int64(rand.New(rand.NewPCG(seed, 0)).IntN(100<<10)))
		if err := s.Backup(ctx, backup); err == nil {
			t.Fatal("there was room")
		}
		if b, err := os.ReadFile(backup); err != nil || string(b) != "the last backup" {
			t.Errorf("the last backup is gone: %d bytes, %v", len(b), err)
		}
		if got := beside(t, backup); len(got) != 1 {
			t.Errorf("left behind: %v", got)
		}
		mustAppend(t, s, fmt.Sprint("meanwhile-", seed))
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if err := s.Backup(ctx, backup); err != nil {
			t.Fatal(err)
		}
		opt := testOptions(t, path(t))
		copyStore(t, backup, opt.Path)
		restored := mustOpen(t, opt)
		if got, want := logged(t, restored), logged(t, s); len(got) != len(want) {
			t.Errorf("the backup holds %d events, the store %d", len(got), len(want))
		}
		restored.Close()
	}
}

// fillDisk fills the disk of a folder but for some bytes, and returns the file
// to remove.
func fillDisk(t *testing.T, folder string, leave int64) string {
	t.Helper()
	name := filepath.Join(folder, "ballast")
	free, err := freeSpace(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, make([]byte, max(0, free-leave)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
