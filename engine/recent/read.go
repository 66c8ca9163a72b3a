package recent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/hourly"
	"bot/store"
)

// Intake is what was read of an archive. It holds the records as they lie on
// disk, a fraction of what the events take in memory.
type Intake struct {
	Damaged int // records that cannot be read and are missing
	records []record
}

type record struct {
	received time.Time
	data     []byte
}

// Read takes in the events of an archive that were received at since or later.
// It may be used while an Archive writes to the folder: what was not written
// yet is not seen, and a file whose end is cut off, as that of a process that
// died, ends with its last whole record. The error is that of reading:
// fs.ErrNotExist where there is no archive.
func Read(dir string, since time.Time) (*Intake, error) {
	files, err := hourly.List(dir)
	if err != nil {
		return nil, fmt.Errorf("read recent intake: %w", err)
	}
	in := &Intake{}
	for _, f := range files {
		// Nothing is handled before it is received.
		if !f.Hour.Add(time.Hour).After(since) {
			continue
		}
		data, err := os.ReadFile(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was the oldest
		}
		if err != nil {
			return nil, fmt.Errorf("read recent intake: %w", err)
		}
		in.scan(data, since)
	}
	slices.SortStableFunc(in.records, func(a, b record) int { return a.received.Compare(b.received) })
	return in, nil
}

// scan reads the records of one file.
func (in *Intake) scan(data []byte, since time.Time) {
	for rec := range hourly.Records(data) {
		e, err := store.DecodeEvent(rec)
		switch {
		case err != nil:
			in.Damaged++
		case !e.Received.Before(since):
			in.records = append(in.records, record{e.Received, rec})
		}
	}
}

// Events are the events in the order of their receipt; those received at one
// instant in that in which they were handled. Each round makes them anew.
func (in *Intake) Events() iter.Seq[*engine.Event] {
	return func(yield func(*engine.Event) bool) {
		for _, r := range in.records {
			// It was read once, when it was taken in.
			if e, err := store.DecodeEvent(r.data); err == nil && !yield(e) {
				return
			}
		}
	}
}

// Talk returns the events of one conversation that were received at since or later,
// in the order of their receipt: the last of them, at most most. A busy conversation
// is read from the newest files alone. It returns none where there is no archive.
func Talk(ctx context.Context, dir, account, conversation string, since time.Time, most int) (events []*engine.Event, err error) {
	files, err := hourly.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read recent intake: %w", err)
	}
	word := []byte(conversation)
	for _, f := range slices.Backward(files) {
		if len(events) >= most || !f.Hour.Add(time.Hour).After(since) {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read recent intake: %w", err)
		}
		for rec := range hourly.Records(data) {
			if !bytes.Contains(rec, word) {
				continue
			}
			e, err := store.DecodeEvent(rec)
			if err == nil && e.Account == account && e.Conversation == conversation && !e.Received.Before(since) {
				events = append(events, e)
			}
		}
	}
	slices.SortStableFunc(events, func(a, b *engine.Event) int { return a.Received.Compare(b.Received) })
	return events[max(0, len(events)-most):], nil
}
