// Package form is the kind of skill that asks one question after another,
// checks each answer, and ends with all of them collected.
//
// The state's node is the `save` of the question that is open. It names the
// question and not its number, so that a reload may put steps in between; a
// step that is gone ends the conversation politely at the next message. Where
// an answer leads follows from the configuration and the answers alone, so a
// form that branches goes on by any reload too.
package form

import (
	"context"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
	"bot/skills/render"
)

// form is one skill. It keeps nothing between turns.
type form struct {
	kind.Base
	folding      match.Folding
	steps        []step
	expires      time.Duration
	cancel, exit words
	back         words
	confirm      *confirmation // nil: none
	call         *call         // nil: none
	then         []deed
	cancelReply  *render.Template
	expiredReply *render.Template
	tooMany      *render.Template
	done         *render.Template
	changed      *render.Template
}

// Handle implements engine.Skill.
func (f *form) Handle(ctx context.Context, turn *engine.Turn) (engine.Outcome, error) {
	t := f.take(ctx, turn)
	switch {
	case !byState(turn):
		return t.begin()
	case turn.Event.Kind == engine.Expired:
		return t.end(f.expiredReply, "expired", false)
	case turn.Expired:
		return t.end(f.expiredReply, "expired", true)
	}
	return t.answer()
}

// byState tells a turn that goes on with a form from one that begins it. A
// state is there in both where a welcome form meets the same friend again, or
// an earlier outcome of the same event has just ended it.
func byState(t *engine.Turn) bool {
	goesOn := t.Event.Kind == engine.Message || t.Event.Kind == engine.Expired
	return goesOn && t.Match == nil && t.State.Exists()
}

// take opens the turn: what belongs to it and to no other goroutine.
func (f *form) take(ctx context.Context, turn *engine.Turn) *visit {
	v := &visit{ctx: ctx, form: f, turn: turn, state: turn.State.Clone(), due: f.Due(turn)}
	if v.state.Data == nil { // an empty one does not survive the store
		v.state.Data = make(map[string]string)
	}
	v.data = render.Of(turn)
	v.data.Data = v.state.Data
	return v
}
