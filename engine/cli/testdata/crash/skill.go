package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"bot/engine"
	"bot/skills/kind"
)

// hindered is a skill that answers a text with itself. While there is a file
// "hold" in its folder it does not end, and puts a file there that is named
// like its text; while there is one "broken" it fails.
type hindered struct {
	kind.Base
	dir string
}

func build(d *kind.Draft) engine.Skill {
	var c struct {
		kind.Keys
		Hindrance string `toml:"hindrance"`
	}
	d.Decode(&c)
	return &hindered{Base: d.Base(d.Seen()), dir: c.Hindrance}
}

func (s *hindered) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	for s.there("hold") {
		if err := os.WriteFile(filepath.Join(s.dir, t.Event.Text), nil, 0o600); err != nil {
			return engine.Outcome{}, err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return engine.Outcome{}, ctx.Err()
		}
	}
	if s.there("broken") {
		return engine.Outcome{}, errors.New("it is broken")
	}
	return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: t.Event.Text}}}, nil
}

func (s *hindered) there(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}
