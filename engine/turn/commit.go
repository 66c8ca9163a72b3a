package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bot/store"
)

// commit makes the draft true.
func (d *draft) commit(ctx context.Context) (Report, error) {
	c := store.Commit{
		Seq: d.seq, Owner: d.ref,
		States: d.board.writes(), Once: d.once, Commands: d.commands,
		Subscription: d.subscription, Account: d.event.Account, Sender: d.event.Sender,
	}
	if err := d.Memory.Commit(ctx, c); err != nil {
		return Report{}, fmt.Errorf("commit event: %w", d.refused(err))
	}
	r := d.report
	r.Commands, r.Subscription, r.Reruns = c.Commands, c.Subscription, d.reruns
	r.Why, r.Note = strings.Join(d.whys, "; "), strings.Join(d.notes, "; ")
	switch {
	case r.Outcome != "":
	case len(c.Commands) > 0:
		r.Outcome = Reply
	case len(c.States) > 0 || c.Subscription != "":
		r.Outcome = State
	default:
		r.Outcome = NoReply
	}
	return r, nil
}

// rerunError is a refusal after which the event is played anew.
type rerunError struct {
	skill, key string // the skill that must know that its key is taken
	error
}

func (e *rerunError) Unwrap() error { return e.error }

// refused says what a refused commit means for the turn.
func (d *draft) refused(err error) error {
	if errors.Is(err, store.ErrConflict) {
		return &rerunError{error: err}
	}
	t, ok := errors.AsType[*store.TakenError](err)
	if !ok {
		return err
	}
	if slices.Contains(d.taken[t.Skill], t.Key) { // told once, it must not ask again
		return &SkillError{Skill: t.Skill, Fault: Failed, Err: err}
	}
	return &rerunError{t.Skill, t.Key, err}
}
