package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/store"
)

// What happens to a command between its first attempt and its end.
var sendingCases = []testCase{
	{"what rides is on disk when it is answered", func(e *env) {
		e.submit("1", "2")
		e.must(e.Attempt(store.Riding(e.ctx), e.find("1").ID, store.Progress{Phase: store.Sending, Attempts: 1}))
		e.must(e.Settle(store.Riding(e.ctx), store.Settlement{ID: e.find("2").ID, Final: store.Sent}))
		e.crash()
		if p := e.find("1").Progress; p.Phase != store.Sending || p.Attempts != 1 {
			e.Errorf("the mark is %+v", p)
		}
		if _, final, err := e.Find("2"); err != nil || final != store.Sent {
			e.Errorf("the end is %q, %v", final, err)
		}
	}},
	{"an attempt counts, and a settlement counts and teaches, for the command's account", func(e *env) {
		e.submit("t")
		d := e.find("t")
		key := "quota/" + string(d.Command.Action)
		e.must(e.Attempt(e.ctx, d.ID, store.Progress{Attempts: 1}, engine.Count{Key: key, Add: 1}, engine.Count{Key: "all", Add: 2}))
		e.must(e.Settle(e.ctx, store.Settlement{ID: d.ID, Counts: []engine.Count{{Key: key, Add: -1}}}))
		e.must(e.Settle(e.ctx, store.Settlement{ID: d.ID, Final: store.Dead, Counts: []engine.Count{{Key: "dead", Add: 1}}, Learned: []engine.Note{note("why", "so")}}))
		for _, err := range []error{
			e.Attempt(e.ctx, d.ID, store.Progress{}, engine.Count{Key: "all", Add: 100}),
			e.Settle(e.ctx, store.Settlement{ID: d.ID, Counts: []engine.Count{{Key: "all", Add: 100}}}),
		} {
			if !errors.Is(err, store.ErrGone) {
				e.Errorf("of a command that is gone: %v", err)
			}
		}
		e.crash()
		for k, want := range map[string]string{key: "0", "all": "2", "dead": "1", "why": "so"} {
			if got, err := e.Recall(d.Command.Account, k); err != nil || got != want {
				e.Errorf("%s is %q, %v; want %q", k, got, err, want)
			}
		}
	}},
	{"what waits to be confirmed is read back so", func(e *env) {
		e.submit("t")
		want := store.Progress{Phase: store.Unconfirmed, Attempts: 1, Awaits: "m1", AwaitsUntil: e.Now().Add(time.Second)}
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("t").ID, Progress: want}))
		for range 2 {
			if got := e.find("t").Progress; got.Phase != want.Phase || got.Awaits != want.Awaits || !got.AwaitsUntil.Equal(want.AwaitsUntil) {
				e.Errorf("%+v, want %+v", got, want)
			}
			if err := e.Cancel(e.ctx, "t"); !errors.Is(err, store.ErrGone) {
				e.Errorf("cancelled: %v", err)
			}
			e.crash()
		}
	}},
	{"a doubt that is resolved ends, or joins the tail with its history and time anew", func(e *env) {
		for _, task := range []string{"again", "there", "waits"} {
			c := submitted(task)
			c.Deadline = e.Now().Add(time.Minute)
			_, err := e.Submit(e.ctx, []engine.Command{c}, time.Hour)
			e.must(err)
		}
		tried := store.Progress{Phase: store.InDoubt, Attempts: 3, Reason: "nobody knows", Awaits: "m1", AwaitsUntil: e.Now(), Tries: []store.Try{{Class: "unknown"}}}
		for _, task := range []string{"again", "there"} {
			e.must(e.Settle(e.ctx, store.Settlement{ID: e.find(task).ID, Progress: tried}))
		}
		for after, want := range map[uint64][]string{0: {"again", "there"}, e.find("again").ID: {"there"}, ^uint64(0): nil} {
			ds, err := e.Doubts(after, 5)
			e.must(err)
			var got []string
			for _, d := range ds {
				got = append(got, d.Command.TaskID)
			}
			if !slices.Equal(got, want) {
				e.Errorf("in doubt after %d: %v, want %v", after, got, want)
			}
		}
		if ds, err := e.Doubts(0, 1); err != nil || len(ds) != 1 {
			e.Errorf("the first of the doubts: %v, %v", ds, err)
		}
		e.clock.Advance(time.Hour)
		now := e.Now()
		e.must(e.Resolve(e.ctx, "again", false, nil))
		e.must(e.Resolve(e.ctx, "there", true, []engine.Note{{Key: "learned", Value: "there"}}, engine.Count{Key: "arrived", Add: 2}))
		for _, task := range []string{"again", "there", "waits", "nobody's"} {
			for _, arrived := range []bool{true, false} {
				if err := e.Resolve(e.ctx, task, arrived, nil); !errors.Is(err, store.ErrGone) {
					e.Errorf("%s, in no doubt (any more): %v", task, err)
				}
			}
		}
		for range 2 {
			out := e.outbox()
			if len(out) != 2 || out[1].Command.TaskID != "again" {
				e.Fatalf("outbox %+v", out)
			}
			d := out[1]
			if p := d.Progress; p.Phase != store.Waiting || p.Attempts != 0 || p.Awaits != "m1" || !p.AwaitsUntil.IsZero() || len(p.Tries) != 1 || d.Command.Created.Before(now) || !d.Command.Deadline.IsZero() {
				e.Errorf("sent again as %+v, %+v", d.Command, p)
			}
			if d, final, err := e.Find("there"); err != nil || final != store.Confirmed || len(d.Progress.Tries) != 1 {
				e.Errorf("found %q, %+v, %v", final, d.Progress, err)
			}
			e.recalls("learned", "there")
			e.recalls("arrived", "2")
			if s, err := e.Stats(); err != nil || s.InDoubt != 0 || s.Commands != 2 {
				e.Errorf("stats %+v, %v", s, err)
			}
			e.crash()
		}
	}},
	{"a command that was given up may have arrived, and is confirmed then", func(e *env) {
		_, err := e.Submit(e.ctx, []engine.Command{submitted("1")}, time.Hour)
		e.must(err)
		tried := store.Progress{Phase: store.Waiting, Attempts: 5, Reason: "gave up", Tries: []store.Try{{Class: "transient"}}}
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("1").ID, Final: store.Dead, Progress: tried, Counts: []engine.Count{{Key: "dead", Add: 5}}}))
		if err := e.Resolve(e.ctx, "1", false, nil); !errors.Is(err, store.ErrGone) {
			e.Errorf("sent again as a doubt: %v", err)
		}
		e.must(e.Resolve(e.ctx, "1", true, []engine.Note{{Key: "learned", Value: "1"}}, engine.Count{Key: "dead", Add: -1}))
		for range 2 {
			if d, final, err := e.Find("1"); err != nil || final != store.Confirmed || d.Progress.Attempts != 5 || len(d.Progress.Tries) != 1 {
				e.Errorf("found %q, %+v, %v", final, d.Progress, err)
			}
			if s, err := e.Stats(); err != nil || s.Letters != 0 || s.Commands != 0 {
				e.Errorf("stats %+v, %v", s, err)
			}
			e.recalls("learned", "1")
			e.recalls("dead", "4")
			e.crash()
		}
		if err := e.Resolve(e.ctx, "1", true, nil); !errors.Is(err, store.ErrGone) {
			e.Errorf("confirmed twice: %v", err)
		}
	}},
	{"an attempt is marked before it is made and stays marked after a crash", func(e *env) {
		e.submit("t")
		p := store.Progress{Attempts: 1, Tries: []store.Try{{Time: e.Now()}}}
		e.must(e.Attempt(e.ctx, e.find("t").ID, p))
		for range 2 {
			if got := e.find("t").Progress; got.Phase != store.Sending || got.Attempts != 1 || len(got.Tries) != 1 {
				e.Errorf("progress %+v", got)
			}
			e.crash()
		}
	}},
	{"a commit marks its first command, which then is as after an attempt, also after a crash", func(e *env) {
		p := store.Progress{Attempts: 1, Awaits: "m1", Tries: []store.Try{{Time: e.Now()}}}
		e.must(e.Commit(e.ctx, store.Commit{Seq: e.add("e")[0], Owner: "o", Mark: &p, Commands: []engine.Command{command("1"), command("2")}}))
		for range 2 {
			if got := e.find("1").Progress; got.Phase != store.Sending || got.Attempts != 1 || got.Awaits != "m1" || len(got.Tries) != 1 {
				e.Errorf("of the first: %+v", got)
			}
			if got := e.find("2").Progress; got.Phase != store.Waiting || got.Attempts != 0 {
				e.Errorf("of the second: %+v", got)
			}
			if ds, err := e.Deliveries(0, 2); err != nil || len(ds) != 2 || ds[0].Progress.Phase != store.Sending || ds[1].Progress.Phase != store.Waiting {
				e.Errorf("read in a row: %+v, %v", ds, err)
			}
			if err := e.Cancel(e.ctx, "1"); !errors.Is(err, store.ErrGone) {
				e.Errorf("cancelled while it is sent: %v", err)
			}
			e.crash()
		}
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("1").ID, Final: store.Sent}))
		if ds := e.outbox(); len(ds) != 1 || ds[0].Command.TaskID != "2" {
			e.Errorf("left: %+v", ds)
		}
	}},
	{"a command that its commit marks is never seen waiting", func(e *env) {
		var ids []string
		for i := range 100 {
			ids = append(ids, fmt.Sprint(i))
		}
		seqs := e.add(ids...)
		var done atomic.Bool
		read := make(chan error, 1)
		go func() {
			var after uint64
			for !done.Load() {
				ds, err := e.Deliveries(after, 10)
				for _, d := range ds {
					if after = d.ID; err == nil && d.Progress.Phase != store.Sending {
						err = fmt.Errorf("%s is %s", d.Command.TaskID, d.Progress.Phase)
					}
				}
				if err != nil {
					read <- err
					return
				}
			}
			read <- nil
		}()
		for i, seq := range seqs {
			e.must(e.Commit(e.ctx, store.Commit{Seq: seq, Owner: "o", Mark: &store.Progress{Attempts: 1}, Commands: []engine.Command{command(fmt.Sprint(i))}}))
		}
		done.Store(true)
		e.must(<-read)
	}},
	{"a commit that is refused marks nothing", func(e *env) {
		p := store.Progress{Attempts: 1}
		c := store.Commit{Seq: e.add("e")[0], Owner: "o", Mark: &p, Commands: []engine.Command{command("1")},
			States: []store.StateWrite{{Key: key, Read: 7, State: engine.State{Skill: "form"}}}}
		if err := e.Commit(e.ctx, c); !errors.Is(err, store.ErrConflict) {
			e.Errorf("got %v, the state was to conflict", err)
		}
		c.States, c.Mark = nil, nil
		e.must(e.Commit(e.ctx, c))
		if got := e.find("1").Progress; got.Phase != store.Waiting {
			e.Errorf("%+v", got)
		}
	}},
	{"a settlement without an end keeps the command with its progress", func(e *env) {
		e.submit("t")
		id := e.find("t").ID
		want := store.Progress{Phase: store.Waiting, Attempts: 2, NotBefore: e.Now().Add(time.Minute), Reason: "busy",
			Tries: []store.Try{{Time: e.Now(), Class: "transient", Status: 503, Note: "n"}}}
		e.must(e.Settle(e.ctx, store.Settlement{ID: id, Progress: want}))
		e.crash()
		if got := e.find("t").Progress; !reflect.DeepEqual(got, want) {
			e.Errorf("got  %+v\nwant %+v", got, want)
		}
	}},
	{"only the last tries are kept", func(e *env) {
		e.submit("t")
		p := store.Progress{Phase: store.Waiting, Attempts: 50}
		for i := range 50 {
			p.Tries = append(p.Tries, store.Try{Time: e.Now(), Status: i})
		}
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("t").ID, Progress: p}))
		got := e.find("t").Progress
		if len(got.Tries) != store.MaxTries || got.Tries[store.MaxTries-1].Status != 49 || got.Attempts != 50 {
			e.Errorf("progress %+v", got)
		}
	}},
	{"commands in doubt are counted, also after a crash", func(e *env) {
		e.submit("1", "2")
		for _, task := range []string{"1", "2"} {
			e.must(e.Settle(e.ctx, store.Settlement{ID: e.find(task).ID, Progress: store.Progress{Phase: store.InDoubt}}))
		}
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("1").ID, Final: store.Sent}))
		for range 2 {
			if st, err := e.Stats(); err != nil || st.InDoubt != 1 {
				e.Errorf("stats %+v, %v", st, err)
			}
			e.crash()
		}
	}},
	{"a sent command has left; that of an event is then unknown", func(e *env) {
		e.must(e.Commit(e.ctx, store.Commit{Seq: e.add("e")[0], Owner: "o", Commands: []engine.Command{command("t")}}))
		id := e.find("t").ID
		e.must(e.Attempt(e.ctx, id, store.Progress{}))
		e.must(e.Settle(e.ctx, store.Settlement{ID: id, Final: store.Sent}))
		if _, _, err := e.Find("t"); !errors.Is(err, store.ErrGone) {
			e.Errorf("find: %v", err)
		}
		if _, err := e.Delivery(id); !errors.Is(err, store.ErrGone) {
			e.Errorf("delivery: %v", err)
		}
		if n := len(e.outbox()); n != 0 {
			e.Errorf("outbox holds %d", n)
		}
	}},
	{"what has left can be neither attempted nor settled", func(e *env) {
		for name, err := range map[string]error{
			"attempt":  e.Attempt(e.ctx, 99, store.Progress{}),
			"keep":     e.Settle(e.ctx, store.Settlement{ID: 99}),
			"end":      e.Settle(e.ctx, store.Settlement{ID: 99, Final: store.Sent}),
			"bury":     e.Settle(e.ctx, store.Settlement{ID: 99, Final: store.Dead}),
			"cancel":   e.Cancel(e.ctx, "no such task"),
			"delivery": func() error { _, err := e.Delivery(99); return err }(),
			"find":     func() error { _, _, err := e.Find("no such task"); return err }(),
		} {
			if !errors.Is(err, store.ErrGone) {
				e.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"of two settlements at once one is gone", func(e *env) {
		e.submit("t")
		id := e.find("t").ID
		e.oneWins(store.ErrGone, func(i int) error {
			return e.Settle(e.ctx, store.Settlement{ID: id, Final: []store.Final{store.Sent, store.Dead}[i]})
		})
	}},
}
