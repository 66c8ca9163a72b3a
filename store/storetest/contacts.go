package storetest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// stands complains if somebody of the account "acc" stands otherwise.
func (e *env) stands(user string, want engine.Standing) {
	e.Helper()
	if got := e.Standing("acc", user); got != want {
		e.Errorf("%s stands as %+v, want %+v", user, got, want)
	}
}

func (e *env) change(user string, c engine.Change) {
	e.Helper()
	e.must(e.SetStanding(e.ctx, "acc", user, c))
}

// barred lists an account by pages of that many.
func (e *env) barred(account string, limit int) []store.Contact {
	e.Helper()
	var all []store.Contact
	for after := ""; ; {
		cs, err := e.Barred(account, after, limit)
		e.must(err)
		if len(cs) > limit {
			e.Fatalf("a page of %d, limit %d", len(cs), limit)
		}
		if len(cs) == 0 {
			return all
		}
		all = append(all, cs...)
		after = cs[len(cs)-1].User
	}
}

var (
	blocked      = engine.Standing{Blocked: true}
	unsubscribed = engine.Standing{Unsubscribed: true}
	both         = engine.Standing{Blocked: true, Unsubscribed: true}
)

// wish is a commit of an event of "sender" that changes their subscription.
func wish(seq uint64, s engine.Subscription) store.Commit {
	return store.Commit{Seq: seq, Owner: "o", Account: "acc", Sender: "sender", Subscription: s}
}

var contactCases = []testCase{
	{"everybody stands as usual until something changes", func(e *env) {
		e.stands("u", engine.Standing{})
		if got := e.barred("acc", 10); len(got) != 0 {
			e.Errorf("listed %+v", got)
		}
	}},
	{"a change is seen once it returned, and after a crash", func(e *env) {
		e.change("u", engine.Block)
		e.change("v", engine.Change(engine.Unsubscribe))
		for range 2 {
			e.stands("u", blocked)
			e.stands("v", unsubscribed)
			e.crash()
		}
		e.change("u", engine.Change(engine.Unsubscribe))
		e.change("v", engine.Change(engine.Subscribe))
		for range 2 {
			e.stands("u", both)
			e.stands("v", engine.Standing{})
			e.crash()
		}
		e.change("u", engine.Unblock)
		e.crash()
		e.stands("u", unsubscribed)
	}},
	{"people of other accounts and alike names are others", func(e *env) {
		e.must(e.SetStanding(e.ctx, "a", "bc", engine.Block))
		for range 2 {
			for _, o := range [][2]string{{"ab", "c"}, {"a", "b"}, {"a", "bcd"}, {"", "abc"}, {"b", "bc"}} {
				if got := e.Standing(o[0], o[1]); got != (engine.Standing{}) {
					e.Errorf("%v stands as %+v", o, got)
				}
			}
			if len(e.barred("ab", 9)) != 0 || len(e.barred("", 9)) != 0 || len(e.barred("a", 9)) != 1 {
				e.Errorf("listed %v, %v, %v", e.barred("ab", 9), e.barred("", 9), e.barred("a", 9))
			}
			e.crash()
		}
	}},
	{"what held before holds since then, whatever else changes", func(e *env) {
		start := e.Now()
		e.change("u", engine.Block)
		e.clock.Advance(time.Hour)
		e.change("u", engine.Block)
		e.change("u", engine.Change(engine.Unsubscribe))
		want := []store.Contact{{User: "u", Blocked: start, Unsubscribed: start.Add(time.Hour)}}
		for range 2 {
			if got := e.barred("acc", 10); !reflect.DeepEqual(got, want) {
				e.Errorf("listed %+v, want %+v", got, want)
			}
			e.crash()
		}
	}},
	{"undoing what is not, and an unknown change, change nothing", func(e *env) {
		for _, c := range []engine.Change{engine.Unblock, engine.Change(engine.Subscribe), "", "promote"} {
			e.change("u", c)
			e.stands("u", engine.Standing{})
		}
		if got := e.barred("acc", 10); len(got) != 0 {
			e.Errorf("listed %+v", got)
		}
	}},
	{"the list has each barred person once, in order, page after page", func(e *env) {
		parallel(25, func(i int) {
			user := fmt.Sprintf("u%02d", i)
			for _, c := range []engine.Change{engine.Block, engine.Change(engine.Unsubscribe)}[:1+i%2] {
				if err := e.SetStanding(e.ctx, "acc", user, c); err != nil {
					e.Error(err)
				}
			}
		})
		e.must(e.SetStanding(e.ctx, "acd", "other", engine.Block))
		e.change("u03", engine.Unblock)
		e.change("u04", engine.Unblock)
		for _, limit := range []int{1, 7, 24, 100} {
			got := e.barred("acc", limit)
			if len(got) != 24 {
				e.Fatalf("pages of %d: %d listed", limit, len(got))
			}
			for i, c := range got {
				if i > 0 && c.User <= got[i-1].User {
					e.Errorf("%s stands behind %s", c.User, got[i-1].User)
				}
				s := engine.Standing{Blocked: !c.Blocked.IsZero(), Unsubscribed: !c.Unsubscribed.IsZero()}
				e.stands(c.User, s)
				if s == (engine.Standing{}) || c.User == "u03" && s != unsubscribed || c.User == "u04" {
					e.Errorf("listed %+v", c)
				}
			}
		}
	}},
	{"somebody without a name, or with one beyond all bounds, is refused and harms nobody", func(e *env) {
		for _, user := range []string{"", strings.Repeat("x", 1<<20)} {
			if err := e.SetStanding(e.ctx, "acc", user, engine.Block); err == nil {
				e.Errorf("a name of %d bytes was taken", len(user))
			}
		}
		e.change("u", engine.Block)
		e.stands("u", blocked)
	}},
	{"a commit carries the sender's wish, also through a crash", func(e *env) {
		e.must(e.Commit(e.ctx, wish(e.fresh(), engine.Unsubscribe)))
		for range 2 {
			e.stands("sender", unsubscribed)
			e.crash()
		}
		e.must(e.Commit(e.ctx, wish(e.fresh(), "")))
		e.stands("sender", unsubscribed)
		e.must(e.Commit(e.ctx, wish(e.fresh(), engine.Subscribe)))
		e.crash()
		e.stands("sender", engine.Standing{})
	}},
	{"a wish lifts no block", func(e *env) {
		e.change("sender", engine.Block)
		e.must(e.Commit(e.ctx, wish(e.fresh(), engine.Unsubscribe)))
		e.must(e.Commit(e.ctx, wish(e.fresh(), engine.Subscribe)))
		e.stands("sender", blocked)
	}},
	{"a refused commit changes no standing", func(e *env) {
		e.setState(key, engine.State{Skill: "other"})
		e.must(e.take("first", once("acc", "form", e.Now().Add(time.Hour))))
		conflict := wish(e.fresh(), engine.Unsubscribe)
		conflict.States = []store.StateWrite{{Key: key, State: engine.State{Skill: "form"}}}
		taken := wish(e.fresh(), engine.Unsubscribe)
		taken.Once = once("acc", "form", e.Now().Add(time.Hour))
		for name, c := range map[string]store.Commit{"gone": wish(1<<40, engine.Unsubscribe), "conflict": conflict, "taken": taken} {
			if err := e.Commit(e.ctx, c); err == nil {
				e.Errorf("%s: committed", name)
			}
			e.stands("sender", engine.Standing{})
		}
		e.crash()
		e.stands("sender", engine.Standing{})
	}},
	{"changes of one person at once all count", func(e *env) {
		seq := e.fresh()
		acts := []func() error{
			func() error { return e.SetStanding(e.ctx, "acc", "sender", engine.Block) },
			func() error { return e.Commit(e.ctx, wish(seq, engine.Unsubscribe)) },
		}
		parallel(len(acts), func(i int) {
			if err := acts[i](); err != nil {
				e.Error(err)
			}
		})
		e.stands("sender", both)
		e.crash()
		e.stands("sender", both)
	}},
}

// checkContacts looks whether the listed people of the suite's account stand as
// they are listed.
func checkContacts(t testing.TB, st store.Store) {
	t.Helper()
	cs, err := st.Barred("acc", "", page)
	if err != nil {
		t.Errorf("barred: %v", err)
	}
	for _, c := range cs {
		want := engine.Standing{Blocked: !c.Blocked.IsZero(), Unsubscribed: !c.Unsubscribed.IsZero()}
		if got := st.Standing("acc", c.User); got != want || got == (engine.Standing{}) {
			t.Errorf("%s is listed as %+v and stands as %+v", c.User, want, got)
		}
	}
}
