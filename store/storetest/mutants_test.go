package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
	"bot/store/boltstore"
)

// bolt is a backend that keeps its promises, to be spoiled. It ends in order
// where a crash is asked for, so nothing can be in hand.
func bolt() Harness {
	files := make(map[store.Store]boltstore.Options)
	open := func(t testing.TB, opt boltstore.Options) store.Store {
		st, err := boltstore.Open(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		files[st] = opt
		return st
	}
	return Harness{
		Open: func(t testing.TB, o Options) store.Store {
			return open(t, boltstore.Options{
				Path: filepath.Join(t.TempDir(), "bot.db"), MapSize: 1 << 20,
				Window: o.Window, Now: o.Clock.Now, Uptime: o.Clock.Uptime,
			})
		},
		Reopen: func(t testing.TB, st store.Store) store.Store {
			opt := files[st]
			delete(files, st)
			st.Close()
			return open(t, opt)
		},
		Traits: Traits{Shared: true},
	}
}

// mutant is a store that breaks one promise.
type mutant struct {
	store.Store
	commit   func(store.Store, store.Commit) error
	append   func(store.Store, []*engine.Event, time.Duration) (store.Appended, error)
	submit   func(store.Store, []engine.Command, time.Duration) ([]bool, error)
	settle   func(store.Store, store.Settlement) error
	attempt  func(store.Store, uint64, store.Progress, []engine.Count) error
	part     func(store.Store, []engine.Command, time.Duration, string, []engine.Note) ([]bool, error)
	resolve  func(store.Store, string, bool, []engine.Note, []engine.Count) error
	cancel   func(store.Store, string) error
	fail     func(store.Store, store.Failure) error
	charge   func(store.Store, uint64) (store.Tries, error)
	replay   func(store.Store, uint64, []engine.Count) error
	drop     func(store.Store, uint64) error
	fire     func(store.Store) (int, int, bool, error)
	standing func(store.Store, string, string, engine.Change) error
	page     func(store.Store, []*engine.Event, time.Duration, string, []engine.Note) (store.Appended, error)
	remember func(store.Store, string, []engine.Note) error
	seen     func(store.Store, engine.Key, time.Duration) (bool, error)
	granted  func(store.Store, string, string, string) (bool, error)
	read     func(store.Store, uint64, int) ([]store.Entry, error)
	now      func() time.Time
	reopened func(store.Store) // what happens to it in a crash
}

func (m *mutant) Commit(ctx context.Context, c store.Commit) error {
	if m.commit != nil {
		return m.commit(m.Store, c)
	}
	return m.Store.Commit(ctx, c)
}

func (m *mutant) Append(ctx context.Context, e []*engine.Event, w time.Duration) (store.Appended, error) {
	if m.append != nil {
		return m.append(m.Store, e, w)
	}
	return m.Store.Append(ctx, e, w)
}

func (m *mutant) Submit(ctx context.Context, c []engine.Command, w time.Duration) ([]bool, error) {
	if m.submit != nil {
		return m.submit(m.Store, c, w)
	}
	return m.Store.Submit(ctx, c, w)
}

func (m *mutant) Settle(ctx context.Context, s store.Settlement) error {
	if m.settle != nil {
		return m.settle(m.Store, s)
	}
	return m.Store.Settle(ctx, s)
}

func (m *mutant) Attempt(ctx context.Context, id uint64, p store.Progress, counts ...engine.Count) error {
	if m.attempt != nil {
		return m.attempt(m.Store, id, p, counts)
	}
	return m.Store.Attempt(ctx, id, p, counts...)
}

func (m *mutant) SubmitPage(ctx context.Context, c []engine.Command, w time.Duration, account string, notes []engine.Note) ([]bool, error) {
	if m.part != nil {
		return m.part(m.Store, c, w, account, notes)
	}
	return m.Store.SubmitPage(ctx, c, w, account, notes)
}

func (m *mutant) Resolve(ctx context.Context, task string, arrived bool, learned []engine.Note, counts ...engine.Count) error {
	if m.resolve != nil {
		return m.resolve(m.Store, task, arrived, learned, counts)
	}
	return m.Store.Resolve(ctx, task, arrived, learned, counts...)
}

func (m *mutant) Cancel(ctx context.Context, task string) error {
	if m.cancel != nil {
		return m.cancel(m.Store, task)
	}
	return m.Store.Cancel(ctx, task)
}

func (m *mutant) Fail(ctx context.Context, f store.Failure) error {
	if m.fail != nil {
		return m.fail(m.Store, f)
	}
	return m.Store.Fail(ctx, f)
}

func (m *mutant) Charge(ctx context.Context, seq uint64) (store.Tries, error) {
	if m.charge != nil {
		return m.charge(m.Store, seq)
	}
	return m.Store.Charge(ctx, seq)
}

func (m *mutant) Replay(ctx context.Context, id uint64, counts ...engine.Count) error {
	if m.replay != nil {
		return m.replay(m.Store, id, counts)
	}
	return m.Store.Replay(ctx, id, counts...)
}

func (m *mutant) Drop(ctx context.Context, id uint64) error {
	if m.drop != nil {
		return m.drop(m.Store, id)
	}
	return m.Store.Drop(ctx, id)
}

func (m *mutant) Fire(ctx context.Context) (int, int, bool, error) {
	if m.fire != nil {
		return m.fire(m.Store)
	}
	return m.Store.Fire(ctx)
}

func (m *mutant) SetStanding(ctx context.Context, account, user string, c engine.Change) error {
	if m.standing != nil {
		return m.standing(m.Store, account, user, c)
	}
	return m.Store.SetStanding(ctx, account, user, c)
}

func (m *mutant) AppendPage(ctx context.Context, e []*engine.Event, w time.Duration, account string, notes []engine.Note) (store.Appended, error) {
	if m.page != nil {
		return m.page(m.Store, e, w, account, notes)
	}
	return m.Store.AppendPage(ctx, e, w, account, notes)
}

func (m *mutant) Remember(ctx context.Context, account string, notes []engine.Note) error {
	if m.remember != nil {
		return m.remember(m.Store, account, notes)
	}
	return m.Store.Remember(ctx, account, notes)
}

func (m *mutant) Granted(account, skill, key string) (bool, error) {
	if m.granted != nil {
		return m.granted(m.Store, account, skill, key)
	}
	return m.Store.Granted(account, skill, key)
}

func (m *mutant) Seen(k engine.Key, w time.Duration) (bool, error) {
	if m.seen != nil {
		return m.seen(m.Store, k, w)
	}
	return m.Store.Seen(k, w)
}

func (m *mutant) Read(after uint64, limit int) ([]store.Entry, error) {
	if m.read != nil {
		return m.read(m.Store, after, limit)
	}
	return m.Store.Read(after, limit)
}

func (m *mutant) Now() time.Time {
	if m.now != nil {
		return m.now()
	}
	return m.Store.Now()
}

// mutated is a harness of mutants.
func mutated(h Harness, make func(clock *Clock) mutant) Harness {
	var clock *Clock
	wrap := func(st store.Store) store.Store {
		m := make(clock)
		m.Store = st
		return &m
	}
	open, reopen := h.Open, h.Reopen
	h.Open = func(t testing.TB, o Options) store.Store {
		clock = o.Clock
		return wrap(open(t, o))
	}
	h.Reopen = func(t testing.TB, st store.Store) store.Store {
		m := wrap(reopen(t, st.(*mutant).Store)).(*mutant)
		if m.reopened != nil {
			m.reopened(m.Store)
		}
		return m
	}
	return h
}

// The sequences find whoever breaks a promise.
func TestSequencesFindMutants(t *testing.T) {
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "0s", "rapid.checks": "500", "rapid.steps": "100", "rapid.seed": "7"} {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { flag.Set(name, was) })
	}
	ctx := t.Context()
	for name, m := range map[string]mutant{
		"loses a state of two": {commit: func(st store.Store, c store.Commit) error {
			c.States = c.States[:min(1, len(c.States))]
			return st.Commit(ctx, c)
		}},
		"stores commands in another order": {commit: func(st store.Store, c store.Commit) error {
			c.Commands = slices.Clone(c.Commands)
			slices.Reverse(c.Commands)
			return st.Commit(ctx, c)
		}},
		"marks in another commit": {commit: func(st store.Store, c store.Commit) error {
			c.Mark = nil
			return st.Commit(ctx, c)
		}},
		"overwrites a state that moved": {commit: func(st store.Store, c store.Commit) error {
			c.States = slices.Clone(c.States)
			for i, w := range c.States {
				now, err := st.State(w.Key)
				if err != nil {
					return err
				}
				c.States[i].Read = now.Version
			}
			return st.Commit(ctx, c)
		}},
		"forgets once-keys": {commit: func(st store.Store, c store.Commit) error {
			c.Once = nil
			return st.Commit(ctx, c)
		}},
		"names another owner of a once-key": {commit: func(st store.Store, c store.Commit) error {
			err := st.Commit(ctx, c)
			if taken := (*store.TakenError)(nil); errors.As(err, &taken) {
				return &store.TakenError{Key: taken.Key, Skill: taken.Skill, Owner: c.Owner}
			}
			return err
		}},
		"forgets a wish": {commit: func(st store.Store, c store.Commit) error {
			c.Subscription = ""
			return st.Commit(ctx, c)
		}},
		"writes what it refuses": {commit: func(st store.Store, c store.Commit) error {
			err := st.Commit(ctx, c)
			if errors.Is(err, store.ErrConflict) {
				return errors.Join(err, st.Commit(ctx, store.Commit{Seq: c.Seq, Owner: c.Owner}))
			}
			return err
		}},
		"shortens the dedup window": {append: func(st store.Store, e []*engine.Event, w time.Duration) (store.Appended, error) {
			return st.Append(ctx, e, w/2-slack)
		}},
		"sees nothing": {seen: func(store.Store, engine.Key, time.Duration) (bool, error) { return false, nil }},
		"takes a settled task again too early": {submit: func(st store.Store, c []engine.Command, w time.Duration) ([]bool, error) {
			return st.Submit(ctx, c, w/3)
		}},
		"calls the dead sent": {settle: func(st store.Store, s store.Settlement) error {
			if s.Final == store.Dead {
				s.Final = store.Sent
			}
			return st.Settle(ctx, s)
		}},
		"keeps the first tries": {settle: func(st store.Store, s store.Settlement) error {
			s.Progress.Tries = s.Progress.Tries[:min(store.MaxTries, len(s.Progress.Tries))]
			return st.Settle(ctx, s)
		}},
		"marks no attempt": {attempt: func(st store.Store, id uint64, _ store.Progress, _ []engine.Count) error {
			_, err := st.Delivery(id)
			return err
		}},
		"counts nothing with an attempt": {attempt: func(st store.Store, id uint64, p store.Progress, _ []engine.Count) error {
			return st.Attempt(ctx, id, p)
		}},
		"counts before it knows the command": {attempt: func(st store.Store, id uint64, p store.Progress, counts []engine.Count) error {
			err := st.Attempt(ctx, id, p, counts...)
			if errors.Is(err, store.ErrGone) && len(counts) > 0 {
				return errors.Join(err, st.Remember(ctx, accounts[0], []engine.Note{{Key: counts[0].Key, Value: "1"}}))
			}
			return err
		}},
		"forgets what a settlement teaches": {settle: func(st store.Store, s store.Settlement) error {
			s.Learned = nil
			return st.Settle(ctx, s)
		}},
		"forgets how far a job has come": {part: func(st store.Store, c []engine.Command, w time.Duration, _ string, _ []engine.Note) ([]bool, error) {
			return st.Submit(ctx, c, w)
		}},
		"resolves what is in no doubt": {resolve: func(st store.Store, task string, arrived bool, learned []engine.Note, counts []engine.Count) error {
			err := st.Resolve(ctx, task, arrived, learned, counts...)
			if d, final, findErr := st.Find(task); errors.Is(err, store.ErrGone) && findErr == nil && final == "" {
				return st.Settle(ctx, store.Settlement{ID: d.ID, Final: store.Confirmed})
			}
			return err
		}},
		"keeps the letter of what has arrived": {resolve: func(st store.Store, task string, arrived bool, learned []engine.Note, counts []engine.Count) error {
			if _, final, err := st.Find(task); err == nil && final == store.Dead && arrived {
				return nil
			}
			return st.Resolve(ctx, task, arrived, learned, counts...)
		}},
		"sends again what has arrived": {resolve: func(st store.Store, task string, _ bool, learned []engine.Note, counts []engine.Count) error {
			return st.Resolve(ctx, task, false, learned, counts...)
		}},
		"forgets what an arrival teaches": {resolve: func(st store.Store, task string, arrived bool, _ []engine.Note, counts []engine.Count) error {
			return st.Resolve(ctx, task, arrived, nil, counts...)
		}},
		"does not count what has arrived": {resolve: func(st store.Store, task string, arrived bool, learned []engine.Note, _ []engine.Count) error {
			return st.Resolve(ctx, task, arrived, learned)
		}},
		"does not count what is replayed": {replay: func(st store.Store, id uint64, _ []engine.Count) error { return st.Replay(ctx, id) }},
		"cancels what is on its way": {cancel: func(st store.Store, task string) error {
			if d, final, err := st.Find(task); err == nil && final == "" {
				return st.Settle(ctx, store.Settlement{ID: d.ID, Final: store.Cancelled})
			}
			return st.Cancel(ctx, task)
		}},
		"forgets failures": {fail: func(st store.Store, f store.Failure) error {
			if !f.Bury {
				_, err := st.Entry(f.Seq)
				return err
			}
			return st.Fail(ctx, f)
		}},
		"charges twice": {charge: func(st store.Store, seq uint64) (store.Tries, error) {
			if _, err := st.Charge(ctx, seq); err != nil {
				return store.Tries{}, err
			}
			return st.Charge(ctx, seq)
		}},
		"replays and keeps the letter out of the log": {replay: func(st store.Store, id uint64, _ []engine.Count) error { return st.Drop(ctx, id) }},
		"drops nothing": {drop: func(st store.Store, id uint64) error {
			_, err := st.Letter(id)
			return err
		}},
		"fires nothing": {fire: func(store.Store) (int, int, bool, error) { return 0, 0, false, nil }},
		"subscribes whom it unblocks": {standing: func(st store.Store, account, user string, c engine.Change) error {
			err := st.SetStanding(ctx, account, user, c)
			if c == engine.Unblock {
				err = errors.Join(err, st.SetStanding(ctx, account, user, engine.Change(engine.Subscribe)))
			}
			return err
		}},
		"learns nothing": {commit: func(st store.Store, c store.Commit) error {
			c.Learned = nil
			return st.Commit(ctx, c)
		}},
		"counts one time too often": {commit: func(st store.Store, c store.Commit) error {
			c.Counts = slices.Clone(c.Counts)
			for i := range c.Counts {
				c.Counts[i].Add++
			}
			return st.Commit(ctx, c)
		}},
		"sets what it is to add": {commit: func(st store.Store, c store.Commit) error {
			for _, n := range c.Counts {
				c.Learned = append(c.Learned, engine.Note{Key: n.Key, Value: strconv.Itoa(n.Add), Expires: n.Expires})
			}
			c.Counts = nil
			return st.Commit(ctx, c)
		}},
		"tells every once-key free": {granted: func(store.Store, string, string, string) (bool, error) { return false, nil }},
		"tells a once-key taken for all skills": {granted: func(st store.Store, account, _, key string) (bool, error) {
			for _, o := range onceKeys {
				if taken, err := st.Granted(account, o.Skill, key); taken || err != nil {
					return taken, err
				}
			}
			return false, nil
		}},
		"raises nothing": {commit: func(st store.Store, c store.Commit) error {
			c.Raised = nil
			return st.Commit(ctx, c)
		}},
		"logs a page without how far it goes": {page: func(st store.Store, e []*engine.Event, w time.Duration, _ string, _ []engine.Note) (store.Appended, error) {
			return st.Append(ctx, e, w)
		}},
		"moves on without the page": {page: func(st store.Store, e []*engine.Event, w time.Duration, account string, notes []engine.Note) (store.Appended, error) {
			got := store.Appended{Seqs: make([]uint64, len(e)), Duplicate: make([]bool, len(e))}
			return got, st.Remember(ctx, account, notes)
		}},
		"stays where nothing was fresh": {page: func(st store.Store, e []*engine.Event, w time.Duration, account string, notes []engine.Note) (store.Appended, error) {
			got, err := st.Append(ctx, e, w)
			if err == nil && slices.Contains(got.Duplicate, false) {
				err = st.Remember(ctx, account, notes)
			}
			return got, err
		}},
		"remembers for ever": {remember: func(st store.Store, account string, notes []engine.Note) error {
			notes = slices.Clone(notes)
			for i := range notes {
				notes[i].Expires = time.Time{}
			}
			return st.Remember(ctx, account, notes)
		}},
		"forgets nothing": {remember: func(st store.Store, account string, notes []engine.Note) error {
			return st.Remember(ctx, account, slices.DeleteFunc(slices.Clone(notes), func(n engine.Note) bool { return n.Value == "" }))
		}},
		"remembers the first of several": {remember: func(st store.Store, account string, notes []engine.Note) error {
			notes = slices.Clone(notes)
			slices.Reverse(notes)
			return st.Remember(ctx, account, notes)
		}},
		"takes all accounts for one": {remember: func(st store.Store, _ string, notes []engine.Note) error {
			return st.Remember(ctx, accounts[0], notes)
		}},
		"forgets notes in a crash": {reopened: func(st store.Store) {
			for _, account := range accounts {
				for _, key := range noteKeys {
					st.Remember(ctx, account, []engine.Note{note(key, "")})
				}
			}
		}},
		"reads backwards": {read: func(st store.Store, after uint64, limit int) ([]store.Entry, error) {
			entries, err := st.Read(after, limit)
			slices.Reverse(entries)
			return entries, err
		}},
		"loses the last event in a crash": {reopened: func(st store.Store) {
			if entries, err := st.Read(0, 1000); err == nil && len(entries) > 0 {
				st.Commit(ctx, store.Commit{Seq: entries[len(entries)-1].Seq, Owner: "o"})
			}
		}},
		"forgets a block in a crash": {reopened: func(st store.Store) {
			for _, user := range users {
				for _, account := range accounts {
					st.SetStanding(ctx, account, user, engine.Unblock)
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) { mustBeFound(t, func(*Clock) mutant { return m }) })
	}
	t.Run("runs back in time", func(t *testing.T) {
		mustBeFound(t, func(c *Clock) mutant { return mutant{now: c.Now} })
	})
}

func TestSequencesPassAStoreThatKeepsItsPromises(t *testing.T) {
	sequences(t, mutated(bolt(), func(*Clock) mutant { return mutant{} }))
}

// mustBeFound runs the sequences with a mutant and complains if they pass.
func mustBeFound(t *testing.T, make func(*Clock) mutant) {
	t.Helper()
	r := &recorder{TB: t}
	r.run(func() { sequences(r, mutated(bolt(), make)) })
	if !r.failed {
		t.Error("nothing was noticed")
	}
}

func TestOpenReadsAreNoticedAtTheEnd(t *testing.T) {
	h := bolt()
	st := h.Open(t, Options{Clock: NewClock(), Window: window})
	defer st.Close()
	h.OpenReads = func(store.Store) int { return 1 }
	r := &recorder{TB: t}
	r.run(func() { h.close(r, st) })
	if !r.failed {
		t.Error("an open read was not noticed")
	}
}

// recorder is a test whose failure is none of the test that runs it.
type recorder struct {
	testing.TB
	failed bool
	said   []string
}

// run runs f to its end, or to the point at which it gives up.
func (r *recorder) run(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func (r *recorder) Fail()        { r.failed = true }
func (r *recorder) Failed() bool { return r.failed }
func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

func (r *recorder) Log(args ...any) { r.said = append(r.said, fmt.Sprint(args...)) }
func (r *recorder) Logf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *recorder) Error(args ...any)            { r.Log(args...); r.Fail() }
func (r *recorder) Errorf(f string, args ...any) { r.Logf(f, args...); r.Fail() }
func (r *recorder) Fatal(args ...any)            { r.Log(args...); r.FailNow() }
func (r *recorder) Fatalf(f string, args ...any) { r.Logf(f, args...); r.FailNow() }
