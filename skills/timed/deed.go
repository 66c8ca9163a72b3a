package timed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// deed is what a schedule does. It is safe for concurrent use.
type deed interface {
	// Do says what comes of a run. It may be called again for the same event, as
	// engine.Skill.Handle is. An error is a run that failed.
	Do(ctx context.Context, t *engine.Turn, d *render.Data) (engine.Outcome, error)
	// String is the deed in a few words, for people.
	String() string
}

// sort is one sort of deed.
type sort struct {
	key  string   // tells it from the others
	with []string // keys that go with it
	read func(d *kind.Draft, c *config) deed
}

// sorts are all of them. A new one is a line here and a file of its own.
var sorts = []sort{
	{"text", []string{"to"}, newMessage},
	{"do", []string{"params", "to"}, newAction},
	{"http", nil, newCall},
	{"event", nil, newRaise},
}

// toMany is the sort that takes along what others do alone.
var toMany = sort{"broadcast", []string{"text", "do", "params"}, newBroadcast}

// newDeed reads the one thing that a schedule does; nil where it is none.
func newDeed(d *kind.Draft, c *config) deed {
	var given []sort
	if d.Has(toMany.key) {
		given = append(given, toMany)
	}
	for _, s := range sorts {
		if d.Has(s.key) && (len(given) == 0 || given[0].key != toMany.key || !slices.Contains(toMany.with, s.key)) {
			given = append(given, s)
		}
	}
	switch len(given) {
	case 1:
		given[0].stray(d)
		return given[0].read(d, c)
	case 0:
		d.Problem("", `nothing says what this schedule does (text = "…" with to, do = "…" with params, http = {url = "…"}, event = {conversation = "…"}, or broadcast = {to = […]} with text or do)`)
	default:
		d.Problem(given[1].key, "a schedule does one thing: this one holds both %s and %s (write two schedules)", given[0].key, given[1].key)
	}
	return nil
}

// stray complains of keys that go with another sort.
func (s sort) stray(d *kind.Draft) {
	for _, key := range []string{"to", "params"} {
		if d.Has(key) && !slices.Contains(s.with, key) {
			d.Problem(key, "%s does nothing beside %s", key, s.key)
		}
	}
}

// scope is what a schedule's templates may refer to: nobody said anything.
var scope = render.Scope{}

// filled is a template that must not come out empty.
func filled(key string, t *render.Template, d *render.Data) (string, error) {
	s, err := t.Execute(d)
	if s = strings.TrimSpace(s); err == nil && s == "" {
		err = fmt.Errorf("%s came out empty", key)
	}
	return s, err
}
