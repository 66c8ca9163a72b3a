package storetest

import (
	"errors"
	"fmt"
	"time"

	"bot/engine"
	"bot/store"
)

// fire calls Fire until there is no more.
func (e *env) fire() (events, ended int) {
	e.Helper()
	for {
		n, m, more, err := e.Fire(e.ctx)
		e.must(err)
		events, ended = events+n, ended+m
		if !more {
			return events, ended
		}
	}
}

func (e *env) expiring(k engine.StateKey, in time.Duration, notify bool) {
	e.Helper()
	e.setState(k, engine.State{Skill: "form", Expires: e.Now().Add(in), Notify: notify})
}

var expiryCases = []testCase{
	{"a state that asked for it raises an event once its time has passed, and stays", func(e *env) {
		e.expiring(key, time.Minute, true)
		version := e.state(key).Version
		e.clock.Advance(time.Minute)
		if n, m := e.fire(); n != 0 || m != 0 {
			e.Errorf("at the very time: %d events, %d ended", n, m)
		}
		e.clock.Advance(1)
		if n, m := e.fire(); n != 1 || m != 0 {
			e.Errorf("%d events, %d ended", n, m)
		}
		log := e.log()
		if len(log) != 1 {
			e.Fatalf("log %+v", log)
		}
		ev := log[0].Event
		if ev.Kind != engine.Expired || ev.Account != key.Account || ev.Conversation != key.Conversation || ev.Sender != key.Sender ||
			ev.ID == "" || ev.Params["version"] != fmt.Sprint(version) || !ev.Received.Equal(e.Now()) || !ev.Time.Equal(e.Now()) {
			e.Errorf("event %+v", ev)
		}
		if got := e.state(key); got.Version != version {
			e.Errorf("state %+v", got)
		}
	}},
	{"it raises no second event, also not after a crash", func(e *env) {
		e.expiring(key, time.Minute, true)
		e.clock.Advance(time.Minute + 1)
		e.fire()
		for range 2 {
			e.crash()
			e.clock.Advance(time.Hour)
			if n, m := e.fire(); n != 0 || m != 0 {
				e.Errorf("%d events, %d ended", n, m)
			}
		}
		if n := len(e.log()); n != 1 {
			e.Errorf("log holds %d", n)
		}
		if at, err := e.NextExpiry(); err != nil || !at.IsZero() {
			e.Errorf("next expiry %v, %v", at, err)
		}
	}},
	{"a crash does not lose an expiry", func(e *env) {
		e.expiring(key, time.Minute, true)
		e.crash()
		e.clock.Advance(time.Hour)
		if n, _ := e.fire(); n != 1 {
			e.Errorf("%d events", n)
		}
	}},
	{"any other state is removed silently, and returned until then", func(e *env) {
		e.expiring(key, time.Minute, false)
		e.clock.Advance(time.Hour)
		if !e.state(key).Exists() {
			e.Error("not returned any more")
		}
		if n, m := e.fire(); n != 0 || m != 1 {
			e.Errorf("%d events, %d ended", n, m)
		}
		if e.state(key).Exists() || len(e.log()) != 0 {
			e.Errorf("state %+v, log %+v", e.state(key), e.log())
		}
	}},
	{"a state that was renewed, ended or made endless does not expire at its old time", func(e *env) {
		for i, next := range []engine.State{{Skill: "form", Expires: e.Now().Add(time.Hour), Notify: true}, {}, {Skill: "form"}} {
			k := engine.StateKey{Account: "acc", Conversation: fmt.Sprint(i), Sender: "s"}
			e.expiring(k, time.Minute, true)
			e.setState(k, next)
		}
		e.clock.Advance(2 * time.Minute)
		if n, m := e.fire(); n != 0 || m != 0 {
			e.Errorf("%d events, %d ended", n, m)
		}
		e.clock.Advance(time.Hour)
		if n, m := e.fire(); n != 1 || m != 0 {
			e.Errorf("the renewed one: %d events, %d ended", n, m)
		}
	}},
	{"two states with one time expire both", func(e *env) {
		e.expiring(key, time.Minute, true)
		e.expiring(key2, time.Minute, true)
		e.clock.Advance(time.Hour)
		if n, _ := e.fire(); n != 2 {
			e.Errorf("%d events", n)
		}
	}},
	{"many are ended a few hundred at a time", func(e *env) {
		const states = 600
		var ids []string
		for i := range states {
			ids = append(ids, fmt.Sprint(i))
		}
		seqs := e.add(ids...)
		parallel(states, func(i int) {
			k := engine.StateKey{Account: "acc", Conversation: fmt.Sprint(i), Sender: "s"}
			st := engine.State{Skill: "f", Expires: e.Now().Add(time.Second), Notify: i%2 == 0}
			if err := e.Commit(e.ctx, store.Commit{Seq: seqs[i], Owner: "o", States: []store.StateWrite{{Key: k, State: st}}}); err != nil {
				e.Error(err)
			}
		})
		e.clock.Advance(time.Hour)
		n, m, more, err := e.Fire(e.ctx)
		e.must(err)
		if !more || n+m >= states {
			e.Errorf("the first call: %d and %d, more %v", n, m, more)
		}
		n2, m2 := e.fire()
		if n+n2 != states/2 || m+m2 != states/2 {
			e.Errorf("%d events, %d ended", n+n2, m+m2)
		}
	}},
	{"NextExpiry is the earliest", func(e *env) {
		if at, err := e.NextExpiry(); err != nil || !at.IsZero() {
			e.Errorf("of an empty store: %v, %v", at, err)
		}
		e.expiring(key, time.Hour, true)
		e.expiring(key2, time.Minute, false)
		if at, err := e.NextExpiry(); err != nil || !at.Equal(e.Now().Add(time.Minute)) {
			e.Errorf("got %v, %v", at, err)
		}
	}},
}

var timeCases = []testCase{
	{"the store's clock never falls below a time it has stored, also not after a crash", func(e *env) {
		e.add("1")
		at := e.Now()
		e.clock.Jump(-24 * time.Hour)
		for range 2 {
			if e.Now().Before(at) {
				e.Errorf("now is %v, an event was received at %v", e.Now(), at)
			}
			e.crash()
		}
		e.add("2")
		if log := e.log(); log[1].Event.Received.Before(log[0].Event.Received) {
			e.Errorf("received at %v, then at %v", log[0].Event.Received, log[1].Event.Received)
		}
	}},
	{"a wall clock set back changes no duplicate", func(e *env) {
		e.add("1")
		e.clock.Jump(-100 * 24 * time.Hour)
		if !e.duplicate("1", time.Hour) {
			e.Error("not a duplicate")
		}
	}},
	{"a wall clock set forward empties no window", func(e *env) {
		e.add("1")
		for range 3 {
			e.clock.Jump(24 * time.Hour)
			e.clock.Advance(time.Minute)
			e.must(e.Sweep(e.ctx))
			if !e.duplicate("1", time.Hour) {
				e.Fatal("not a duplicate")
			}
		}
		e.clock.Advance(time.Hour + slack)
		if e.duplicate("1", time.Hour) {
			e.Error("a duplicate for ever")
		}
	}},
	{"a sweep drops keys that have outlived the window, and no others", func(e *env) {
		e.add("1")
		e.clock.Advance(window / 2)
		e.add("2")
		e.clock.Advance(window/2 + slack + 1)
		e.must(e.Sweep(e.ctx))
		if st, err := e.Stats(); err != nil || st.DedupKeys != 1 {
			e.Errorf("keys %d, %v", st.DedupKeys, err)
		}
		if !e.duplicate("2", window) {
			e.Error("the younger key was dropped")
		}
		e.clock.Advance(2 * window)
		e.must(e.Sweep(e.ctx))
		e.crash()
		if st, err := e.Stats(); err != nil || st.DedupKeys != 0 {
			e.Errorf("keys %d, %v", st.DedupKeys, err)
		}
	}},
	{"a sweep of nothing is fine", func(e *env) {
		e.must(e.Sweep(e.ctx))
		e.clock.Advance(1000 * time.Hour)
		e.must(e.Sweep(e.ctx))
	}},
}

var lifeCases = []testCase{
	{"a closed store refuses every act and every read", func(e *env) {
		seq := e.add("1")[0]
		e.must(e.Close())
		e.closed = true
		_, appendErr := e.Append(e.ctx, []*engine.Event{event("2")}, window)
		_, readErr := e.Read(0, 1)
		_, entryErr := e.Entry(seq)
		_, stateErr := e.State(key)
		_, chargeErr := e.Charge(e.ctx, seq)
		_, submitErr := e.Submit(e.ctx, []engine.Command{submitted("t")}, window)
		_, deliveriesErr := e.Deliveries(0, 1)
		_, _, findErr := e.Find("t")
		_, lettersErr := e.Letters(0, 1)
		_, barredErr := e.Barred("acc", "", 1)
		_, recallErr := e.Recall("acc", "k")
		_, recollectErr := e.Recollect("acc", "", "", 1)
		_, pageErr := e.AppendPage(e.ctx, nil, window, "acc", []engine.Note{note("k", "v")})
		_, partErr := e.SubmitPage(e.ctx, nil, window, "acc", []engine.Note{note("k", "v")})
		_, statsErr := e.Stats()
		for name, err := range map[string]error{
			"append": appendErr, "read": readErr, "entry": entryErr, "state": stateErr, "charge": chargeErr, "submit": submitErr,
			"deliveries": deliveriesErr, "find": findErr, "letters": lettersErr, "barred": barredErr, "stats": statsErr,
			"recall": recallErr, "recollect": recollectErr, "append page": pageErr, "submit page": partErr,
			"commit":   e.Commit(e.ctx, store.Commit{Seq: seq}),
			"fail":     e.Fail(e.ctx, store.Failure{Seq: seq}),
			"attempt":  e.Attempt(e.ctx, 1, store.Progress{}),
			"settle":   e.Settle(e.ctx, store.Settlement{ID: 1}),
			"cancel":   e.Cancel(e.ctx, "t"),
			"resolve":  e.Resolve(e.ctx, "t", true, nil),
			"block":    e.SetStanding(e.ctx, "acc", "u", engine.Block),
			"remember": e.Remember(e.ctx, "acc", []engine.Note{note("k", "v")}),
			"replay":   e.Replay(e.ctx, 1),
			"drop":     e.Drop(e.ctx, 1),
		} {
			if !errors.Is(err, store.ErrClosed) {
				e.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"closing twice is fine", func(e *env) {
		e.must(e.Close())
		e.must(e.Close())
		e.closed = true
	}},
	{"closing flushes what was handed in", func(e *env) {
		const n = 30
		answers := make(chan error, n)
		for i := range n {
			go func() {
				_, err := e.Append(e.ctx, []*engine.Event{event(fmt.Sprint(i))}, window)
				answers <- err
			}()
		}
		first := <-answers
		e.must(first)
		e.must(e.Close())
		stored := 1
		for range n - 1 {
			switch err := <-answers; {
			case err == nil:
				stored++
			case !errors.Is(err, store.ErrClosed):
				e.Error(err)
			}
		}
		e.crash()
		if got := len(e.log()); got != stored {
			e.Errorf("%d were acknowledged, %d are there", stored, got)
		}
	}},
	{"a store that works has not failed", func(e *env) {
		select {
		case <-e.Failed():
			e.Error("failed")
		default:
		}
		if d := e.CommitWait(); d < 0 || d > time.Minute {
			e.Errorf("commit wait %v", d)
		}
	}},
}
