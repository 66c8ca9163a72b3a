package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/store"
)

var inboxCases = []testCase{
	{"an event is read back as it was given, also after a crash", func(e *env) {
		in := event("1")
		in.Params = map[string]string{"k": "v"}
		in.Members = []string{"m"}
		in.Media = []engine.Media{{Kind: "image", URL: "u", Size: 5}}
		in.Ticket = engine.Ticket{Token: "t", Expires: e.clock.Now().Add(time.Hour).UTC()}
		in.Time = e.clock.Now().Add(-time.Second).UTC()
		got, err := e.Append(e.ctx, []*engine.Event{in}, window)
		e.must(err)
		for range 2 {
			one, err := e.Entry(got.Seqs[0])
			e.must(err)
			if !reflect.DeepEqual(one.Event, in) {
				e.Fatalf("got  %+v\nwant %+v", one.Event, in)
			}
			e.crash()
		}
	}},
	{"Received is the store's time and does not fall along the log", func(e *env) {
		e.add("1")
		e.clock.Advance(time.Minute)
		parallel(20, func(i int) { e.Append(e.ctx, []*engine.Event{event(fmt.Sprint("p", i))}, window) })
		e.clock.Jump(-time.Hour)
		e.add("3")
		var last time.Time
		for _, entry := range e.log() {
			if r := entry.Event.Received; r.Before(last) || r.After(e.Now()) {
				e.Errorf("entry %d received at %v, the one before at %v", entry.Seq, r, last)
			}
			last = entry.Event.Received
		}
	}},
	{"a duplicate is told apart and not logged", func(e *env) {
		e.add("1")
		if !e.duplicate("1", window) {
			e.Error("the second copy is not a duplicate")
		}
		if n := len(e.log()); n != 1 {
			e.Errorf("log holds %d", n)
		}
	}},
	{"a duplicate is one after the event was handled, and after a crash", func(e *env) {
		e.must(e.Commit(e.ctx, store.Commit{Seq: e.add("1")[0], Owner: "o"}))
		e.crash()
		if !e.duplicate("1", window) {
			e.Error("the second copy is not a duplicate")
		}
	}},
	{"of fifty copies at once exactly one is logged", func(e *env) {
		var logged atomic.Int32
		parallel(50, func(int) {
			got, err := e.Append(e.ctx, []*engine.Event{event("1")}, window)
			if err != nil {
				e.Error(err)
			} else if !got.Duplicate[0] {
				logged.Add(1)
			}
		})
		if n := logged.Load(); n != 1 || len(e.log()) != 1 {
			e.Errorf("%d were told they are first, %d are logged", n, len(e.log()))
		}
	}},
	{"a duplicate of an event still being written waits for it", func(e *env) {
		for i := range 50 {
			ev := event(fmt.Sprint(i))
			parallel(2, func(int) {
				copied := *ev
				got, err := e.Append(e.ctx, []*engine.Event{&copied}, window)
				if err != nil {
					e.Error(err)
				} else if entries, err := e.Read(uint64(i), 1); err != nil || len(entries) != 1 {
					e.Errorf("answered (duplicate %v) before the event can be read: %v, %v", got.Duplicate[0], entries, err)
				}
			})
		}
	}},
	{"a key is a duplicate for the window at least and for a twelfth more at most", func(e *env) {
		for name, w := range map[string]time.Duration{"long": window, "short": time.Hour} {
			e.add(name)
			e.clock.Advance(w)
			if !e.duplicate(name, w) {
				e.Errorf("%s: not a duplicate at the window's end", name)
			}
			e.clock.Advance(slack + 1)
			if e.duplicate(name, w) {
				e.Errorf("%s: still a duplicate after the window and a twelfth", name)
			}
		}
	}},
	{"a repeat does not lengthen its key's life", func(e *env) {
		e.add("1")
		e.clock.Advance(window / 2)
		e.duplicate("1", window)
		e.clock.Advance(window/2 + slack + 1)
		if e.duplicate("1", window) {
			e.Error("still a duplicate")
		}
	}},
	{"copies within one batch are told apart, the rest is logged", func(e *env) {
		e.add("1")
		got, err := e.Append(e.ctx, []*engine.Event{event("2"), event("1"), event("2"), event("3")}, window)
		e.must(err)
		if want := []bool{false, true, true, false}; !reflect.DeepEqual(got.Duplicate, want) {
			e.Errorf("duplicates %v, want %v", got.Duplicate, want)
		}
		if got.Seqs[0] == 0 || got.Seqs[1] != 0 || got.Seqs[2] != 0 || got.Seqs[3] <= got.Seqs[0] {
			e.Errorf("seqs %v", got.Seqs)
		}
		if n := len(e.log()); n != 3 {
			e.Errorf("log holds %d", n)
		}
	}},
	{"same ids of other accounts, kinds and receivers do not meet", func(e *env) {
		others := []*engine.Event{event("1"), event("1"), event("1"), event("1")}
		others[1].Account = "other"
		others[2].Kind = engine.FriendAdded
		others[3].Receiver = "other"
		got, err := e.Append(e.ctx, others, window)
		e.must(err)
		for i, dup := range got.Duplicate {
			if dup {
				e.Errorf("event %d met another", i)
			}
		}
	}},
	{"Seen answers like Append and writes nothing", func(e *env) {
		k := event("1").Key()
		for _, want := range []bool{false, false} {
			if seen, err := e.Seen(k, window); err != nil || seen != want {
				e.Errorf("seen %v, %v", seen, err)
			}
		}
		e.add("1")
		if seen, err := e.Seen(k, window); err != nil || !seen {
			e.Errorf("seen %v, %v", seen, err)
		}
		e.clock.Advance(time.Hour + slack + 1)
		if seen, err := e.Seen(k, time.Hour); err != nil || seen {
			e.Errorf("seen %v after a short window, %v", seen, err)
		}
	}},
	{"an event whose caller gave up waiting is there once", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		for range 20 {
			if _, err := e.Append(ctx, []*engine.Event{event("1")}, window); err != nil && !errors.Is(err, context.Canceled) {
				e.Error(err)
			}
		}
		e.duplicate("1", window)
		if n := len(e.log()); n != 1 {
			e.Errorf("log holds %d", n)
		}
	}},
	{"Read returns what follows, in order, up to its limit", func(e *env) {
		seqs := e.add("1", "2", "3", "4")
		got, err := e.Read(seqs[0], 2)
		e.must(err)
		if len(got) != 2 || got[0].Seq != seqs[1] || got[1].Seq != seqs[2] {
			e.Errorf("got %+v", got)
		}
		if got, err := e.Read(seqs[3], 2); err != nil || len(got) != 0 {
			e.Errorf("after the end: %+v, %v", got, err)
		}
		if got, err := e.Read(^uint64(0), 2); err != nil || len(got) != 0 {
			e.Errorf("after the greatest number: %+v, %v", got, err)
		}
	}},
	{"a reader that follows the log misses nothing and meets nothing twice", func(e *env) {
		const writers, each = 4, 50
		done := make(chan map[string]int)
		go func() {
			seen, after := map[string]int{}, uint64(0)
			for len(seen) < writers*each && e.ctx.Err() == nil {
				entries, err := e.Read(after, 7)
				if err != nil {
					e.Error(err)
					break
				}
				for _, entry := range entries {
					seen[entry.Event.ID]++
					after = entry.Seq
				}
			}
			done <- seen
		}()
		parallel(writers, func(w int) {
			for i := range each {
				if _, err := e.Append(e.ctx, []*engine.Event{event(fmt.Sprint(w, "-", i))}, window); err != nil {
					e.Error(err)
				}
			}
		})
		for id, n := range <-done {
			if n != 1 {
				e.Errorf("%s was read %d times", id, n)
			}
		}
	}},
	{"an entry that is not there is gone", func(e *env) {
		if _, err := e.Entry(99); !errors.Is(err, store.ErrGone) {
			e.Errorf("got %v", err)
		}
	}},
	{"numbers of the log are never given twice, also not after a crash", func(e *env) {
		first := e.add("1")[0]
		e.must(e.Commit(e.ctx, store.Commit{Seq: first, Owner: "o"}))
		e.crash()
		if second := e.add("2")[0]; second <= first {
			e.Errorf("%d after %d", second, first)
		}
	}},
}
