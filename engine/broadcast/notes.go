package broadcast

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// owner is whose notes they are: the engine's, and no account's.
const owner = ""

const (
	noteKey   = "broadcast/"
	cursorKey = "broadcast-at/"
	chunkKey  = "broadcast-to/"
	tallyKey  = "broadcast-n/"
)

// maxChunk bounds a note of recipients in bytes: a million ids are some hundreds
// of them.
const maxChunk = 48 << 10

func chunkPrefix(id string) string      { return chunkKey + id + "/" }
func chunkName(id string, n int) string { return fmt.Sprintf("%s%06d", chunkPrefix(id), n) }

func countKey(id string, f store.Final) string { return tallyKey + id + "/" + string(f) }

// countsUntil is when the numbers of a broadcast are forgotten, should nobody have
// deleted it by then. It is the same for each addition, since a note whose expiry
// moves costs several rows.
func countsUntil(id string) time.Time {
	day, _, _ := strings.Cut(id, "-")
	at, err := time.Parse(idDay, day)
	if err != nil {
		return time.Time{}
	}
	return at.AddDate(2, 0, 0)
}

// cursor is how far a broadcast has come.
type cursor struct {
	Passed   int            `json:"passed"`   // recipients behind it
	Released int            `json:"released"` // commands made for them
	Chunk    int            `json:"chunk"`    // in which the next one is
	Offset   int            `json:"offset"`   // of the next one in it, in bytes
	Skipped  map[string]int `json:"skipped,omitempty"`
}

func (c *cursor) skipped() (n int) {
	for _, of := range c.Skipped {
		n += of
	}
	return n
}

func (b *Broadcast) note() (engine.Note, error) { return jsonNote(noteKey+b.ID, b) }

func (c *cursor) note(id string) (engine.Note, error) { return jsonNote(cursorKey+id, c) }

func jsonNote(key string, v any) (engine.Note, error) {
	value, err := json.Marshal(v)
	if err != nil {
		return engine.Note{}, fmt.Errorf("write %s: %w", key, err)
	}
	return engine.Note{Key: key, Value: string(value)}, nil
}

// readJSON keeps numbers as they were written: an id never goes through a float.
func readJSON(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// stored are the broadcasts that there are.
func (m *Manager) stored() (all []*entry, err error) {
	const page = 100
	for after := ""; ; {
		notes, err := m.o.Store.Recollect(owner, noteKey, after, page)
		if err != nil {
			return nil, fmt.Errorf("look up broadcasts: %w", err)
		}
		for _, n := range notes {
			after = n.Key
			e := &entry{outbox: make(map[int]store.Phase)}
			if err := readJSON(n.Value, &e.b); err != nil {
				m.o.Log.Error("the note of a broadcast cannot be read; nothing of it is sent", "note", n.Key, "error", err)
				continue
			}
			at, err := m.o.Store.Recall(owner, cursorKey+e.b.ID)
			if err != nil {
				return nil, fmt.Errorf("look up how far broadcast %s is: %w", e.b.ID, err)
			}
			if at != "" {
				if err := readJSON(at, &e.at); err != nil {
					// To begin again could be to say it twice.
					e.unreadable = fmt.Errorf("its cursor cannot be read: %w", err)
				}
			}
			all = append(all, e)
		}
		if len(notes) < page {
			return all, nil
		}
	}
}

// tallies are the numbers of a broadcast by how its commands ended.
func (m *Manager) tallies(b *Broadcast) (sent, dead int, err error) {
	for _, f := range []store.Final{store.Sent, store.Confirmed, store.Dead} {
		text, err := m.o.Store.Recall(b.Account, countKey(b.ID, f))
		if err != nil {
			return 0, 0, fmt.Errorf("look up the results of broadcast %s: %w", b.ID, err)
		}
		n, _ := strconv.Atoi(text) // a note that is no number is none
		if f == store.Dead {
			dead += n
		} else {
			sent += n
		}
	}
	return sent, dead, nil
}

// forgetChunks takes out who was to be reached, a few notes at a time.
func (m *Manager) forgetChunks(ctx context.Context, id string) error {
	const page = 16
	for {
		notes, err := m.o.Store.Recollect(owner, chunkPrefix(id), "", page)
		if err != nil {
			return fmt.Errorf("look up the recipients of broadcast %s: %w", id, err)
		}
		if len(notes) == 0 {
			return nil
		}
		for i := range notes {
			notes[i].Value = ""
		}
		if err := m.o.Store.Remember(ctx, owner, notes); err != nil {
			return fmt.Errorf("forget the recipients of broadcast %s: %w", id, err)
		}
	}
}

// forget takes out everything that is known of a broadcast.
func (m *Manager) forget(ctx context.Context, b *Broadcast) error {
	if err := m.forgetChunks(ctx, b.ID); err != nil {
		return err
	}
	var counts []engine.Note
	for _, f := range []store.Final{store.Sent, store.Confirmed, store.Dead, store.Cancelled} {
		counts = append(counts, engine.Note{Key: countKey(b.ID, f)})
	}
	if err := m.o.Store.Remember(ctx, b.Account, counts); err != nil {
		return fmt.Errorf("forget the results of broadcast %s: %w", b.ID, err)
	}
	notes := []engine.Note{{Key: noteKey + b.ID}, {Key: cursorKey + b.ID}}
	if err := m.o.Store.Remember(ctx, owner, notes); err != nil {
		return fmt.Errorf("forget broadcast %s: %w", b.ID, err)
	}
	return nil
}
