package contacts

import (
	"fmt"
	"hash/maphash"
	"iter"
	"os"
	"slices"
	"time"
)

// Audience is whom something is sent to: those that a query chooses, or those that
// a list or a file names.
type Audience struct {
	Name    string
	Account string
	Query   Query
	List    []string
	File    string // of ids, one a line; lines that begin with # are comments
}

// Listed tells whether the audience is named one by one, rather than chosen.
func (a *Audience) Listed() bool { return len(a.List) > 0 || a.File != "" }

// Members yields the ids of an audience at the time now: of whom something unasked
// would be sent to, each once. Of those that a list or a file names, whoever is
// barred, gone or silent (Directory.Unwanted) is left out like anybody else; who is
// not known is not. Those of a query come in the order of their bytes, the others
// as they were written. A file is read as it is then, without ever being in memory
// whole. An error is the last pair, with the id "".
func (d *Directory) Members(a Audience, now time.Time) iter.Seq2[string, error] {
	if !a.Listed() {
		return d.chosen(a, now)
	}
	return func(yield func(string, error) bool) {
		for id, err := range once(a.ids) {
			if err != nil {
				yield("", err)
				return
			}
			switch ok, err := d.reachable(a.Account, id); {
			case err != nil:
				yield("", err)
				return
			case ok && !yield(id, nil):
				return
			}
		}
	}
}

// chosen are those of a query who have written within the account's time.
func (d *Directory) chosen(a Audience, now time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for c, err := range d.Select(a.Account, a.Query, now) {
			if err == nil && d.silent(a.Account, &c) != "" {
				continue
			}
			if !yield(c.ID, err) {
				return
			}
		}
	}
}

// reachable tells whether something unasked would be sent to the id.
func (d *Directory) reachable(account, id string) (bool, error) {
	if d.o.Barred(account, id) {
		return false, nil
	}
	why, err := d.unwanted(account, id)
	return why == "", err
}

// ListError says that the file of an audience cannot be used (any more).
type ListError struct {
	Audience string
	Err      error
}

func (e *ListError) Error() string { return fmt.Sprintf("audience %q: %v", e.Audience, e.Err) }

func (e *ListError) Unwrap() error { return e.Err }

// ids are those that are named, repeated ones too.
func (a *Audience) ids(yield func(string, error) bool) {
	for _, id := range a.List {
		if !yield(id, nil) {
			return
		}
	}
	if a.File == "" {
		return
	}
	f, err := os.Open(a.File)
	if err != nil {
		yield("", &ListError{a.Name, err})
		return
	}
	defer f.Close() // only read from: nothing to lose
	for l, err := range listed(f) {
		if err == nil && !ValidID(l.Text) {
			err = fmt.Errorf("line %d is no id: want 1 to %d bytes", l.Number, MaxID)
		}
		if err != nil {
			yield("", &ListError{a.Name, fmt.Errorf("%s: %w", a.File, err)})
			return
		}
		if !yield(l.Text, nil) {
			return
		}
	}
}

// once leaves out what was there before. It walks through all twice and remembers
// eight bytes of each, and the whole of those alone that come up again.
func once(all iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		seed := maphash.MakeSeed()
		var sums []uint64
		for id, err := range all {
			if err != nil {
				yield("", err)
				return
			}
			sums = append(sums, maphash.String(seed, id))
		}
		again := repeated(sums)
		seen := make(map[string]bool)
		for id, err := range all {
			if err == nil && again[maphash.String(seed, id)] {
				if seen[id] {
					continue
				}
				seen[id] = true
			}
			if !yield(id, err) || err != nil {
				return
			}
		}
	}
}

// repeated are the sums that are there more than once. It sorts them.
func repeated(sums []uint64) map[uint64]bool {
	slices.Sort(sums)
	again := make(map[uint64]bool)
	for i := 1; i < len(sums); i++ {
		if sums[i] == sums[i-1] {
			again[sums[i]] = true
		}
	}
	return again
}
