package dispatch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/dispatch"
	"bot/engine/queue"
	"bot/engine/turn"
	"bot/store"
	"bot/store/boltstore"
)

// life is a queue and a dispatcher over a store in a file.
type life struct {
	store store.Store
	queue *queue.Queue
	stop  func()
}

// begin opens the store in dir; committed is called after each commit with commands.
func begin(t *testing.T, dir string, h handler, committed func()) *life {
	t.Helper()
	st, err := boltstore.Open(t.Context(), boltstore.Options{Path: filepath.Join(dir, "bot.db"), MapSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	q := queue.New(queue.Options{Inbox: st, Buffer: 4})
	d := dispatch.New(dispatch.Options{
		Entries: q.Entries(), Store: st, Committed: committed, Attempts: 2, Grace: time.Millisecond,
		Setup: func() turn.Setup {
			return turn.Setup{Router: h, Accounts: map[string]engine.Account{"shop": {Name: "shop"}}}
		},
		Now: st.Now, Chance: func() float64 { return 0 },
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for name, run := range map[string]func(context.Context) error{"queue": q.Run, "dispatch": d.Run} {
		wg.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	return &life{st, q, sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})}
}

func (l *life) append(t *testing.T, e *engine.Event) {
	t.Helper()
	if _, err := l.queue.Append(t.Context(), []*engine.Event{e}, time.Hour); err != nil {
		t.Fatal(err)
	}
}

// counting answers each event with its number in its conversation, kept in the
// state, and fails for the poisoned.
func counting(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	if t.Event.Text == "poison" {
		panic("poison")
	}
	node := t.State.Node + "x"
	return engine.Outcome{
		State:    &engine.State{Node: node},
		Commands: []engine.Command{{Action: engine.SendText, Text: fmt.Sprint(len(node))}},
	}, nil
}

func TestOnARealStoreEveryEventIsAnsweredOnceAndInOrder(t *testing.T) {
	const conversations, each = 20, 15
	dir := t.TempDir()
	left := make(chan struct{}, 2*conversations*each)
	say := func(l *life) {
		for i := range each {
			for c := range conversations {
				name := fmt.Sprint("u", c)
				if i == 2 {
					l.append(t, poisoned(name))
				}
				l.append(t, message("shop", name))
			}
		}
	}
	// The first life ends somewhere in the middle.
	l := begin(t, dir, counting, func() { left <- struct{}{} })
	say(l)
	for range conversations {
		<-left
	}
	l.stop()
	for n := len(left); n > 0; n-- {
		<-left
	}

	l = begin(t, dir, counting, func() { left <- struct{}{} })
	defer l.stop()
	// The log is empty once the last commit was answered, which is a moment
	// after what it wrote can be read.
	for l.store.Backlog() > 0 {
		runtime.Gosched()
	}
	deliveries := commands(t, l.store)
	next := make(map[string]int)
	for _, d := range deliveries {
		next[d.Command.Conversation]++
		if want := fmt.Sprint(next[d.Command.Conversation]); d.Command.Text != want {
			t.Errorf("conversation %s: answer %s, want %s", d.Command.Conversation, d.Command.Text, want)
		}
	}
	stats, err := l.store.Stats()
	if err != nil || stats.Letters != conversations || stats.Events != 0 || len(deliveries) != conversations*each {
		t.Errorf("%d commands, %+v, %v", len(deliveries), stats, err)
	}
}

func commands(t *testing.T, st store.Store) []store.Delivery {
	t.Helper()
	all, err := st.Deliveries(0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The files are copied while a handler stands still: what a process leaves that
// dies at this moment.
func TestOnARealStoreAnEventThatKillsTheProcessIsBuried(t *testing.T) {
	reached := make(chan struct{}, 10)
	deadly := func(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
		if t.Event.Text != "poison" {
			return counting(ctx, t)
		}
		reached <- struct{}{}
		<-ctx.Done()
		return engine.Outcome{}, ctx.Err()
	}
	dir, answered := t.TempDir(), make(chan struct{}, 10)
	l := begin(t, dir, deadly, func() { answered <- struct{}{} })
	l.append(t, poisoned("u1"))
	l.append(t, message("shop", "u1"))
	for range 3 { // attempts: 2, after the one that nobody suspected
		<-reached
		next := t.TempDir()
		if err := os.CopyFS(next, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		l.stop()
		dir, l = next, begin(t, next, deadly, func() { answered <- struct{}{} })
	}
	<-answered // its successor
	letters, err := l.store.Letters(0, 10)
	if err != nil || len(letters) != 1 || letters[0].Error != "the process died while handling it, 3 times" {
		t.Errorf("letters %+v, %v", letters, err)
	}
	l.stop()
}
