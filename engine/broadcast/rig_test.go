package broadcast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store"
	"bot/store/boltstore"
)

// rig is a Manager with a store on disk and a platform that takes everything. Its
// account "shop" can do all.
type rig struct {
	*Manager
	t    testing.TB
	path string
	st   *boltstore.Store
	// wrap is put around the store that the Manager sees.
	wrap func(Store) Store

	mu       sync.Mutex
	accounts map[string]Account
	barred   map[string]string
	stuck    bool           // the platform takes nothing
	got      []string       // who got something, in order
	at       []time.Time    // and when it was released
	said     map[string]int // by text
	counted  map[string]int
	log      bytes.Buffer

	called chan struct{} // holds one: there is something to send
	stop   func() error
}

func newRig(t testing.TB) *rig {
	r := &rig{
		t: t, path: filepath.Join(t.TempDir(), "bot.db"), wrap: func(s Store) Store { return s },
		accounts: map[string]Account{"shop": {}}, barred: make(map[string]string), said: make(map[string]int), counted: make(map[string]int),
		called: make(chan struct{}, 1),
	}
	r.open()
	t.Cleanup(func() { r.st.Close() })
	return r
}

func (r *rig) open() {
	r.t.Helper()
	st, err := boltstore.Open(context.Background(), boltstore.Options{Path: r.path, Window: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.t.Fatal(err)
	}
	r.st = st
}

// begin starts a life of the Manager.
func (r *rig) begin() {
	r.t.Helper()
	r.Manager = New(r.options())
	if err := r.Recover(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	r.run()
}

func (r *rig) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	var err error
	done.Go(func() { err = r.Run(ctx) })
	done.Go(func() { r.platform(ctx) })
	r.stop = func() error { cancel(); done.Wait(); return err }
}

// end stops it as a process ends.
func (r *rig) end() {
	r.t.Helper()
	if err := r.stop(); err != nil {
		r.t.Error(err)
	}
}

func (r *rig) options() Options {
	return Options{
		Store: r.wrap(r.st), Window: func() time.Duration { return time.Hour }, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Account: func(name string) (Account, bool) {
			r.mu.Lock()
			defer r.mu.Unlock()
			a, ok := r.accounts[name]
			return a, ok
		},
		Template: template, Submitted: func([]engine.Command, []bool) { r.call() },
		Unwanted: func(_ *engine.Command, user string) string { return r.barred[user] },
		Count: func(outcome string, n int) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.counted[outcome] += n
		},
	}
}

// template is a simple one: {{.User}} and {{.Day}} are replaced, and {{ otherwise
// is wrong.
func template(text string) (engine.BroadcastTemplate, error) {
	if strings.Contains(strings.NewReplacer("{{.User}}", "", "{{.Day}}", "").Replace(text), "{{") {
		return nil, errors.New("bad template")
	}
	return func(p engine.Recipient) (string, error) {
		if p.User == "unfit" {
			return "", errors.New("unfit")
		}
		return strings.NewReplacer("{{.User}}", p.User, "{{.Day}}", p.Day).Replace(text), nil
	}, nil
}

// platform sends what is in the outbox, whenever something came into it.
func (r *rig) platform(ctx context.Context) {
	for {
		r.deliver()
		select {
		case <-ctx.Done():
			return
		case <-r.called:
		}
	}
}

func (r *rig) call() {
	select {
	case r.called <- struct{}{}:
	default:
	}
}

// holds has the platform take nothing, or everything again.
func (r *rig) holds(on bool) {
	r.mu.Lock()
	r.stuck = on
	r.mu.Unlock()
	r.call()
}

func (r *rig) deliver() {
	r.mu.Lock()
	stuck := r.stuck
	r.mu.Unlock()
	if stuck {
		return
	}
	rows, err := r.st.Deliveries(0, 5000)
	if err != nil {
		r.t.Error(err)
	}
	var acts sync.WaitGroup
	for _, d := range rows {
		if d.Progress.Phase != store.Waiting {
			continue
		}
		r.mu.Lock()
		r.got, r.at = append(r.got, d.Command.Conversation), append(r.at, d.Command.Created)
		r.said[d.Command.Text]++
		r.mu.Unlock()
		acts.Go(func() { r.settle(d, store.Sent) })
	}
	acts.Wait()
}

// settle ends a command as egress does.
func (r *rig) settle(d store.Delivery, final store.Final) {
	s := store.Settlement{ID: d.ID, Final: final, Progress: d.Progress}
	s.Counts = Tally(d.Command, &s)
	if err := r.st.Settle(context.Background(), s); err != nil {
		if !errors.Is(err, store.ErrGone) {
			r.t.Error(err)
		}
		return
	}
	r.Settled(d.Command, &s)
}

func (r *rig) make(q Request) Status {
	r.t.Helper()
	if q.Account == "" {
		q.Account = "shop"
	}
	if q.Text == "" && q.Action == "" {
		q.Text = "hello"
	}
	s, err := r.Make(context.Background(), q)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *rig) stands(id string) Status {
	r.t.Helper()
	s, err := r.Status(id)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *rig) reached() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.got...)
}

// everybodyOnce checks that each of n people was reached once.
func (r *rig) everybodyOnce(n int) {
	r.t.Helper()
	times := make(map[string]int)
	for _, user := range r.reached() {
		times[user]++
	}
	for i := range n {
		if got := times[user(i)]; got != 1 {
			r.t.Errorf("%s was reached %d times", user(i), got)
			return
		}
	}
	if len(times) != n {
		r.t.Errorf("%d people were reached, want %d", len(times), n)
	}
}

// notes are the keys of what is remembered.
func (r *rig) notes(prefix string) (keys []string) {
	r.t.Helper()
	for _, account := range []string{owner, "shop"} {
		notes, err := r.st.Recollect(account, prefix, "", 10_000)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, n := range notes {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

func user(i int) string { return fmt.Sprintf("wxid_%07d", i) }

func users(n int) List {
	all := make(List, n)
	for i := range all {
		all[i] = user(i)
	}
	return all
}

func perSecond(n float64) engine.Rate { return engine.Rate{N: n, Per: time.Second} }

// in runs a test in fake time.
func in(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		test(t, r)
		if err := r.st.Close(); err != nil {
			t.Error(err)
		}
	})
}

// pass lets time go by.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
