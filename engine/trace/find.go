package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"bot/engine/hourly"
)

// MaxSteps bounds what Find returns: an id that half of all messages share is no
// id of one.
const MaxSteps = 2000

// Find returns the steps of the message, event, command or job known by the id, in
// the order of time, of all accounts: what carries the id itself, and what the
// events behind it went through. more says that there are more than MaxSteps.
// It reads all that is kept, a few hundred megabytes a second, one caller at a
// time.
func (r *Recorder) Find(ctx context.Context, id string) (steps []Step, more bool, err error) {
	err = r.look(ctx, func() error {
		steps, more, err = find(ctx, r.o.Dir, id)
		return err
	})
	return steps, more, err
}

// look runs f as the only reader of the files, when all that was added is written.
func (r *Recorder) look(ctx context.Context, f func() error) error {
	select {
	case r.looking <- struct{}{}:
		defer func() { <-r.looking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r.flush(ctx)
	return f()
}

func find(ctx context.Context, dir, id string) ([]Step, bool, error) {
	f := finder{ids: []string{id}}
	if err := f.scan(ctx, dir); err != nil {
		return nil, false, err
	}
	// A command's own id leads to the event that it answers, whose intake carries
	// only ids of the platform.
	if f.ids = f.behind(id); len(f.ids) > 0 {
		if err := f.scan(ctx, dir); err != nil {
			return nil, false, err
		}
	}
	var steps []Step
	for _, e := range f.found {
		steps = append(steps, e.Steps...)
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return a.Time.Compare(b.Time) })
	more := len(steps) > MaxSteps || f.more
	return steps[:min(len(steps), MaxSteps)], more, nil
}

// finder gathers the entries that carry one of some ids.
type finder struct {
	ids   []string
	found []Entry
	seen  map[string]bool // records that were found
	more  bool
}

func (f *finder) scan(ctx context.Context, dir string) error {
	words := make([][]byte, len(f.ids))
	for i, id := range f.ids {
		words[i] = quoted(id)
	}
	return scan(ctx, dir, time.Time{}, func(rec []byte) {
		if !slices.ContainsFunc(words, func(w []byte) bool { return bytes.Contains(rec, w) }) {
			return
		}
		e, err := parse(rec)
		if err != nil || !slices.ContainsFunc(f.ids, e.carries) || f.seen[string(rec)] {
			return
		}
		if len(f.found) >= MaxSteps {
			f.more = true
			return
		}
		if f.seen == nil {
			f.seen = make(map[string]bool)
		}
		f.seen[string(rec)] = true
		f.found = append(f.found, e)
	})
}

// scan shows all records of the files that may hold some since then.
func scan(ctx context.Context, dir string, since time.Time, show func(rec []byte)) error {
	files, err := filesSince(dir, since)
	if err != nil {
		return err
	}
	for _, file := range files {
		records, err := read(ctx, file)
		if err != nil {
			return err
		}
		for rec := range records {
			show(rec)
		}
	}
	return nil
}

// backwards shows such files' records file by file, the newest first, until show has
// seen enough.
func backwards(ctx context.Context, dir string, since time.Time, show func(records iter.Seq[[]byte]) (more bool)) error {
	files, err := filesSince(dir, since)
	if err != nil {
		return err
	}
	for _, file := range slices.Backward(files) {
		records, err := read(ctx, file)
		if err != nil || !show(records) {
			return err
		}
	}
	return nil
}

// filesSince are the files that may hold something since then, the oldest first.
func filesSince(dir string, since time.Time) ([]hourly.File, error) {
	files, err := hourly.List(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read trace: %w", err)
	}
	return slices.DeleteFunc(files, func(f hourly.File) bool { return !f.Hour.Add(time.Hour).After(since) }), nil
}

func read(ctx context.Context, file hourly.File) (iter.Seq[[]byte], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it was the oldest, and has gone
		return nil, fmt.Errorf("read trace: %w", err)
	}
	return hourly.Records(data), nil
}

// carries tells whether the id is one of the entry's.
func (e *Entry) carries(id string) bool {
	return id == e.Event || id == e.Ref || id == e.Task || id == e.Trace ||
		slices.ContainsFunc(e.Steps, func(s Step) bool { return s.TaskID == id })
}

// maxBehind bounds the events that are followed up.
const maxBehind = 20

// behind are the ids of the events that the found entries belong to, besides the
// one that was asked for.
func (f *finder) behind(id string) (ids []string) {
	for _, e := range f.found {
		// The platform's id leads to the intake, which was before there was a ref.
		for _, other := range []string{e.Ref, e.Event} {
			if other != "" && other != id && !slices.Contains(ids, other) && len(ids) < maxBehind {
				ids = append(ids, other)
			}
		}
	}
	return ids
}

// Talk returns the entries of one conversation since then, in the order of their
// first steps: the last of them, with about most steps. A busy conversation is read
// from the newest files alone.
func (r *Recorder) Talk(ctx context.Context, account, conversation string, since time.Time, most int) (entries []Entry, err error) {
	word := quoted(conversation)
	err = r.look(ctx, func() error {
		steps := 0
		return backwards(ctx, r.o.Dir, since, func(records iter.Seq[[]byte]) (more bool) {
			for rec := range records {
				if !bytes.Contains(rec, word) {
					continue
				}
				e, err := parse(rec)
				if err != nil || e.Account != account || e.Conversation != conversation || !e.since(since) {
					continue
				}
				entries = append(entries, e)
				steps += len(e.Steps)
			}
			return steps < most
		})
	})
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.Steps[0].Time.Compare(b.Steps[0].Time) })
	kept, steps := len(entries), 0
	for kept > 0 && steps < most {
		kept--
		steps += len(entries[kept].Steps)
	}
	return entries[kept:], err
}

// Latest shows entries since then, those of the newest hour first, until show has
// seen enough.
func (r *Recorder) Latest(ctx context.Context, since time.Time, show func(e Entry) (more bool)) error {
	return r.look(ctx, func() error {
		return backwards(ctx, r.o.Dir, since, func(records iter.Seq[[]byte]) bool {
			for rec := range records {
				if e, err := parse(rec); err == nil && e.since(since) && !show(e) {
					return false
				}
			}
			return true
		})
	})
}

// since tells whether something of the entry happened at that time or later.
func (e *Entry) since(t time.Time) bool {
	n := len(e.Steps)
	return n > 0 && !e.Steps[n-1].Time.Before(t)
}

// String is the step in one line.
func (s Step) String() string {
	parts := []string{s.Time.Format(time.RFC3339Nano), s.Step}
	for _, p := range []string{s.Account, s.Skill, s.TaskID, s.Note} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}
