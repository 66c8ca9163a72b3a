package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel/sandbox"
)

// talked is a store with a long talk in it, which counts the notes that are read.
type talked struct {
	clocked
	notes []engine.Note // in the order of their keys
	read  int
}

func (t *talked) Recollect(_, prefix, after string, limit int) (some []engine.Note, err error) {
	i, found := slices.BinarySearchFunc(t.notes, max(prefix, after), func(n engine.Note, key string) int { return strings.Compare(n.Key, key) })
	if found && t.notes[i].Key == after {
		i++
	}
	some = t.notes[i:min(i+limit, len(t.notes))]
	t.read += len(some)
	return some, nil
}

func TestTheEndOfALongTalkIsReadWithoutItsBeginning(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name      string
		said      int
		every     time.Duration
		want      int
		mostReads int
	}{
		{"nothing", 0, time.Second, 0, 0},
		{"a few, days ago", 3, 30 * time.Hour, 3, 100},
		{"many, every few seconds", 50_000, 7 * time.Second, shownSaid, 6 * shownSaid},
		{"many, a minute apart", 10_000, time.Minute, shownSaid, 6 * shownSaid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := &talked{clocked: clocked{now: now}}
			for i := range tt.said {
				n, err := sandbox.Note("u", sandbox.Message{Time: now.Add(-tt.every * time.Duration(tt.said-i)), Text: fmt.Sprint(i)})
				if err != nil {
					t.Fatal(err)
				}
				st.notes = append(st.notes, n)
			}
			got, err := (&App{store: st}).chat("box", "u")
			if err != nil || len(got) != tt.want || tt.want > 0 && got[tt.want-1].Text != fmt.Sprint(tt.said-1) {
				t.Errorf("%d messages, %v", len(got), err)
			}
			if st.read > tt.mostReads {
				t.Errorf("%d notes were read for %d messages", st.read, tt.want)
			}
		})
	}
}
