package boltstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
	"bot/store/storetest"
)

// workload is acts of all kinds on a store, the same ones for the same seed.
type workload struct {
	st    store.Store
	clock *storetest.Clock
	rng   *rand.Rand
	made  int
}

func newWorkload(st store.Store, clock *storetest.Clock, seed uint64) *workload {
	return &workload{st: st, clock: clock, rng: rand.New(rand.NewPCG(seed, 0))}
}

// tornNames is everything that a workload gives a name to.
var tornNames = func() storetest.Names {
	n := storetest.Names{Accounts: []string{"acc", "bcc"}, Window: window, Taken: store.Once{Account: "acc", Skill: "load", Key: "taken"}}
	for i := range 12 {
		n.States = append(n.States, engine.StateKey{Account: n.Accounts[i%2], Conversation: fmt.Sprint("c", i/2), Sender: "s"})
		n.Once = append(n.Once, store.Once{Account: n.Accounts[i%2], Skill: "form", Key: fmt.Sprint("k", i/2)})
		n.Tasks = append(n.Tasks, fmt.Sprint("task-", i))
	}
	for i := range 60 {
		n.Events = append(n.Events, tornEvent(i))
	}
	return n
}()

func tornEvent(i int) *engine.Event {
	return &engine.Event{Account: "acc", Kind: engine.Message, Type: "text", ID: fmt.Sprint("e", i), Conversation: "c", Sender: "s"}
}

// begin makes what the names ask for: a key that is taken, and an entry that
// stays.
func (l *workload) begin(ctx context.Context) error {
	got, err := l.st.Append(ctx, []*engine.Event{{Account: "acc", ID: "first", Kind: engine.Message}, {Account: "acc", ID: "stays", Kind: engine.Message}}, window)
	if err != nil {
		return err
	}
	taken := tornNames.Taken
	taken.Until = l.clock.Now().Add(1000 * 24 * time.Hour)
	return l.st.Commit(ctx, store.Commit{Seq: got.Seqs[0], Owner: "load", Once: []store.Once{taken}})
}

// act is one of them. That there is nothing left to act upon is no error.
func (l *workload) act(ctx context.Context) (name string, err error) {
	l.clock.Advance(time.Duration(1+l.rng.IntN(60)) * time.Millisecond)
	acts := []struct {
		name   string
		weight int
		do     func(context.Context) error
	}{
		{"append", 20, l.append}, {"commit", 24, l.commit}, {"submit", 10, l.submit}, {"attempt", 10, l.attempt},
		{"settle", 14, l.settle}, {"fail", 5, l.fail}, {"charge", 2, l.charge}, {"cancel", 2, l.cancel},
		{"replay", 3, l.replay}, {"drop", 2, l.drop}, {"stand", 4, l.stand}, {"fire", 3, l.fire},
		{"sweep", 1, l.st.Sweep}, {"remember", 3, l.remember}, {"append page", 4, l.page},
	}
	total := 0
	for _, a := range acts {
		total += a.weight
	}
	n := l.rng.IntN(total)
	for _, a := range acts {
		if n -= a.weight; n < 0 {
			if err := a.do(ctx); err != nil && !errors.Is(err, store.ErrGone) {
				return a.name, fmt.Errorf("%s: %w", a.name, err)
			}
			return a.name, nil
		}
	}
	return "", nil
}

// text has one to some thousand bytes, most often few.
func (l *workload) text() string {
	l.made++
	n := 1 + l.rng.IntN(60)
	if l.rng.IntN(8) == 0 {
		n += l.rng.IntN(600)
	}
	return fmt.Sprint(l.made, strings.Repeat(" text", n))
}

func (l *workload) entry() (uint64, error) {
	entries, err := l.st.Read(0, 1000)
	if err != nil || len(entries) < 2 {
		return 0, err
	}
	return entries[1+l.rng.IntN(len(entries)-1)].Seq, nil
}

func (l *workload) append(ctx context.Context) error {
	if l.st.Backlog() > 60 {
		return l.commit(ctx)
	}
	_, err := l.st.Append(ctx, l.events(1+l.rng.IntN(6)), window)
	return err
}

// events are n of which most are new.
func (l *workload) events(n int) []*engine.Event {
	var events []*engine.Event
	for range n {
		e := tornEvent(l.rng.IntN(len(tornNames.Events)))
		if l.rng.IntN(3) > 0 {
			e.ID = fmt.Sprint("new-", l.made)
		}
		e.Text = l.text()
		events = append(events, e)
	}
	return events
}

func (l *workload) page(ctx context.Context) error {
	var events []*engine.Event
	if l.st.Backlog() < 60 {
		events = l.events(l.rng.IntN(4))
	}
	_, err := l.st.AppendPage(ctx, events, window, "acc", append(l.notes(), engine.Note{Key: "cursor", Value: l.text()}))
	return err
}

// notes are up to three, of which some forget and some expire.
func (l *workload) notes() []engine.Note {
	var notes []engine.Note
	for range l.rng.IntN(4) {
		n := engine.Note{Key: fmt.Sprint("k", l.rng.IntN(10))}
		if l.rng.IntN(4) > 0 {
			n.Value = l.text()
		}
		if l.rng.IntN(2) == 0 {
			n.Expires = l.clock.Now().Add(time.Duration(l.rng.IntN(3000)) * time.Millisecond)
		}
		notes = append(notes, n)
	}
	return notes
}

func (l *workload) remember(ctx context.Context) error {
	return l.st.Remember(ctx, tornNames.Accounts[l.rng.IntN(2)], l.notes())
}

func (l *workload) commit(ctx context.Context) error {
	seq, err := l.entry()
	if err != nil {
		return err
	}
	c := store.Commit{Seq: seq, Owner: fmt.Sprint("owner-", l.rng.IntN(3))}
	for _, i := range l.rng.Perm(len(tornNames.States))[:l.rng.IntN(4)] {
		k := tornNames.States[i]
		now, err := l.st.State(k)
		if err != nil {
			return err
		}
		w := store.StateWrite{Key: k, Read: now.Version}
		if l.rng.IntN(5) > 0 {
			w.State = engine.State{Skill: "form", Data: map[string]string{"answer": l.text()}, Notify: l.rng.IntN(2) == 0}
		}
		if w.State.Exists() && l.rng.IntN(2) == 0 {
			w.State.Expires = l.clock.Now().Add(time.Duration(l.rng.IntN(3000)) * time.Millisecond)
		}
		c.States = append(c.States, w)
	}
	if l.rng.IntN(4) == 0 {
		o := tornNames.Once[l.rng.IntN(len(tornNames.Once))]
		o.Until = l.clock.Now().Add(time.Duration(l.rng.IntN(5000)) * time.Millisecond)
		c.Once = append(c.Once, o)
	}
	for range l.rng.IntN(4) {
		c.Commands = append(c.Commands, engine.Command{TaskID: fmt.Sprint("reply-", l.made), Account: "acc", Conversation: "c",
			Action: engine.SendText, Text: l.text(), Created: l.clock.Now(), Skill: "form"})
	}
	if len(c.Commands) > 0 && l.rng.IntN(2) == 0 {
		c.Mark = &store.Progress{Attempts: 1, Tries: []store.Try{{Time: l.clock.Now()}}}
	}
	if l.rng.IntN(6) == 0 {
		c.Account, c.Sender = "acc", fmt.Sprint("u", l.rng.IntN(20))
		c.Subscription = []engine.Subscription{engine.Unsubscribe, engine.Subscribe}[l.rng.IntN(2)]
	}
	if l.rng.IntN(6) == 0 {
		c.Account, c.Learned = "acc", l.notes()
	}
	err = l.st.Commit(ctx, c)
	if taken := (*store.TakenError)(nil); errors.As(err, &taken) {
		return nil
	}
	return err
}

func (l *workload) fail(ctx context.Context) error {
	seq, err := l.entry()
	if err != nil {
		return err
	}
	return l.st.Fail(ctx, store.Failure{Seq: seq, Skill: "form", Bury: l.rng.IntN(2) == 0, Tries: store.Tries{
		Count: l.rng.IntN(4), First: l.clock.Now(), NotBefore: l.clock.Now().Add(time.Second), Error: l.text()}})
}

func (l *workload) charge(ctx context.Context) error {
	seq, err := l.entry()
	if err == nil {
		_, err = l.st.Charge(ctx, seq)
	}
	return err
}

func (l *workload) submit(ctx context.Context) error {
	var cmds []engine.Command
	for range 1 + l.rng.IntN(3) {
		cmds = append(cmds, engine.Command{TaskID: tornNames.Tasks[l.rng.IntN(len(tornNames.Tasks))], Account: "bcc", Conversation: "c",
			Action: engine.SendText, Text: l.text(), Created: l.clock.Now(), Submitted: true})
	}
	_, err := l.st.Submit(ctx, cmds, time.Second)
	return err
}

func (l *workload) command() (uint64, error) {
	ds, err := l.st.Deliveries(0, 1000)
	if err != nil || len(ds) == 0 {
		return 0, err
	}
	return ds[l.rng.IntN(len(ds))].ID, nil
}

func (l *workload) progress() store.Progress {
	p := store.Progress{Phase: []store.Phase{store.Waiting, store.InDoubt}[l.rng.IntN(2)], Attempts: 1 + l.rng.IntN(5)}
	for range l.rng.IntN(4) {
		p.Tries = append(p.Tries, store.Try{Time: l.clock.Now(), Class: "transient", Status: 503, Note: l.text()})
	}
	return p
}

func (l *workload) attempt(ctx context.Context) error {
	id, err := l.command()
	if err != nil {
		return err
	}
	return l.st.Attempt(ctx, id, l.progress())
}

func (l *workload) settle(ctx context.Context) error {
	id, err := l.command()
	if err != nil {
		return err
	}
	ends := []store.Final{"", store.Sent, store.Sent, store.Confirmed, store.Dead}
	return l.st.Settle(ctx, store.Settlement{ID: id, Final: ends[l.rng.IntN(len(ends))], Progress: l.progress()})
}

func (l *workload) cancel(ctx context.Context) error {
	return l.st.Cancel(ctx, tornNames.Tasks[l.rng.IntN(len(tornNames.Tasks))])
}

func (l *workload) letter() (uint64, error) {
	ls, err := l.st.Letters(0, 1000)
	if err != nil || len(ls) == 0 {
		return 0, err
	}
	return ls[l.rng.IntN(len(ls))].ID, nil
}

func (l *workload) replay(ctx context.Context) error {
	id, err := l.letter()
	if err != nil {
		return err
	}
	return l.st.Replay(ctx, id)
}

func (l *workload) drop(ctx context.Context) error {
	id, err := l.letter()
	if err != nil {
		return err
	}
	return l.st.Drop(ctx, id)
}

func (l *workload) stand(ctx context.Context) error {
	changes := []engine.Change{engine.Block, engine.Block, engine.Change(engine.Unsubscribe), engine.Unblock}
	return l.st.SetStanding(ctx, tornNames.Accounts[l.rng.IntN(2)], fmt.Sprint("u", l.rng.IntN(20)), changes[l.rng.IntN(len(changes))])
}

func (l *workload) fire(ctx context.Context) error {
	_, _, _, err := l.st.Fire(ctx)
	return err
}
