// Package timed is what is done by the clock: one [[schedule]] becomes the times
// at which it is due, and a skill that does what it says when it is.
package timed

import (
	"context"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is how people are shown a schedule. It is not among the kinds of
// [[skill]], since its section is a table of its own.
var Kind = kind.Kind{Name: "schedule", Config: config{}}

// New builds a schedule and its skill from its section. What is wrong with it is
// noted in the draft, of which the keys that routing reads are filled in.
func New(d *kind.Draft) (engine.Schedule, engine.Skill) {
	c := newConfig()
	d.DecodeTable(&c)
	d.Keys = kind.Keys{
		Name: skillName(c.Name), On: string(engine.Due), Where: kind.Any, Enabled: c.Enabled, Stop: true,
		Scope: "conversation",
	}
	s := engine.Schedule{Name: c.Name, Enabled: c.Enabled, Skill: d.Name, Skip: c.Missed == skip}
	c.checkName(d)
	s.Account = c.account(d)
	s.When, s.Next = c.times(d, s.Account)
	doing := newDeed(d, &c)
	if doing == nil {
		return s, nil
	}
	s.Does = doing.String()
	return s, &skill{name: d.Name, deed: doing, now: time.Now}
}

// skillName keeps schedules and skills of one name apart in what is remembered,
// counted and logged.
func skillName(schedule string) string { return "schedule/" + schedule }

// skill does the deed on each event of its schedule, and remembers that it did.
type skill struct {
	name string
	deed deed
	now  func() time.Time
}

// Name implements engine.Skill.
func (s *skill) Name() string { return s.name }

// Handle implements engine.Skill. What it does are pushes: nobody waits for them.
func (s *skill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	began := s.now()
	out, err := s.deed.Do(ctx, t, render.Of(t))
	if err != nil {
		return engine.Outcome{}, err
	}
	for i := range out.Commands {
		out.Commands[i].Lane = engine.LanePush
	}
	before, err := t.Recall(engine.RunsKey)
	if err != nil {
		return engine.Outcome{}, err
	}
	run := engine.Run{Due: t.Event.Time, Began: began, TookMS: s.now().Sub(began).Milliseconds(), State: engine.RunSucceeded, Note: out.Note}
	out.Notes = append(out.Notes, engine.Note{Key: engine.RunsKey, Value: engine.AddRun(before, run)})
	return out, nil
}
