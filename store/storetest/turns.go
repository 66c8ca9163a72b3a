package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/store"
)

var (
	key  = engine.StateKey{Account: "acc", Conversation: "c", Sender: "s"}
	key2 = engine.StateKey{Account: "acc", Conversation: "c", Sender: "s2"}
)

// whole is a commit that changes one thing of each kind.
func whole(seq uint64, owner string, until time.Time) store.Commit {
	return store.Commit{
		Seq: seq, Owner: owner,
		States:   []store.StateWrite{{Key: key, State: engine.State{Skill: "form", Node: "name", Data: map[string]string{"a": "b"}}}},
		Once:     []store.Once{{Account: "acc", Skill: "form", Key: "k", Until: until}},
		Commands: []engine.Command{command(owner + "-0"), command(owner + "-1")},
	}
}

// untouched complains if anything of whole(…, owner, …) took effect.
func (e *env) untouched(seq uint64, owner string) {
	e.Helper()
	if _, err := e.Entry(seq); err != nil {
		e.Errorf("the entry is gone: %v", err)
	}
	for _, d := range e.outbox() {
		if d.Command.TaskID == owner+"-0" || d.Command.TaskID == owner+"-1" {
			e.Errorf("command %s was stored", d.Command.TaskID)
		}
	}
}

var turnsCases = []testCase{
	{"a commit takes the entry out and applies its whole outcome, also after a crash", func(e *env) {
		seq := e.add("1")[0]
		e.must(e.Commit(e.ctx, whole(seq, "o", e.Now().Add(time.Hour))))
		for range 2 {
			if _, err := e.Entry(seq); !errors.Is(err, store.ErrGone) {
				e.Errorf("the entry is there: %v", err)
			}
			st := e.state(key)
			if st.Skill != "form" || st.Node != "name" || st.Data["a"] != "b" || st.Version == 0 {
				e.Errorf("state %+v", st)
			}
			ds := e.outbox()
			if len(ds) != 2 || ds[0].Command.TaskID != "o-0" || ds[1].Command.TaskID != "o-1" || ds[0].Progress.Phase != store.Waiting {
				e.Errorf("outbox %+v", ds)
			}
			err := e.Commit(e.ctx, whole(e.add("next" + fmt.Sprint(st.Version, len(e.log())))[0], "other", e.Now().Add(time.Hour)))
			if !errors.Is(err, store.ErrConflict) {
				e.Errorf("got %v, the state was to conflict", err)
			}
			e.crash()
		}
	}},
	{"a commit of an entry that is not there is refused as gone and leaves all as it was", func(e *env) {
		seq := e.add("1")[0]
		e.must(e.Commit(e.ctx, store.Commit{Seq: seq, Owner: "o"}))
		if err := e.Commit(e.ctx, whole(seq, "late", e.Now().Add(time.Hour))); !errors.Is(err, store.ErrGone) {
			e.Errorf("got %v", err)
		}
		if st := e.state(key); st.Exists() || len(e.outbox()) != 0 {
			e.Errorf("state %+v, outbox %+v", st, e.outbox())
		}
		e.must(e.Commit(e.ctx, whole(e.add("2")[0], "o2", e.Now().Add(time.Hour)))) // the once-key is free
	}},
	{"a commit on a state that moved is refused as a conflict and leaves all as it was", func(e *env) {
		e.setState(key, engine.State{Skill: "other"})
		before := e.state(key)
		seq := e.add("1")[0]
		if err := e.Commit(e.ctx, whole(seq, "o", e.Now().Add(time.Hour))); !errors.Is(err, store.ErrConflict) {
			e.Errorf("got %v", err)
		}
		e.untouched(seq, "o")
		if got := e.state(key); !reflect.DeepEqual(got, before) {
			e.Errorf("state %+v, was %+v", got, before)
		}
		c := whole(seq, "o2", e.Now().Add(time.Hour))
		c.States[0].Read = before.Version
		e.must(e.Commit(e.ctx, c)) // the once-key is free
	}},
	{"one conflicting state of two refuses both", func(e *env) {
		e.setState(key2, engine.State{Skill: "x"})
		seq := e.add("1")[0]
		c := whole(seq, "o", e.Now().Add(time.Hour))
		c.States = append(c.States, store.StateWrite{Key: key2, State: engine.State{Skill: "y"}})
		if err := e.Commit(e.ctx, c); !errors.Is(err, store.ErrConflict) {
			e.Errorf("got %v", err)
		}
		if e.state(key).Exists() || e.state(key2).Skill != "x" {
			e.Errorf("states %+v, %+v", e.state(key), e.state(key2))
		}
	}},
	{"of two commits of one event at once one is gone", func(e *env) {
		seq := e.add("1")[0]
		e.oneWins(store.ErrGone, func(i int) error {
			return e.Commit(e.ctx, store.Commit{Seq: seq, Owner: fmt.Sprint(i), Commands: []engine.Command{command(fmt.Sprint(i))}})
		})
		if n := len(e.outbox()); n != 1 {
			e.Errorf("%d commands", n)
		}
	}},
	{"of two commits that read one version one conflicts", func(e *env) {
		seqs := e.add("1", "2")
		e.oneWins(store.ErrConflict, func(i int) error {
			return e.Commit(e.ctx, store.Commit{Seq: seqs[i], Owner: "o", States: []store.StateWrite{
				{Key: key, State: engine.State{Skill: fmt.Sprint(i)}},
			}})
		})
	}},
	{"a refused commit does not hinder those beside it", func(e *env) {
		var ids []string
		for i := range 40 {
			ids = append(ids, fmt.Sprint(i))
		}
		seqs := e.add(ids...)
		parallel(len(seqs), func(i int) {
			seq, want := seqs[i], error(nil)
			if i%2 == 1 {
				seq, want = 1<<40, store.ErrGone
			}
			if err := e.Commit(e.ctx, store.Commit{Seq: seq, Owner: "o"}); !errors.Is(err, want) {
				e.Errorf("commit %d: %v", i, err)
			}
		})
		if n := len(e.log()); n != 20 {
			e.Errorf("log holds %d", n)
		}
	}},
	{"a version never comes back, though the state ended meanwhile or the process died", func(e *env) {
		seen := map[uint64]bool{}
		for i := range 6 {
			e.setState(key, engine.State{Skill: "a"})
			v := e.state(key).Version
			if v == 0 || seen[v] {
				e.Fatalf("round %d: version %d again", i, v)
			}
			seen[v] = true
			e.setState(key, engine.State{})
			if e.state(key).Exists() || e.state(key).Version != 0 {
				e.Fatalf("state was not ended: %+v", e.state(key))
			}
			if i%2 == 1 {
				e.crash()
			}
		}
	}},
	{"State returns a copy", func(e *env) {
		e.setState(key, engine.State{Skill: "a", Data: map[string]string{"k": "v"}})
		e.state(key).Data["k"] = "changed"
		if got := e.state(key).Data["k"]; got != "v" {
			e.Errorf("got %q", got)
		}
	}},
	{"states of other accounts, conversations and senders are others", func(e *env) {
		e.setState(engine.StateKey{Account: "a", Conversation: "bc", Sender: "d"}, engine.State{Skill: "x"})
		for _, k := range []engine.StateKey{
			{Account: "ab", Conversation: "c", Sender: "d"}, {Account: "a", Conversation: "b", Sender: "cd"}, {Account: "a", Conversation: "bc"},
		} {
			if st := e.state(k); st.Exists() {
				e.Errorf("%v: %+v", k, st)
			}
		}
	}},
}

// oneWins runs f twice at once: one must succeed, the other answer loser.
func (e *env) oneWins(loser error, f func(i int) error) {
	e.Helper()
	var won, lost atomic.Int32
	parallel(2, func(i int) {
		switch err := f(i); {
		case err == nil:
			won.Add(1)
		case errors.Is(err, loser):
			lost.Add(1)
		default:
			e.Error(err)
		}
	})
	if won.Load() != 1 || lost.Load() != 1 {
		e.Errorf("%d won, %d lost", won.Load(), lost.Load())
	}
}

func once(account, skill string, until time.Time) []store.Once {
	return []store.Once{{Account: account, Skill: skill, Key: "k", Until: until}}
}

// take commits a new event that takes once-keys.
func (e *env) take(owner string, keys []store.Once) error {
	e.Helper()
	return e.Commit(e.ctx, store.Commit{Seq: e.fresh(), Owner: owner, Once: keys})
}

// granted complains if a key of the skill "form" is said to be free, or taken.
func (e *env) granted(account, skill, key string, want bool) {
	e.Helper()
	if got, err := e.Granted(account, skill, key); err != nil || got != want {
		e.Errorf("the key %q of %s on %s is taken: %v, %v; want %v", key, skill, account, got, err, want)
	}
}

var onceCases = []testCase{
	{"a key is told taken from its commit until its time has passed, also after a crash", func(e *env) {
		e.granted("acc", "form", "k", false)
		e.must(e.take("first", once("acc", "form", e.Now().Add(time.Hour))))
		for range 2 {
			e.granted("acc", "form", "k", true)
			e.granted("acc", "other", "k", false)
			e.granted("other", "form", "k", false)
			e.granted("acc", "form", "k2", false)
			e.crash()
		}
		e.clock.Advance(time.Hour)
		e.granted("acc", "form", "k", false)
	}},
	{"a key that a refused commit asked for is told free", func(e *env) {
		if err := e.Commit(e.ctx, whole(e.fresh()+100, "o", e.Now().Add(time.Hour))); !errors.Is(err, store.ErrGone) {
			e.Errorf("got %v", err)
		}
		e.granted("acc", "form", "k", false)
	}},
	{"a taken key refuses another owner's commit and leaves all as it was", func(e *env) {
		e.must(e.take("first", once("acc", "form", e.Now().Add(time.Hour))))
		for range 2 {
			seq := e.fresh()
			err := e.Commit(e.ctx, whole(seq, "second", e.Now().Add(time.Hour)))
			var taken *store.TakenError
			if !errors.As(err, &taken) || taken.Key != "k" || taken.Skill != "form" || taken.Owner != "first" {
				e.Errorf("got %v", err)
			}
			e.untouched(seq, "second")
			if e.state(key).Exists() {
				e.Error("the state was written")
			}
			e.crash()
		}
	}},
	{"its owner may take a key again", func(e *env) {
		e.must(e.take("first", once("acc", "form", e.Now().Add(time.Hour))))
		e.must(e.take("first", once("acc", "form", e.Now().Add(400*24*time.Hour))))
		e.clock.Advance(2 * time.Hour)
		var taken *store.TakenError
		if err := e.take("second", once("acc", "form", e.Now().Add(time.Hour))); !errors.As(err, &taken) {
			e.Errorf("the longer time does not hold: %v", err)
		}
	}},
	{"a key is free once its time has passed", func(e *env) {
		e.must(e.take("first", once("acc", "form", e.Now().Add(time.Hour))))
		e.clock.Advance(time.Hour)
		e.must(e.take("second", once("acc", "form", e.Now().Add(time.Hour))))
	}},
	{"keys of other accounts and skills do not meet", func(e *env) {
		until := e.Now().Add(time.Hour)
		e.must(e.take("1", once("acc", "form", until)))
		e.must(e.take("2", once("other", "form", until)))
		e.must(e.take("3", once("acc", "other", until)))
	}},
	{"of two owners at once one gets the key", func(e *env) {
		seqs := e.add("1", "2")
		var won, lost atomic.Int32
		parallel(2, func(i int) {
			err := e.Commit(e.ctx, store.Commit{Seq: seqs[i], Owner: fmt.Sprint(i), Once: once("acc", "form", e.Now().Add(time.Hour))})
			var taken *store.TakenError
			switch {
			case err == nil:
				won.Add(1)
			case errors.As(err, &taken):
				lost.Add(1)
			default:
				e.Error(err)
			}
		})
		if won.Load() != 1 || lost.Load() != 1 {
			e.Errorf("%d won, %d lost", won.Load(), lost.Load())
		}
	}},
	{"a key is held for 400 days through sweeps", func(e *env) {
		e.must(e.take("first", once("acc", "form", e.Now().Add(400*24*time.Hour))))
		for range 39 {
			e.clock.Advance(10 * 24 * time.Hour)
			e.must(e.Sweep(e.ctx))
		}
		var taken *store.TakenError
		if err := e.take("second", once("acc", "form", e.Now().Add(time.Hour))); !errors.As(err, &taken) {
			e.Errorf("got %v after %d days", err, 390)
		}
		e.clock.Advance(11 * 24 * time.Hour)
		e.must(e.Sweep(e.ctx))
		e.must(e.take("second", once("acc", "form", e.Now().Add(time.Hour))))
	}},
}

var attemptCases = []testCase{
	{"a failure is told with the entry, also after a crash, and goes with it", func(e *env) {
		seqs := e.add("1", "2")
		tries := store.Tries{Count: 2, First: e.Now(), NotBefore: e.Now().Add(time.Minute), Error: "boom"}
		e.must(e.Fail(e.ctx, store.Failure{Seq: seqs[0], Tries: tries}))
		for range 2 {
			log := e.log()
			if len(log) != 2 || !reflect.DeepEqual(log[0].Tries, tries) || log[1].Tries.Count != 0 {
				e.Errorf("log %+v", log)
			}
			if one, err := e.Entry(seqs[0]); err != nil || !reflect.DeepEqual(one.Tries, tries) {
				e.Errorf("entry %+v, %v", one, err)
			}
			e.crash()
		}
		e.must(e.Commit(e.ctx, store.Commit{Seq: seqs[0], Owner: "o"}))
	}},
	{"a buried event is a letter with all that is known of it", func(e *env) {
		seq := e.add("1")[0]
		ref := e.log()[0].Event.Ref()
		e.must(e.Fail(e.ctx, store.Failure{Seq: seq, Tries: store.Tries{Count: 3, Error: "boom"}, Skill: "form", Bury: true}))
		for range 2 {
			ls := e.dead()
			if len(ls) != 1 || ls[0].Event == nil || ls[0].Event.Ref() != ref || ls[0].Count != 3 ||
				ls[0].Error != "boom" || ls[0].Skill != "form" || !ls[0].Time.Equal(e.Now()) {
				e.Errorf("letters %+v", ls)
			}
			if n := len(e.log()); n != 0 {
				e.Errorf("log holds %d", n)
			}
			e.crash()
		}
	}},
	{"a buried event's copy is a duplicate still", func(e *env) {
		e.must(e.Fail(e.ctx, store.Failure{Seq: e.add("1")[0], Bury: true}))
		if !e.duplicate("1", window) {
			e.Error("the copy was logged")
		}
	}},
	{"failing or charging what is gone is refused as gone", func(e *env) {
		for _, bury := range []bool{false, true} {
			if err := e.Fail(e.ctx, store.Failure{Seq: 99, Bury: bury}); !errors.Is(err, store.ErrGone) {
				e.Errorf("fail: %v", err)
			}
		}
		if _, err := e.Charge(e.ctx, 99); !errors.Is(err, store.ErrGone) {
			e.Errorf("charge: %v", err)
		}
	}},
	{"charges count up through crashes", func(e *env) {
		seq := e.add("1")[0]
		var first time.Time
		for i := 1; i <= 3; i++ {
			tries, err := e.Charge(e.ctx, seq)
			e.must(err)
			if i == 1 {
				first = tries.First
			}
			if tries.Count != i || tries.First.IsZero() || !tries.First.Equal(first) {
				e.Errorf("charge %d: %+v", i, tries)
			}
			e.clock.Advance(time.Second)
			e.crash()
			if one, err := e.Entry(seq); err != nil || one.Tries.Count != i {
				e.Errorf("after the crash: %+v, %v", one, err)
			}
		}
	}},
	{"events in hand at a crash are suspects, in order; ended and settled ones are not", func(e *env) {
		if e.h.Traits.Shared {
			e.Skip("several processes: what was in hand is found by its lease")
		}
		seqs := e.add("1", "2", "3", "4", "5")
		e.Begin(seqs[3])
		e.Begin(seqs[1])
		end := e.Begin(seqs[2])
		e.Begin(seqs[4])
		end()
		e.must(e.Commit(e.ctx, store.Commit{Seq: seqs[4], Owner: "o"}))
		e.crash()
		if got, want := e.Suspects(), []uint64{seqs[1], seqs[3]}; !reflect.DeepEqual(got, want) {
			e.Errorf("suspects %v, want %v", got, want)
		}
		e.crash()
		if got := e.Suspects(); len(got) != 0 {
			e.Errorf("suspects after a second crash: %v", got)
		}
	}},
	{"a note taken back twice takes back one", func(e *env) {
		if e.h.Traits.Shared {
			e.Skip("several processes: what was in hand is found by its lease")
		}
		seqs := e.add("1", "2")
		end := e.Begin(seqs[0])
		end()
		e.Begin(seqs[1])
		end()
		e.crash()
		if got := e.Suspects(); len(got) != 1 || got[0] != seqs[1] {
			e.Errorf("suspects %v", got)
		}
	}},
}
