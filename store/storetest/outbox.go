package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/store"
)

var outboxCases = []testCase{
	{"a submitted command is read back as it was given, also after a crash", func(e *env) {
		in := submitted("t")
		in.TraceID, in.Lane, in.Origin = "trace", engine.LaneBulk, "ref"
		in.Params = map[string]any{"id": json.Number("9223372036854775807"), "list": []any{"x", true}}
		in.NotBefore, in.Deadline = in.Created.Add(1), in.Created.Add(2)
		in.Ticket = engine.Ticket{Token: "tk", Expires: in.Created}
		_, err := e.Submit(e.ctx, []engine.Command{in}, time.Hour)
		e.must(err)
		for range 2 {
			d := e.find("t")
			if !reflect.DeepEqual(*d.Command, in) || d.Progress.Phase != store.Waiting || d.Progress.Attempts != 0 {
				e.Errorf("got  %+v\nwant %+v", *d.Command, in)
			}
			e.crash()
		}
	}},
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
	{"numbers in parameters read the same before and after a crash", func(e *env) {
		in := submitted("t")
		in.Params = map[string]any{"n": 5, "f": 1.5}
		_, err := e.Submit(e.ctx, []engine.Command{in}, time.Hour)
		e.must(err)
		before := e.find("t").Command.Params
		e.crash()
		if after := e.find("t").Command.Params; !reflect.DeepEqual(before, after) {
			e.Errorf("before %#v, after %#v", before, after)
		}
	}},
	{"a task id in the outbox is a duplicate, in the same call too", func(e *env) {
		e.submit("1")
		if got, want := e.submit("2", "1", "2", "3"), []bool{false, true, true, false}; !reflect.DeepEqual(got, want) {
			e.Errorf("duplicates %v, want %v", got, want)
		}
		e.crash()
		if got := e.submit("3"); !got[0] {
			e.Error("not a duplicate after a crash")
		}
		if n := len(e.outbox()); n != 3 {
			e.Errorf("outbox holds %d", n)
		}
	}},
	{"of twenty submissions of a task id at once one is stored", func(e *env) {
		var stored atomic.Int32
		parallel(20, func(int) {
			dup, err := e.Submit(e.ctx, []engine.Command{submitted("t")}, time.Hour)
			if err != nil {
				e.Error(err)
			} else if !dup[0] {
				stored.Add(1)
			}
		})
		if stored.Load() != 1 || len(e.outbox()) != 1 {
			e.Errorf("%d stored, outbox %d", stored.Load(), len(e.outbox()))
		}
	}},
	{"a settled task id is a duplicate for the window and free afterwards", func(e *env) {
		for _, final := range []store.Final{store.Sent, store.Confirmed, store.Cancelled} {
			task := string(final)
			e.submit(task)
			tried := store.Progress{Attempts: 2, Tries: []store.Try{{Class: "transient", Status: 500}, {Class: "sent", Status: 200}}}
			e.must(e.Settle(e.ctx, store.Settlement{ID: e.find(task).ID, Final: final, Progress: tried}))
			e.crash()
			if d, got, err := e.Find(task); err != nil || got != final || d.Progress.Attempts != 2 || len(d.Progress.Tries) != 2 {
				e.Errorf("found %q, %+v, %v; want %q", got, d.Progress, err, final)
			}
			e.clock.Advance(24*time.Hour - 1)
			e.must(e.Sweep(e.ctx))
			if !e.submit(task)[0] {
				e.Errorf("%s: not a duplicate within the window", task)
			}
			e.clock.Advance(1)
			if e.submit(task)[0] {
				e.Errorf("%s: a duplicate after the window", task)
			}
		}
	}},
	{"a dead task id is a duplicate until its letter is dropped", func(e *env) {
		e.submit("t")
		tried := store.Progress{Attempts: 1, Reason: "refused", Tries: []store.Try{{Class: "permanent", Status: 403}}}
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("t").ID, Final: store.Dead, Progress: tried}))
		e.clock.Advance(10 * window)
		e.crash()
		d, final, err := e.Find("t")
		if err != nil || final != store.Dead || d.Progress.Reason != "refused" || len(d.Progress.Tries) != 1 || d.Progress.Attempts != 1 {
			e.Errorf("found %q, %+v, %v", final, d.Progress, err)
		}
		if !e.submit("t")[0] {
			e.Error("not a duplicate")
		}
		e.must(e.Drop(e.ctx, e.dead()[0].ID))
		if e.submit("t")[0] {
			e.Error("a duplicate of a dropped letter")
		}
	}},
	{"a part of a job and how far it has come are stored in one act", func(e *env) {
		far := func(n string) []engine.Note { return []engine.Note{note("job", n)} }
		dup, err := e.SubmitPage(e.ctx, []engine.Command{submitted("1"), submitted("2")}, time.Hour, "acc", far("2"))
		e.must(err)
		if !reflect.DeepEqual(dup, []bool{false, false}) {
			e.Errorf("duplicates %v", dup)
		}
		bad := submitted("3")
		bad.Params = map[string]any{"x": func() {}}
		if _, err := e.SubmitPage(e.ctx, []engine.Command{bad}, time.Hour, "acc", far("3")); err == nil {
			e.Error("what cannot be stored was taken")
		}
		if _, err := e.SubmitPage(e.ctx, []engine.Command{submitted("4")}, time.Hour, "acc", []engine.Note{{Value: "4"}}); err == nil {
			e.Error("a note without a key was taken")
		}
		e.crash()
		if got, err := e.Recall("acc", "job"); err != nil || got != "2" || len(e.outbox()) != 2 {
			e.Errorf("come to %q, %v; outbox %d", got, err, len(e.outbox()))
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
		e.must(e.Resolve(e.ctx, "again", false))
		e.must(e.Resolve(e.ctx, "there", true, engine.Note{Key: "learned", Value: "there"}))
		for _, task := range []string{"again", "there", "waits", "nobody's"} {
			for _, arrived := range []bool{true, false} {
				if err := e.Resolve(e.ctx, task, arrived); !errors.Is(err, store.ErrGone) {
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
			if v, err := e.Recall(submitted("there").Account, "learned"); err != nil || v != "there" {
				e.Errorf("learned %q, %v", v, err)
			}
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
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("1").ID, Final: store.Dead, Progress: tried}))
		if err := e.Resolve(e.ctx, "1", false); !errors.Is(err, store.ErrGone) {
			e.Errorf("sent again as a doubt: %v", err)
		}
		e.must(e.Resolve(e.ctx, "1", true, engine.Note{Key: "learned", Value: "1"}))
		for range 2 {
			if d, final, err := e.Find("1"); err != nil || final != store.Confirmed || d.Progress.Attempts != 5 || len(d.Progress.Tries) != 1 {
				e.Errorf("found %q, %+v, %v", final, d.Progress, err)
			}
			if s, err := e.Stats(); err != nil || s.Letters != 0 || s.Commands != 0 {
				e.Errorf("stats %+v, %v", s, err)
			}
			if v, err := e.Recall(submitted("1").Account, "learned"); err != nil || v != "1" {
				e.Errorf("learned %q, %v", v, err)
			}
			e.crash()
		}
		if err := e.Resolve(e.ctx, "1", true); !errors.Is(err, store.ErrGone) {
			e.Errorf("confirmed twice: %v", err)
		}
	}},
	{"commands come in the order of storing, up to the limit", func(e *env) {
		e.submit("1", "2")
		e.must(e.Commit(e.ctx, store.Commit{Seq: e.add("e")[0], Owner: "o", Commands: []engine.Command{command("3"), command("4")}}))
		first, err := e.Deliveries(0, 3)
		e.must(err)
		rest, err := e.Deliveries(first[2].ID, 3)
		e.must(err)
		for i, d := range append(first, rest...) {
			if d.Command.TaskID != fmt.Sprint(i+1) {
				e.Errorf("place %d has %s", i, d.Command.TaskID)
			}
		}
		if got, err := e.Deliveries(^uint64(0), 3); err != nil || len(got) != 0 {
			e.Errorf("after the greatest number: %+v, %v", got, err)
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
		seqs := e.add("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19")
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
	{"a waiting command can be cancelled", func(e *env) {
		e.submit("t")
		e.must(e.Cancel(e.ctx, "t"))
		e.crash()
		if _, final, err := e.Find("t"); err != nil || final != store.Cancelled {
			e.Errorf("found %q, %v", final, err)
		}
		if n := len(e.outbox()); n != 0 {
			e.Errorf("outbox holds %d", n)
		}
		if err := e.Cancel(e.ctx, "t"); !errors.Is(err, store.ErrGone) {
			e.Errorf("a second time: %v", err)
		}
	}},
	{"a command that is on its way, in doubt or dead cannot be cancelled", func(e *env) {
		e.submit("sending", "doubt", "dead")
		e.must(e.Attempt(e.ctx, e.find("sending").ID, store.Progress{}))
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("doubt").ID, Progress: store.Progress{Phase: store.InDoubt}}))
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("dead").ID, Final: store.Dead}))
		for _, task := range []string{"sending", "doubt", "dead"} {
			if err := e.Cancel(e.ctx, task); !errors.Is(err, store.ErrGone) {
				e.Errorf("%s: %v", task, err)
			}
		}
	}},
	{"of a cancellation and an attempt at once one is gone or refused", func(e *env) {
		for i := range 20 {
			task := fmt.Sprint(i)
			e.submit(task)
			id := e.find(task).ID
			e.oneWins(store.ErrGone, func(i int) error {
				if i == 0 {
					return e.Cancel(e.ctx, task)
				}
				return e.Attempt(e.ctx, id, store.Progress{})
			})
		}
	}},
}

var letterCases = []testCase{
	{"a dead command is a letter with all that is known of it", func(e *env) {
		e.submit("t")
		d := e.find("t")
		p := store.Progress{Attempts: 5, Reason: "refused", Tries: []store.Try{{Time: e.Now(), Class: "permanent", Status: 400}}}
		e.must(e.Settle(e.ctx, store.Settlement{ID: d.ID, Final: store.Dead, Progress: p}))
		for range 2 {
			ls := e.dead()
			if len(ls) != 1 || ls[0].Command == nil || !reflect.DeepEqual(ls[0].Command, d.Command) || ls[0].Count != 5 ||
				ls[0].Error != "refused" || !reflect.DeepEqual(ls[0].Tries, p.Tries) || ls[0].Skill != "skill" || !ls[0].Time.Equal(e.Now()) {
				e.Errorf("letters %+v", ls)
			}
			e.crash()
		}
	}},
	{"letters come in order, up to the limit", func(e *env) {
		for i := range 5 {
			e.must(e.Fail(e.ctx, store.Failure{Seq: e.add(fmt.Sprint(i))[0], Bury: true}))
		}
		first, err := e.Letters(0, 3)
		e.must(err)
		rest, err := e.Letters(first[2].ID, 3)
		e.must(err)
		if len(rest) != 2 || rest[0].Event.ID != "3" {
			e.Errorf("rest %+v", rest)
		}
	}},
	{"a replayed event stands at the end of the log with its own identity", func(e *env) {
		seq := e.add("1")[0]
		ref := e.log()[0].Event.Ref()
		e.must(e.Fail(e.ctx, store.Failure{Seq: seq, Tries: store.Tries{Count: 3}, Bury: true}))
		e.clock.Advance(time.Hour)
		last := e.add("2")[0]
		e.must(e.Replay(e.ctx, e.dead()[0].ID))
		e.crash()
		log := e.log()
		if len(log) != 2 || log[1].Seq <= last || log[1].Event.Ref() != ref || log[1].Tries.Count != 0 {
			e.Errorf("log %+v", log)
		}
		if n := len(e.dead()); n != 0 {
			e.Errorf("%d letters", n)
		}
	}},
	{"a replayed command stands at the tail of the outbox with its task id and a fresh start", func(e *env) {
		c := submitted("1")
		c.Deadline = e.Now().Add(time.Minute)
		_, err := e.Submit(e.ctx, []engine.Command{c}, time.Hour)
		e.must(err)
		e.must(e.Settle(e.ctx, store.Settlement{ID: e.find("1").ID, Final: store.Dead, Progress: store.Progress{Attempts: 5}}))
		e.clock.Advance(time.Hour)
		e.submit("2")
		e.must(e.Replay(e.ctx, e.dead()[0].ID))
		e.crash()
		ds := e.outbox()
		if len(ds) != 2 || ds[1].Command.TaskID != "1" || ds[1].Progress.Phase != store.Waiting || ds[1].Progress.Attempts != 0 {
			e.Fatalf("outbox %+v", ds)
		}
		if got := ds[1].Command; !got.Due().Equal(e.Now()) || !got.Deadline.IsZero() {
			e.Errorf("due at %v, dead at %v; now is %v", got.Due(), got.Deadline, e.Now())
		}
		if !e.submit("1")[0] {
			e.Error("its task id is free")
		}
	}},
	{"a letter that is not there can be neither read, replayed nor dropped", func(e *env) {
		_, err := e.Letter(99)
		for name, err := range map[string]error{"letter": err, "replay": e.Replay(e.ctx, 99), "drop": e.Drop(e.ctx, 99)} {
			if !errors.Is(err, store.ErrGone) {
				e.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"of a replay and a drop at once one is gone", func(e *env) {
		for i := range 20 {
			e.must(e.Fail(e.ctx, store.Failure{Seq: e.add(fmt.Sprint(i))[0], Bury: true}))
			id := e.dead()[0].ID
			e.oneWins(store.ErrGone, func(i int) error {
				if i == 0 {
					return e.Replay(e.ctx, id)
				}
				return e.Drop(e.ctx, id)
			})
		}
	}},
}
