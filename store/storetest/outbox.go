package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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
