package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"bot/engine"
	"bot/store"
)

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
		e.must(e.Replay(e.ctx, e.dead()[0].ID, engine.Count{Key: "replayed", Add: 3}))
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
		e.recalls("replayed", "3")
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
