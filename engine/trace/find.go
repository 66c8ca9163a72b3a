package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	files, err := hourly.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read trace: %w", err)
	}
	for _, file := range files {
		if !file.Hour.Add(time.Hour).After(since) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := os.ReadFile(file.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was the oldest
		}
		if err != nil {
			return fmt.Errorf("read trace: %w", err)
		}
		for rec := range hourly.Records(data) {
			show(rec)
		}
	}
	return nil
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

// Talk returns the steps of one conversation since then, in the order of time: the
// last most of them.
func (r *Recorder) Talk(ctx context.Context, account, conversation string, since time.Time, most int) (steps []Step, err error) {
	word := quoted(conversation)
	err = r.look(ctx, func() error {
		return scan(ctx, r.o.Dir, since, func(rec []byte) {
			if !bytes.Contains(rec, word) {
				return
			}
			e, err := parse(rec)
			if err != nil || e.Account != account || e.Conversation != conversation {
				return
			}
			for _, s := range e.Steps {
				if !s.Time.Before(since) {
					steps = append(steps, s)
				}
			}
			if len(steps) > 4*most { // forget the oldest now and then
				steps = slices.Clone(steps[len(steps)-most:])
			}
		})
	})
	slices.SortStableFunc(steps, func(a, b Step) int { return a.Time.Compare(b.Time) })
	return steps[max(0, len(steps)-most):], err
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
