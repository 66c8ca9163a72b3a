// Package sensitive asks people a second time before a skill runs that cannot be
// undone. It stands around a skill of any kind; the question is a state of the
// skill's own, at a node that no other has.
package sensitive

import (
	"context"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
	"bot/skills/render"
)

// Node is where a state stands while the question is open.
const Node = "sensitive?"

// What a state keeps: the message that the skill is to run on, and who was asked.
const (
	text  = "text"
	asked = "asked"
)

// yes are the words that confirm. A plain good-will word such as 好 is not among
// them: people say it without having read.
var yes = []string{"是", "是的", "确认", "确定", "yes", "y", "confirm"}

// patience is how long a question stays open. After it, silence meant no.
const patience = 5 * time.Minute

const (
	defaultAsk = "请确认：{{.Text}}\n回复“是”继续，其他内容取消。\nPlease confirm: reply \"yes\" to go on, anything else cancels."
	cancelled  = "已取消。\nCancelled."
)

// skill asks before another runs. It is safe for concurrent use.
type skill struct {
	engine.Skill
	base    kind.Base
	rule    match.Rule
	folding match.Folding
	ask     *render.Template
	no      *render.Template
	accept  match.Rule
}

// Around puts the question before a skill, as its draft says.
func Around(d *kind.Draft, inner engine.Skill) engine.Skill {
	s := &skill{Skill: inner, base: d.Voice(), rule: d.Rule, folding: d.World.Folding, no: d.Text("", cancelled, render.Scope{})}
	if d.On != string(engine.Message) {
		d.Problem("sensitive", "a question can only be asked of somebody who wrote a message: %s is nobody's message", d.On)
	}
	ask := d.SensitiveAsk
	if ask == "" {
		ask = defaultAsk
	}
	s.ask = d.Text("sensitive_ask", ask, d.Seen())
	if !slices.ContainsFunc(yes, func(w string) bool { return strings.Contains(ask, w) }) {
		d.Warn("sensitive_ask", "the question does not say which word confirms (…回复“是”)")
	}
	for _, w := range yes {
		k, err := d.World.Folding.NewKeyword(w, match.Exact)
		if err != nil {
			d.Problem("sensitive", "%v", err)
		}
		s.accept.Keywords = append(s.accept.Keywords, k)
	}
	return s
}

// Handle implements engine.Skill.
func (s *skill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	switch {
	case !t.State.Exists() && !t.Event.Spoken():
		// A picture could not be kept until somebody says yes to it.
		return engine.Outcome{Note: "not done: only words can be asked about"}, nil
	case !t.State.Exists():
		return s.question(t)
	case t.State.Node != Node:
		return s.Skill.Handle(ctx, t)
	case t.Expired || t.Event.Kind != engine.Message:
		return engine.Outcome{State: new(engine.State), Pass: t.Event.Kind == engine.Message, Note: "not confirmed in time"}, nil
	case t.Event.Sender != t.State.Data[asked]: // of a group that shares the state
		return engine.Outcome{Note: "somebody else is asked to confirm", Pass: true}, nil
	case t.Event.Spoken() && s.accept.Hits(s.folding.Read(t.Event.Text)):
		return s.run(ctx, t)
	}
	said, err := s.base.Say(time.Time{}, s.no, render.Of(t))
	return engine.Outcome{State: new(engine.State), Commands: said, Note: "not confirmed", Pass: !s.declines(t.Event)}, err
}

// question asks, and keeps what was said.
func (s *skill) question(t *engine.Turn) (engine.Outcome, error) {
	said, err := s.base.Say(s.base.Due(t), s.ask, render.Of(t))
	return engine.Outcome{
		State: &engine.State{
			Skill: s.Name(), Node: Node, Data: map[string]string{text: t.Event.Text, asked: t.Event.Sender}, Expires: t.Event.Received.Add(patience),
		},
		Commands: said, Note: "asked to confirm",
	}, err
}

// run lets the skill see the message that it was asked about.
func (s *skill) run(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	e, turn := *t.Event, *t
	e.Text = t.State.Data[text]
	turn.Event, turn.State, turn.Match = &e, engine.State{}, nil
	if hit, ok := s.rule.Match(s.folding.Read(e.Text)); ok {
		turn.Match = hit.Match
	}
	out, err := s.Skill.Handle(ctx, &turn)
	if out.State == nil {
		out.State = new(engine.State)
	}
	return out, err
}

// declines tells whether somebody said no, in one of the words for it. What else is
// said in place of a yes is answered by the rules besides.
func (s *skill) declines(e *engine.Event) bool {
	said := match.Trim(s.folding.Fold(e.Text))
	return slices.Contains(append(kind.No(), "取消", "算了", "cancel"), said)
}
