package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// Names is what a dump has to ask for by name because no store lists it.
type Names struct {
	Accounts []string // whose contacts and notes
	States   []engine.StateKey
	Tasks    []string
	Events   []*engine.Event // whose dedup keys, within Window
	Window   time.Duration
	// Once are keys to tell the owners of. It takes an entry in the log and
	// Taken, a key that somebody holds for sure, to ask without taking any.
	Once  []store.Once
	Taken store.Once
}

// Dump writes down all that a store shows, a line for each fact, so that two
// stores hold the same if their dumps are equal. Nothing else may use the store
// meanwhile. It changes nothing, unless Names.Taken turns out to be free.
func Dump(st store.Store, n Names) (string, error) {
	d := &dump{}
	d.time("now", st.Now())
	for _, part := range []func(*dump, store.Store, Names) error{
		dumpLists, dumpStates, dumpContacts, dumpNotes, dumpTasks, dumpDedup, dumpOnce,
	} {
		if err := part(d, st, n); err != nil {
			return "", fmt.Errorf("dump: %w", err)
		}
	}
	return d.String(), nil
}

// dump is the text that grows. Whoever predicts a dump writes its lines in the
// same order.
type dump struct{ strings.Builder }

func (d *dump) line(kind string, name, what any) {
	js, err := json.Marshal(what)
	if err != nil {
		js = []byte(err.Error())
	}
	fmt.Fprintf(d, "%s %v: %s\n", kind, name, js)
}

func (d *dump) time(name string, t time.Time) {
	fmt.Fprintf(d, "%s: %s\n", name, t.Format(time.RFC3339Nano))
}

func (d *dump) entry(e store.Entry)       { d.line("log", e.Seq, e) }
func (d *dump) delivery(c store.Delivery) { d.line("outbox", c.ID, c) }
func (d *dump) letter(l store.Letter)     { d.line("letter", l.ID, l) }

func (d *dump) counts(s store.Stats) {
	fmt.Fprintf(d, "counts: %d events, %d commands, %d in doubt, %d letters\n", s.Events, s.Commands, s.InDoubt, s.Letters)
}

func (d *dump) state(k engine.StateKey, st engine.State) {
	if st.Exists() {
		d.line("state", k, st)
		fmt.Fprintf(d, "  version %d\n", st.Version)
	}
}

func (d *dump) contact(account string, c store.Contact, s engine.Standing) {
	d.line("contact", account, c)
	fmt.Fprintf(d, "  stands as %+v\n", s)
}

func (d *dump) note(account string, n engine.Note) { d.line("note", account, n) }

func dumpLists(d *dump, st store.Store, _ Names) error {
	entries, err := st.Read(0, 1<<20)
	if err != nil {
		return err
	}
	for _, e := range entries {
		d.entry(e)
	}
	ds, err := st.Deliveries(0, 1<<20)
	if err != nil {
		return err
	}
	for _, c := range ds {
		d.delivery(c)
	}
	ls, err := st.Letters(0, 1<<20)
	if err != nil {
		return err
	}
	for _, l := range ls {
		d.letter(l)
	}
	s, err := st.Stats()
	if err != nil {
		return err
	}
	d.counts(s)
	return nil
}

func dumpStates(d *dump, st store.Store, n Names) error {
	for _, k := range n.States {
		s, err := st.State(k)
		if err != nil {
			return err
		}
		d.state(k, s)
	}
	at, err := st.NextExpiry()
	d.time("next expiry", at)
	return err
}

func dumpContacts(d *dump, st store.Store, n Names) error {
	for _, account := range n.Accounts {
		cs, err := st.Barred(account, "", 1<<20)
		if err != nil {
			return err
		}
		for _, c := range cs {
			d.contact(account, c, st.Standing(account, c.User))
		}
	}
	return nil
}

func dumpNotes(d *dump, st store.Store, n Names) error {
	for _, account := range n.Accounts {
		notes, err := st.Recollect(account, "", "", 1<<20)
		if err != nil {
			return err
		}
		for _, note := range notes {
			d.note(account, note)
		}
	}
	return nil
}

func dumpTasks(d *dump, st store.Store, n Names) error {
	for _, task := range n.Tasks {
		switch got, final, err := st.Find(task); {
		case errors.Is(err, store.ErrGone):
		case err != nil:
			return err
		default:
			d.line("task", task, struct {
				ID       uint64
				Final    store.Final
				Progress store.Progress
			}{got.ID, final, got.Progress})
		}
	}
	return nil
}

func dumpDedup(d *dump, st store.Store, n Names) error {
	for _, e := range n.Events {
		seen, err := st.Seen(e.Key(), n.Window)
		if err != nil {
			return err
		}
		if seen {
			fmt.Fprintf(d, "seen: %s of %s\n", e.ID, e.Account)
		}
	}
	return nil
}

// dumpOnce asks by commits that the taken key refuses if the key in question
// does not.
func dumpOnce(d *dump, st store.Store, n Names) error {
	entries, err := st.Read(0, 1)
	if err != nil || len(entries) == 0 {
		return err
	}
	for _, o := range n.Once {
		probe := store.Commit{Seq: entries[0].Seq, Owner: "whoever dumps", Once: []store.Once{o, n.Taken}}
		probe.Once[0].Until, probe.Once[1].Until = st.Now(), st.Now()
		var taken *store.TakenError
		switch err := st.Commit(context.Background(), probe); {
		case err == nil:
			fmt.Fprintf(d, "once: %s, which somebody holds for sure, was free\n", n.Taken.Key)
			return nil
		case !errors.As(err, &taken):
			return err
		case taken.Key != n.Taken.Key || taken.Skill != n.Taken.Skill:
			fmt.Fprintf(d, "once: %s of %s, %s is held by %s\n", o.Key, o.Account, o.Skill, taken.Owner)
		}
	}
	return nil
}

// Diff shows the lines of two dumps that are in one of them only: those of got
// behind a plus, those of want behind a minus.
func Diff(got, want string) string {
	in := func(s string) map[string]bool {
		lines := make(map[string]bool)
		for line := range strings.Lines(s) {
			lines[line] = true
		}
		return lines
	}
	var out strings.Builder
	inGot, inWant := in(got), in(want)
	for line := range strings.Lines(want) {
		if !inGot[line] {
			out.WriteString("- " + brief(line))
		}
	}
	for line := range strings.Lines(got) {
		if !inWant[line] {
			out.WriteString("+ " + brief(line))
		}
	}
	if out.Len() == 0 && got != want {
		return "the same lines in another order\n"
	}
	return out.String()
}

// brief keeps a line readable that has a long text in it.
func brief(line string) string {
	const most = 600
	if len(line) <= most {
		return line
	}
	return line[:most] + "…\n"
}
