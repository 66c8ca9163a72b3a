package boltstore

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
)

// What a process leaves in any stage of shedding, the next one reads as it was.
func TestSheddingMayBeCutOffAnywhere(t *testing.T) { synctest.Test(t, shedCutOffAnywhere) }

func shedCutOffAnywhere(t *testing.T) {
	opt := testOptions(t, path(t))
	opt.Uptime = func() time.Duration { return 0 } // generations end by their size alone
	opt.idle = time.Hour                           // and nobody else folds
	s := mustOpen(t, opt)
	defer s.Close()
	keyOf := func(i int) engine.StateKey { return engine.StateKey{Account: "a", Conversation: fmt.Sprint(i % 7)} }
	act := func(i int) {
		t.Helper()
		talk(t, s, fmt.Sprint(i), keyOf(i)) // changes what an earlier row has
		c := engine.Command{TaskID: fmt.Sprint("t", i), Account: "a", Conversation: "c", Action: engine.SendText, Text: strings.Repeat("x", i*300), Submitted: true}
		if _, err := s.Submit(t.Context(), []engine.Command{c}, window); err != nil {
			t.Fatal(err)
		}
		if i%3 == 2 { // some that another generation has, some of this one
			if err := s.Cancel(t.Context(), fmt.Sprint("t", i-i%2)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 40 {
		act(i)
	}
	quiet := func() *journal {
		synctest.Wait() // nobody writes then
		return &s.journal
	}
	quiet().limit = 1 // the next commit makes an old one of it
	hear(t, s, "last", keyOf(0))
	quiet().limit = opt.JournalBytes
	old := s.journal.old
	if old == nil {
		t.Fatal("there is nothing to shed")
	}
	steps := 0
	for i := 41; quiet().old == old; i++ {
		s.journal.poor = 2
		seq := hear(t, s, fmt.Sprint(i), keyOf(i))
		if i%2 == 0 { // the young one knows better
			quiet().poor = 2
			handle(t, s, seq, fmt.Sprint(i), keyOf(i))
		}
		steps++
		synctest.Wait()
		c := reopen(t, s)
		if got, want := contents(t, c, keyOf), contents(t, s, keyOf); !reflect.DeepEqual(got, want) {
			t.Fatalf("after %d steps and a crash there is\n%v, want\n%v", steps, got, want)
		}
		checkLong(t, c)
		c.Close()
	}
	if steps < 20 {
		t.Errorf("it took %d steps; the test proves nothing", steps)
	}
}

// contents is what a store says of states and commands.
func contents(t *testing.T, s *Store, keyOf func(int) engine.StateKey) (all []string) {
	t.Helper()
	for i := range 7 {
		all = append(all, "state "+node(t, s, keyOf(i)))
	}
	ds, err := s.Deliveries(0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		all = append(all, fmt.Sprintf("command %d %s %d", d.ID, d.Command.TaskID, len(d.Command.Text)))
	}
	return all
}
