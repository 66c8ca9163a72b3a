package contacts_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/contacts"
	"bot/store"
	"bot/store/boltstore"
	"bot/store/storetest"
)

// life is a directory on a real store.
type life struct {
	testing.TB
	path  string
	clock *storetest.Clock
	st    store.Store
	*contacts.Directory
}

func newLife(t testing.TB) *life {
	l := &life{TB: t, path: filepath.Join(t.TempDir(), "bot.db"), clock: storetest.NewClock()}
	l.open()
	t.Cleanup(func() { l.st.Close() })
	return l
}

func (l *life) open() {
	l.Helper()
	st, err := boltstore.Open(l.Context(), boltstore.Options{Path: l.path, MapSize: 1 << 20, Now: l.clock.Now, Uptime: l.clock.Uptime})
	if err != nil {
		l.Fatal(err)
	}
	l.st, l.Directory = st, contacts.New(contacts.Options{Store: st, Now: st.Now})
}

func (l *life) reopen() {
	l.Helper()
	if err := l.st.Close(); err != nil {
		l.Fatal(err)
	}
	l.open()
}

// logged puts an event into the log and returns the commit that handles it.
func (l *life) logged(id string, kind engine.Kind) store.Commit {
	l.Helper()
	e := &engine.Event{Account: "shop", Kind: kind, ID: id, Conversation: "u", Sender: "u"}
	got, err := l.st.Append(l.Context(), []*engine.Event{e}, time.Hour)
	if err != nil {
		l.Fatal(err)
	}
	entry, err := l.st.Entry(got.Seqs[0])
	if err != nil {
		l.Fatal(err)
	}
	notes, err := l.Learn(entry.Event)
	if err != nil {
		l.Fatal(err)
	}
	return store.Commit{Seq: entry.Seq, Owner: entry.Event.Ref(), Account: "shop", Sender: "u", Learned: notes}
}

func (l *life) commit(c store.Commit) {
	l.Helper()
	if err := l.st.Commit(l.Context(), c); err != nil {
		l.Fatal(err)
	}
}

func (l *life) all() (s string) {
	l.Helper()
	for c, err := range l.Select("shop", contacts.Query{All: true}, l.st.Now()) {
		if err != nil {
			l.Fatal(err)
		}
		s += fmt.Sprintf("%s %v %s %t;", c.ID, c.Labels, c.Active.Format(time.DateOnly), c.Gone.IsZero())
	}
	return s
}

func TestACommitThatFailsLeavesNothing(t *testing.T) {
	l := newLife(t)
	c := l.logged("m1", engine.Message)
	broken := errors.New("broken")
	faulty := storetest.Faulty(l.st, storetest.FailOn("Commit", 1, broken))
	if err := faulty.Commit(t.Context(), c); !errors.Is(err, broken) || l.all() != "" {
		t.Errorf("%v, %s", err, l.all())
	}
	if err := faulty.Commit(t.Context(), c); err != nil || l.all() != "u [] 2026-03-04 true;" {
		t.Errorf("%v, %s", err, l.all())
	}
	if err := faulty.Commit(t.Context(), c); !errors.Is(err, store.ErrGone) {
		t.Error(err)
	}
}

func TestADayOfChatterWritesOneRow(t *testing.T) {
	l := newLife(t)
	rows := 0
	for i := range 48 {
		c := l.logged(fmt.Sprint("m", i), engine.Message)
		rows += len(c.Learned)
		l.commit(c)
		l.clock.Advance(time.Hour)
	}
	if rows != 3 { // from five in the morning: parts of three days
		t.Errorf("%d rows", rows)
	}
	notes, err := l.st.Recollect("shop", "", "", 10)
	if err != nil || len(notes) != 1 {
		t.Errorf("%v, %v", notes, err)
	}
}

func TestLabelsSurviveARestartAndASettlementThatFails(t *testing.T) {
	l := newLife(t)
	l.commit(l.logged("m1", engine.Message))
	command := engine.Command{
		TaskID: "t1", Account: "shop", Conversation: "u", Action: engine.SetLabel, Created: l.st.Now(), Submitted: true,
		Params: map[string]any{"add": []any{"vip"}},
	}
	if _, err := l.st.Submit(t.Context(), []engine.Command{command}, time.Hour); err != nil {
		t.Fatal(err)
	}
	d, _, err := l.st.Find("t1")
	if err != nil {
		t.Fatal(err)
	}
	settle := func(st store.Store) error {
		return st.Settle(t.Context(), store.Settlement{ID: d.ID, Final: store.Sent, Learned: l.Sent(d.Command)})
	}
	broken := errors.New("broken")
	if err := settle(storetest.Faulty(l.st, storetest.FailOn("Settle", 1, broken))); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	l.reopen()
	if got := l.all(); got != "u [] 2026-03-04 true;" {
		t.Error("before the settlement: " + got)
	}
	if err := settle(l.st); err != nil {
		t.Fatal(err)
	}
	l.reopen()
	if got := l.all(); got != "u [vip] 2026-03-04 true;" {
		t.Error("after it: " + got)
	}
}

func TestALabelThatIsGivenWhileTheirTurnRunsIsNotLost(t *testing.T) {
	l := newLife(t)
	c := l.logged("m1", engine.Message) // its turn has read
	if err := l.Change(t.Context(), "shop", []contacts.Change{{ID: "u", Add: []string{"vip"}}}); err != nil {
		t.Fatal(err)
	}
	l.commit(c)
	if got := l.all(); got != "u [vip] 2026-03-04 true;" {
		t.Error(got)
	}
}
