package boltstore

import (
	"fmt"
	"strconv"
	"time"

	"bot/engine"
)

// countWrite is an engine.Count ready to be added to the note that holds it.
type countWrite struct {
	account, name string
	key           []byte
	add           int
	expires       time.Time
}

func prepareCounts(account string, counts []engine.Count) ([]countWrite, error) {
	var ready []countWrite
	for _, c := range counts {
		// What can be said of the note can be said beforehand: an act that is
		// refused by its own fault must not have begun.
		n, err := prepareNote(account, engine.Note{Key: c.Key, Value: "0", Expires: c.Expires})
		if err != nil {
			return nil, err
		}
		ready = append(ready, countWrite{account, c.Key, n.key, c.Add, c.Expires})
	}
	return ready, nil
}

// counts adds to numbers, each to what the one before it left.
func (t *txn) counts(writes []countWrite) {
	for _, w := range writes {
		old, err := readNote(w.name, t.bucket(bNotes).Get(w.key), t.now)
		if err != nil {
			t.check(err)
			return
		}
		n, _ := strconv.Atoi(old.Value) // a note that is no number begins anew
		next, err := prepareNote(w.account, engine.Note{Key: w.name, Value: strconv.Itoa(n + w.add), Expires: w.expires})
		if err != nil {
			t.check(fmt.Errorf("count %q: %w", w.name, err))
			return
		}
		t.notes([]noteWrite{next})
	}
}
