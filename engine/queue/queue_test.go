package queue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/queue"
	"bot/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inbox is a log in memory. The methods that a queue does not use are nil.
type inbox struct {
	store.Inbox
	mu    sync.Mutex
	log   []store.Entry
	last  uint64
	known map[string]bool
	reads int
	fail  error  // of Read
	read  func() // after a Read has looked
}

func (b *inbox) Append(ctx context.Context, events []*engine.Event, _ time.Duration) (store.Appended, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var got store.Appended
	for _, e := range events {
		seq, dup := uint64(0), b.known[e.ID]
		if !dup {
			seq = b.put(e)
		}
		got.Seqs, got.Duplicate = append(got.Seqs, seq), append(got.Duplicate, dup)
	}
	return got, ctx.Err() // given up or not, it is stored
}

func (b *inbox) put(e *engine.Event) uint64 {
	if b.known == nil {
		b.known = make(map[string]bool)
	}
	b.known[e.ID] = true
	b.last++
	b.log = append(b.log, store.Entry{Seq: b.last, Event: e})
	return b.last
}

// settle takes entries out of the log.
func (b *inbox) settle(seqs ...uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var rest []store.Entry
	for _, e := range b.log {
		gone := false
		for _, s := range seqs {
			gone = gone || s == e.Seq
		}
		if !gone {
			rest = append(rest, e)
		}
	}
	b.log = rest
}

func (b *inbox) Read(after uint64, limit int) ([]store.Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reads++
	var out []store.Entry
	for _, e := range b.log {
		if e.Seq > after && len(out) < limit {
			out = append(out, e)
		}
	}
	if b.read != nil {
		b.read()
	}
	return out, b.fail
}

func event(id string) *engine.Event { return &engine.Event{ID: id} }

func events(n int) []*engine.Event {
	out := make([]*engine.Event, n)
	for i := range out {
		out[i] = event(fmt.Sprint("e", i))
	}
	return out
}

// run starts the reader in the bubble of the test and returns how to stop it.
func run(t *testing.T, q *queue.Queue) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

// take expects the sequence numbers from..to, in order, and nothing after.
func take(t *testing.T, q *queue.Queue, from, to uint64) {
	t.Helper()
	for want := from; want <= to; want++ {
		synctest.Wait()
		select {
		case e := <-q.Entries():
			if e.Seq != want {
				t.Fatalf("took %d, want %d", e.Seq, want)
			}
		default:
			t.Fatalf("nothing to take, want %d", want)
		}
	}
	synctest.Wait()
	select {
	case e := <-q.Entries():
		t.Fatalf("took %d after %d", e.Seq, to)
	default:
	}
}

func TestWhatWasAppendedComesOutInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(queue.Options{Inbox: &inbox{}})
		stop := run(t, q)
		defer stop()
		synctest.Wait()
		if _, err := q.Append(t.Context(), events(3), time.Hour); err != nil {
			t.Fatal(err)
		}
		take(t, q, 1, 3)
	})
}

func TestWhatIsAppendedLiveIsNotReadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		stop := run(t, q)
		defer stop()
		synctest.Wait()               // until it has looked
		for i := range uint64(3000) { // some rounds of what is kept in memory
			if _, err := q.Append(t.Context(), []*engine.Event{event(fmt.Sprint(i))}, time.Hour); err != nil {
				t.Fatal(err)
			}
			take(t, q, i+1, i+1)
		}
		if b.reads != 1 { // at the start
			t.Errorf("the log was read %d times", b.reads)
		}
	})
}

func TestWhatCameByOtherWaysHasItsPlaceAmongTheLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b, Buffer: 4000})
		for i := range 3000 {
			if i%7 == 3 { // raised by a turn
				b.mu.Lock()
				b.put(event(fmt.Sprint(i)))
				b.mu.Unlock()
				continue
			}
			if _, err := q.Append(t.Context(), []*engine.Event{event(fmt.Sprint(i))}, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		stop := run(t, q)
		defer stop()
		take(t, q, 1, 3000)
	})
}

func TestLargeEventsWaitOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b, Buffer: 1})
		stop := run(t, q)
		defer stop()
		for i := range 100 {
			e := event(fmt.Sprint(i))
			e.Raw = make([]byte, 1<<20)
			if _, err := q.Append(t.Context(), []*engine.Event{e}, time.Hour); err != nil {
				t.Fatal(err)
			}
			b.mu.Lock()
			b.log[i].Event = event(e.ID) // as if read from a disk
			b.mu.Unlock()
		}
		synctest.Wait()
		kept := 0
		for want := range uint64(100) {
			e := <-q.Entries()
			if e.Seq != want+1 {
				t.Fatalf("took %d, want %d", e.Seq, want+1)
			}
			kept += len(e.Event.Raw)
		}
		if kept > 8<<20 { // with what the channel and the reader have
			t.Errorf("%d bytes were kept in memory", kept)
		}
	})
}

// An event may be large, and the next that would take its place may be long in coming.
func TestWhatWasTakenIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		defer run(t, q)()
		synctest.Wait()
		e := event("e")
		kept := weak.Make(e)
		if _, err := q.Append(t.Context(), []*engine.Event{e}, time.Hour); err != nil {
			t.Fatal(err)
		}
		e = nil
		take(t, q, 1, 1)
		b.settle(1)
		runtime.GC()
		if kept.Value() != nil {
			t.Error("the event is still held")
		}
	})
}

func TestALogThatIsFullerThanTheChannelWaitsOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b, Buffer: 2})
		stop := run(t, q)
		defer stop()
		if _, err := q.Append(t.Context(), events(1000), time.Hour); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n, reads := len(q.Entries()), b.reads; n != 2 || reads > 3 {
			t.Errorf("%d entries in the channel after %d reads, want 2 and one page", n, reads)
		}
		take(t, q, 1, 1000)
	})
}

func TestARestartBeginsAtTheOldestUnfinishedEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		stop := run(t, q)
		q.Append(t.Context(), events(6), time.Hour)
		take(t, q, 1, 6)
		stop()

		b.settle(1, 2, 4) // 3 is the oldest unfinished, 4 a gap behind it
		q = queue.New(queue.Options{Inbox: b})
		stop = run(t, q)
		defer stop()
		synctest.Wait()
		for _, want := range []uint64{3, 5, 6} {
			if e := <-q.Entries(); e.Seq != want {
				t.Errorf("took %d, want %d", e.Seq, want)
			}
		}
		take(t, q, 7, 6)
	})
}

func TestASecondRunGoesOnWhereTheFirstStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(queue.Options{Inbox: &inbox{}, Buffer: 1})
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := q.Run(cancelled); err != nil {
			t.Fatalf("Run with a context that has ended: %v", err)
		}
		stop := run(t, q)
		q.Append(t.Context(), events(5), time.Hour)
		synctest.Wait() // one entry in the channel, the reader waits with the next
		stop()
		defer run(t, q)()
		take(t, q, 1, 5)
	})
}

func TestAppendWakesTheReaderForFirstsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		defer run(t, q)()
		q.Append(t.Context(), events(1), time.Hour)
		take(t, q, 1, 1)
		before := b.reads
		got, err := q.Append(t.Context(), events(1), time.Hour)
		if err != nil || !got.Duplicate[0] {
			t.Fatalf("second append: %+v, %v", got, err)
		}
		if synctest.Wait(); b.reads != before {
			t.Errorf("a duplicate made the reader look %d times", b.reads-before)
		}
		q.Append(t.Context(), []*engine.Event{event("e0"), event("new")}, time.Hour)
		take(t, q, 2, 2)
	})
}

func TestWhatOthersLoggedComesAfterAPoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		q.Poke() // before anybody reads, and more than once, without blocking
		q.Poke()
		defer run(t, q)()
		synctest.Wait()
		b.mu.Lock()
		b.put(event("replayed"))
		b.mu.Unlock()
		q.Poke()
		take(t, q, 1, 1)
	})
}

func TestAnAppendWhoseCallerGaveUpIsFoundWithoutAPoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(queue.Options{Inbox: &inbox{}})
		defer run(t, q)()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.Append(ctx, events(1), time.Hour); !errors.Is(err, context.Canceled) {
			t.Fatalf("append: %v, want the context's error", err)
		}
		time.Sleep(1100 * time.Millisecond)
		take(t, q, 1, 1)
	})
}

func TestALogThatCannotBeReadEndsTheReader(t *testing.T) {
	q := queue.New(queue.Options{Inbox: &inbox{fail: store.ErrFailed}})
	if err := q.Run(t.Context()); !errors.Is(err, store.ErrFailed) {
		t.Errorf("Run: %v, want ErrFailed", err)
	}
}

func TestManyAppendersNeverReorder(t *testing.T) {
	const appenders, each = 8, 200
	q := queue.New(queue.Options{Inbox: &inbox{}, Buffer: 3})
	stop := run(t, q)
	var wg sync.WaitGroup
	for a := range appenders {
		wg.Go(func() {
			for i := range each {
				if _, err := q.Append(t.Context(), []*engine.Event{event(fmt.Sprint(a, "-", i))}, time.Hour); err != nil {
					t.Errorf("append: %v", err)
				}
			}
		})
	}
	next := make([]int, appenders)
	for want := uint64(1); want <= appenders*each; want++ {
		e := <-q.Entries()
		var a, i int
		fmt.Sscanf(e.Event.ID, "%d-%d", &a, &i)
		if e.Seq != want || i != next[a] {
			t.Fatalf("took %d (%s), want %d and number %d of its appender", e.Seq, e.Event.ID, want, next[a])
		}
		next[a]++
	}
	wg.Wait()
	stop()
}

func TestAGapAmongTheLiveIsReadAndNotSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		defer run(t, q)()
		synctest.Wait() // nothing to read, so that only a poke makes it look
		for i := range uint64(3000) {
			b.mu.Lock()
			b.put(event(fmt.Sprint("other", i))) // raised by a turn, whose poke is to come
			b.mu.Unlock()
			if _, err := q.Append(t.Context(), []*engine.Event{event(fmt.Sprint(i))}, time.Hour); err != nil {
				t.Fatal(err)
			}
			take(t, q, 2*i+1, 2*i) // what is behind the gap waits
			q.Poke()
			take(t, q, 2*i+1, 2*i+2)
		}
	})
}

func TestMoreThanIsKeptInMemoryIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(queue.Options{Inbox: &inbox{}, Buffer: 2})
		defer run(t, q)()
		synctest.Wait()
		for i := range 3000 {
			if _, err := q.Append(t.Context(), []*engine.Event{event(fmt.Sprint(i))}, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		take(t, q, 1, 3000)
	})
}

func TestAPokeDuringAReadIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		b.read = func() {
			b.read = nil
			b.put(event("late"))
			q.Poke()
		}
		defer run(t, q)()
		take(t, q, 1, 1)
	})
}

func TestLargeEventsThatWereTakenMakeRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		q := queue.New(queue.Options{Inbox: b})
		defer run(t, q)()
		synctest.Wait()
		for i := range uint64(20) {
			e := event(fmt.Sprint(i))
			e.Raw = make([]byte, 1<<20)
			if _, err := q.Append(t.Context(), []*engine.Event{e}, time.Hour); err != nil {
				t.Fatal(err)
			}
			take(t, q, i+1, i+1)
		}
		if b.reads != 1 {
			t.Errorf("the log was read %d times", b.reads)
		}
	})
}

// What is gone from the log before the reader came to it is not looked for again and again.
func TestAGapThatNothingIsBehindIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		b.put(event("a"))
		b.settle(1)
		q := queue.New(queue.Options{Inbox: b})
		defer run(t, q)()
		synctest.Wait()
		q.Append(t.Context(), []*engine.Event{event("b")}, time.Hour)
		b.settle(2) // otherwise than by a turn
		time.Sleep(time.Minute)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.reads > 65 {
			t.Errorf("the log was read %d times in a minute in which nothing came", b.reads)
		}
	})
}

func TestWhatIsBehindAGapWaitsForIt(t *testing.T) {
	for name, gap := range map[string]func(*inbox, *queue.Queue){
		"the log was handled to its end before the start": func(b *inbox, _ *queue.Queue) {},
		"a caller gave up": func(b *inbox, q *queue.Queue) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			q.Append(ctx, events(1), time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &inbox{}
				b.put(event("a"))
				b.settle(1)
				q := queue.New(queue.Options{Inbox: b})
				defer run(t, q)()
				synctest.Wait()
				gap(b, q)
				q.Append(t.Context(), []*engine.Event{event("c")}, time.Hour)
				was := time.Now()
				for e := range q.Entries() {
					if e.Event.ID == "c" {
						break
					}
				}
				if took := time.Since(was); took > 50*time.Millisecond {
					t.Errorf("it came after %v", took)
				}
			})
		})
	}
}
