package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// recalls complains if a note of the account "acc" has another value.
func (e *env) recalls(key, want string) {
	e.Helper()
	got, err := e.Recall("acc", key)
	e.must(err)
	if got != want {
		e.Errorf("%s is %.40q, want %.40q", key, got, want)
	}
}

func (e *env) remember(notes ...engine.Note) {
	e.Helper()
	e.must(e.Remember(e.ctx, "acc", notes))
}

func note(key, value string) engine.Note { return engine.Note{Key: key, Value: value} }

func (e *env) noteFor(d time.Duration, key, value string) engine.Note {
	return engine.Note{Key: key, Value: value, Expires: e.Now().Add(d)}
}

// recollect lists an account's notes by pages of that many.
func (e *env) recollect(account, prefix string, limit int) []engine.Note {
	e.Helper()
	var all []engine.Note
	for after := ""; ; {
		notes, err := e.Recollect(account, prefix, after, limit)
		e.must(err)
		if len(notes) > limit {
			e.Fatalf("a page of %d, limit %d", len(notes), limit)
		}
		if len(notes) == 0 {
			return all
		}
		all = append(all, notes...)
		after = notes[len(notes)-1].Key
	}
}

// badNotes are those that no act takes.
var badNotes = map[string]engine.Note{
	"without a key":              note("", "v"),
	"with a key beyond bounds":   note(strings.Repeat("k", store.MaxNoteKey+1), "v"),
	"with a value beyond bounds": note("k", strings.Repeat("v", store.MaxNoteValue+1)),
}

func keysOf(notes []engine.Note) (keys []string) {
	for _, n := range notes {
		keys = append(keys, n.Key)
	}
	return keys
}

// learning is a commit that remembers.
func learning(seq uint64, notes ...engine.Note) store.Commit {
	return store.Commit{Seq: seq, Owner: "o", Account: "acc", Learned: notes}
}

// counting is a commit that counts.
func counting(seq uint64, counts ...engine.Count) store.Commit {
	return store.Commit{Seq: seq, Owner: "o", Account: "acc", Counts: counts}
}

var memoryCases = []testCase{
	{"a commit adds to its counts, also after a crash", func(e *env) {
		e.must(e.Commit(e.ctx, counting(e.add("1")[0], engine.Count{Key: "a", Add: 2}, engine.Count{Key: "b", Add: 1}, engine.Count{Key: "a", Add: 3})))
		e.recalls("a", "5")
		e.crash()
		e.must(e.Commit(e.ctx, counting(e.add("2")[0], engine.Count{Key: "a", Add: -6})))
		e.recalls("a", "-1")
		e.recalls("b", "1")
	}},
	{"a count that has expired begins anew, and its last expiry holds", func(e *env) {
		count := func(id string, in time.Duration) {
			e.must(e.Commit(e.ctx, counting(e.add(id)[0], engine.Count{Key: "day", Add: 1, Expires: e.Now().Add(in)})))
		}
		count("1", time.Hour)
		count("2", 2*time.Hour)
		e.recalls("day", "2")
		e.clock.Advance(90 * time.Minute)
		e.recalls("day", "2")
		e.clock.Advance(time.Hour)
		e.recalls("day", "")
		count("3", time.Hour)
		e.recalls("day", "1")
	}},
	{"commits that count at the same time lose none", func(e *env) {
		seqs := e.add("1", "2", "3", "4", "5", "6", "7", "8")
		var all sync.WaitGroup
		for _, seq := range seqs {
			all.Go(func() {
				if err := e.Commit(e.ctx, counting(seq, engine.Count{Key: "n", Add: 1})); err != nil {
					e.Error(err)
				}
			})
		}
		all.Wait()
		e.recalls("n", "8")
	}},
	{"a commit that is refused counts nothing", func(e *env) {
		seq := e.add("1")[0]
		for name, bad := range map[string]store.Commit{
			"a key beyond bounds": counting(seq, engine.Count{Key: "k", Add: 1}, engine.Count{Key: strings.Repeat("k", store.MaxNoteKey+1), Add: 1}),
			"an entry not there":  counting(seq+100, engine.Count{Key: "k", Add: 1}),
		} {
			if err := e.Commit(e.ctx, bad); err == nil {
				e.Errorf("%s: taken", name)
			}
		}
		e.recalls("k", "")
		if _, err := e.Entry(seq); err != nil {
			e.Errorf("the entry is gone: %v", err)
		}
	}},
	{"what a commit raises is logged behind its entry, also after a crash", func(e *env) {
		seqs := e.add("1", "2")
		c := store.Commit{Seq: seqs[0], Owner: "o", Raised: []*engine.Event{event("raised"), event("1")}} // whose key is known
		e.must(e.Commit(e.ctx, c))
		for range 2 {
			log := e.log()
			var ids []string
			for _, entry := range log {
				ids = append(ids, entry.Event.ID)
			}
			if !slices.Equal(ids, []string{"2", "raised", "1"}) {
				e.Fatalf("the log holds %q", ids)
			}
			if got := log[1].Event; got.Received.IsZero() || got.Received.After(e.Now()) || got.Text != "text of raised" {
				e.Errorf("raised %+v", got)
			}
			if e.Backlog() != 3 {
				e.Errorf("a backlog of %d", e.Backlog())
			}
			e.crash()
		}
	}},
	{"a commit that is refused raises nothing", func(e *env) {
		seq := e.add("1")[0]
		c := store.Commit{Seq: seq + 100, Owner: "o", Raised: []*engine.Event{event("raised")}}
		if err := e.Commit(e.ctx, c); !errors.Is(err, store.ErrGone) {
			e.Errorf("got %v", err)
		}
		if log := e.log(); len(log) != 1 {
			e.Errorf("the log holds %d entries", len(log))
		}
	}},
	{"what nobody noted is nothing", func(e *env) {
		e.recalls("k", "")
		e.remember()
		e.remember(note("k", ""))
		e.recalls("k", "")
		if got := e.recollect("acc", "", 10); len(got) != 0 {
			e.Errorf("recollected %v", got)
		}
	}},
	{"a note is seen once its act returned, and after a crash", func(e *env) {
		e.remember(note("token", "one"), note("cursor", "1"))
		for range 2 {
			e.recalls("token", "one")
			e.recalls("cursor", "1")
			e.crash()
		}
		e.remember(note("token", "two"), note("cursor", ""))
		for range 2 {
			e.recalls("token", "two")
			e.recalls("cursor", "")
			if got := keysOf(e.recollect("acc", "", 10)); !slices.Equal(got, []string{"token"}) {
				e.Errorf("recollected %q", got)
			}
			e.crash()
		}
	}},
	{"notes of other accounts and alike keys are others", func(e *env) {
		e.must(e.Remember(e.ctx, "a", []engine.Note{note("bc", "v")}))
		for range 2 {
			for _, o := range [][2]string{{"ab", "c"}, {"a", "b"}, {"a", "bcd"}, {"", "abc"}, {"b", "bc"}, {"a", ""}} {
				if got, err := e.Recall(o[0], o[1]); err != nil || got != "" {
					e.Errorf("%v is %q, %v", o, got, err)
				}
			}
			if len(e.recollect("ab", "", 9)) != 0 || len(e.recollect("", "", 9)) != 0 || len(e.recollect("a", "", 9)) != 1 {
				e.Errorf("recollected %v, %v, %v", e.recollect("ab", "", 9), e.recollect("", "", 9), e.recollect("a", "", 9))
			}
			e.crash()
		}
	}},
	{"the longest key and value are kept, whatever bytes they are", func(e *env) {
		longest := note(strings.Repeat("\xff\x00", store.MaxNoteKey/2), strings.Repeat("\x00好", store.MaxNoteValue/4))
		e.remember(longest, note("\x00", "\x00"))
		e.crash()
		e.recalls(longest.Key, longest.Value)
		e.recalls("\x00", "\x00")
		if got := e.recollect("acc", "", 1); !reflect.DeepEqual(got, []engine.Note{note("\x00", "\x00"), longest}) {
			e.Errorf("recollected %.80v", got)
		}
	}},
	{"a bad note refuses its act, and nothing of it is done", func(e *env) {
		for name, bad := range badNotes {
			seq := e.fresh()
			notes := []engine.Note{note("good", "v"), bad}
			if err := e.Remember(e.ctx, "acc", notes); err == nil {
				e.Errorf("one %s was remembered", name)
			}
			if err := e.Commit(e.ctx, learning(seq, notes...)); err == nil {
				e.Errorf("one %s was learned", name)
			}
			if _, err := e.Entry(seq); err != nil {
				e.Errorf("one %s: the event is %v", name, err)
			}
			if _, err := e.AppendPage(e.ctx, []*engine.Event{event(name)}, window, "acc", notes); err == nil {
				e.Errorf("one %s came with a page", name)
			}
			if seen, err := e.Seen(event(name).Key(), window); seen || err != nil {
				e.Errorf("the event of one %s was logged; %v", name, err)
			}
		}
		e.recalls("good", "")
	}},
	{"of several under one key the last counts", func(e *env) {
		e.remember(note("k", "1"), note("k", "2"), e.noteFor(time.Hour, "l", "1"), note("l", ""), note("m", ""), e.noteFor(time.Hour, "m", "1"), note("m", "2"))
		e.clock.Advance(2 * time.Hour)
		e.must(e.Sweep(e.ctx))
		for range 2 {
			e.recalls("k", "2")
			e.recalls("l", "")
			e.recalls("m", "2")
			e.crash()
		}
	}},
	{"notes of one act at once with others all count", func(e *env) {
		const n = 25
		parallel(n, func(i int) {
			notes := []engine.Note{note(fmt.Sprint("k", i), "v"), note("shared", fmt.Sprint(i)), note("twin", fmt.Sprint(i))}
			if err := e.Remember(e.ctx, "acc", notes); err != nil {
				e.Error(err)
			}
		})
		if got := e.recollect("acc", "k", 7); len(got) != n {
			e.Errorf("%d of %d: %v", len(got), n, got)
		}
		shared, err := e.Recall("acc", "shared")
		e.must(err)
		e.recalls("twin", shared)
	}},
	{"the list has the notes under a prefix, in the order of their bytes, page after page", func(e *env) {
		e.remember(note("b/2", "v"), note("b/1", "v"), note("a/9", "v"), note("b", "v"), note("b/\xff", "v"), note("c/1", "v"), note("b/10", "v"))
		e.must(e.Remember(e.ctx, "acd", []engine.Note{note("b/3", "v")}))
		for _, limit := range []int{1, 2, 100} {
			for prefix, want := range map[string][]string{
				"":   {"a/9", "b", "b/1", "b/10", "b/2", "b/\xff", "c/1"},
				"b":  {"b", "b/1", "b/10", "b/2", "b/\xff"},
				"b/": {"b/1", "b/10", "b/2", "b/\xff"},
				"d":  nil,
			} {
				if got := keysOf(e.recollect("acc", prefix, limit)); !slices.Equal(got, want) {
					e.Errorf("pages of %d under %q: %q, want %q", limit, prefix, got, want)
				}
			}
		}
		for _, c := range []struct {
			prefix, after string
			want          []string
		}{
			{"b/", "b/1", []string{"b/10", "b/2", "b/\xff"}},
			{"b/", "b/11", []string{"b/2", "b/\xff"}}, // which is none of them
			{"b/", "a", []string{"b/1", "b/10", "b/2", "b/\xff"}},
			{"b/", "c", nil},
		} {
			got, err := e.Recollect("acc", c.prefix, c.after, 100)
			e.must(err)
			if !slices.Equal(keysOf(got), c.want) {
				e.Errorf("under %q behind %q: %q, want %q", c.prefix, c.after, keysOf(got), c.want)
			}
		}
	}},
	{"a note is gone from the time at which it expires, before any sweep and after", func(e *env) {
		e.remember(e.noteFor(time.Minute, "short", "v"), note("endless", "v"))
		want := []engine.Note{note("endless", "v"), e.noteFor(time.Minute, "short", "v")}
		e.clock.Advance(time.Minute - 1)
		e.must(e.Sweep(e.ctx))
		e.crash()
		if got := e.recollect("acc", "", 1); !reflect.DeepEqual(got, want) {
			e.Errorf("recollected %v, want %v", got, want)
		}
		e.recalls("short", "v")
		e.clock.Advance(1)
		for range 2 {
			e.recalls("short", "")
			e.recalls("endless", "v")
			if got := e.recollect("acc", "", 1); !reflect.DeepEqual(got, want[:1]) {
				e.Errorf("recollected %v", got)
			}
			e.must(e.Sweep(e.ctx))
			e.crash()
		}
	}},
	{"a note that was renewed, forgotten or made endless does not expire at its old time", func(e *env) {
		for _, key := range []string{"renewed", "forgotten", "endless", "shortened"} {
			e.remember(e.noteFor(time.Minute, key, "v"))
		}
		e.remember(e.noteFor(time.Hour, "renewed", "v"), note("forgotten", ""), note("endless", "v"), e.noteFor(time.Second, "shortened", "v"))
		e.remember(note("forgotten", "again"))
		e.clock.Advance(time.Second)
		e.recalls("shortened", "")
		e.clock.Advance(time.Minute)
		e.must(e.Sweep(e.ctx))
		for key, want := range map[string]string{"renewed": "v", "forgotten": "again", "endless": "v", "shortened": ""} {
			e.recalls(key, want)
		}
		e.clock.Advance(time.Hour)
		e.must(e.Sweep(e.ctx))
		e.recalls("renewed", "")
	}},
	{"what has expired when it is written forgets", func(e *env) {
		for _, d := range []time.Duration{0, -1, -time.Hour} {
			e.remember(note("k", "v"))
			e.remember(e.noteFor(d, "k", "late"))
			e.recalls("k", "")
		}
		e.remember(note("k", "v"))
		e.remember(engine.Note{Key: "k", Value: "late", Expires: time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC)})
		e.recalls("k", "")
	}},
	{"an expiry in the far future is one", func(e *env) {
		e.remember(engine.Note{Key: "k", Value: "v", Expires: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)})
		e.clock.Advance(200 * 365 * 24 * time.Hour)
		e.must(e.Sweep(e.ctx))
		e.crash()
		e.recalls("k", "v")
	}},
	{"a sweep drops however many have expired, and no others", func(e *env) {
		var notes []engine.Note
		for i := range 600 {
			notes = append(notes, e.noteFor(time.Duration(1+i%3)*time.Hour, fmt.Sprintf("k%03d", i), "v"))
		}
		e.remember(notes...)
		for left := 600; left > 0; left -= 200 {
			e.must(e.Sweep(e.ctx))
			if got := e.recollect("acc", "", 1000); len(got) != left {
				e.Errorf("%d are left, want %d", len(got), left)
			}
			e.clock.Advance(time.Hour)
		}
		e.must(e.Sweep(e.ctx))
		if got := e.recollect("acc", "", 1000); len(got) != 0 {
			e.Errorf("%d are left", len(got))
		}
	}},
	{"a commit carries what was learned, also through a crash", func(e *env) {
		e.must(e.Commit(e.ctx, learning(e.fresh(), note("w_id", "w1"), e.noteFor(time.Minute, "seen", "1"))))
		for range 2 {
			e.recalls("w_id", "w1")
			e.recalls("seen", "1")
			e.crash()
		}
		e.must(e.Commit(e.ctx, learning(e.fresh())))
		e.recalls("w_id", "w1")
		e.must(e.Commit(e.ctx, learning(e.fresh(), note("w_id", ""))))
		e.crash()
		e.recalls("w_id", "")
	}},
	{"a refused commit teaches nothing", func(e *env) {
		e.setState(key, engine.State{Skill: "other"})
		e.must(e.take("first", once("acc", "form", e.Now().Add(time.Hour))))
		conflict := learning(e.fresh(), note("k", "v"))
		conflict.States = []store.StateWrite{{Key: key, State: engine.State{Skill: "form"}}}
		taken := learning(e.fresh(), note("k", "v"))
		taken.Once = once("acc", "form", e.Now().Add(time.Hour))
		for name, c := range map[string]store.Commit{"gone": learning(1<<40, note("k", "v")), "conflict": conflict, "taken": taken} {
			if err := e.Commit(e.ctx, c); err == nil {
				e.Errorf("%s: committed", name)
			}
			e.recalls("k", "")
		}
		e.crash()
		e.recalls("k", "")
	}},
	{"a page and how far it goes are stored together, also through a crash", func(e *env) {
		events := []*engine.Event{event("1"), event("2"), event("1")}
		got, err := e.AppendPage(e.ctx, events, window, "acc", []engine.Note{note("cursor", "c1")})
		e.must(err)
		if !reflect.DeepEqual(got.Duplicate, []bool{false, false, true}) || got.Seqs[0] == 0 || got.Seqs[1] <= got.Seqs[0] || got.Seqs[2] != 0 {
			e.Errorf("answered %+v", got)
		}
		for _, ev := range events {
			if !ev.Received.Equal(e.Now()) {
				e.Errorf("received at %v, now is %v", ev.Received, e.Now())
			}
		}
		for range 2 {
			if log := e.log(); len(log) != 2 || log[0].Event.ID != "1" || log[1].Event.ID != "2" {
				e.Errorf("log %+v", log)
			}
			e.recalls("cursor", "c1")
			e.crash()
		}
	}},
	{"a page without fresh events moves on, one that is empty too", func(e *env) {
		e.add("1")
		got, err := e.AppendPage(e.ctx, []*engine.Event{event("1")}, window, "acc", []engine.Note{note("cursor", "c1")})
		e.must(err)
		if !reflect.DeepEqual(got.Duplicate, []bool{true}) || got.Seqs[0] != 0 {
			e.Errorf("answered %+v", got)
		}
		e.recalls("cursor", "c1")
		got, err = e.AppendPage(e.ctx, nil, window, "acc", []engine.Note{note("cursor", "c2"), note("ring", "")})
		e.must(err)
		if len(got.Seqs) != 0 || len(got.Duplicate) != 0 {
			e.Errorf("answered %+v", got)
		}
		e.crash()
		e.recalls("cursor", "c2")
		if n := len(e.log()); n != 1 {
			e.Errorf("log holds %d", n)
		}
	}},
	{"a page without notes is an append", func(e *env) {
		for range 2 {
			_, err := e.AppendPage(e.ctx, []*engine.Event{event("1")}, window, "acc", nil)
			e.must(err)
		}
		if n := len(e.log()); n != 1 || len(e.recollect("acc", "", 9)) != 0 {
			e.Errorf("log holds %d, notes are %v", n, e.recollect("acc", "", 9))
		}
	}},
}

// checkNotes looks whether the notes of the suite's account are recalled as
// they are listed, each once and in order.
func checkNotes(t testing.TB, st store.Store) {
	t.Helper()
	last := ""
	for {
		notes, err := st.Recollect("acc", "", last, page)
		if err != nil {
			t.Errorf("recollect: %v", err)
			return
		}
		if len(notes) == 0 {
			return
		}
		for _, n := range notes {
			if n.Key <= last {
				t.Errorf("note %q stands behind %q", n.Key, last)
			}
			last = n.Key
			if got, err := st.Recall("acc", n.Key); err != nil || got != n.Value || got == "" {
				t.Errorf("note %q is listed as %.40q and recalled as %.40q, %v", n.Key, n.Value, got, err)
			}
		}
	}
}
