package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/quota"
	"bot/store"
)

// commit makes the draft true.
func (d *draft) commit(ctx context.Context) (Report, error) {
	c := store.Commit{
		Seq: d.seq, Owner: d.ref,
		States: d.board.writes(), Once: d.once, Commands: d.commands,
		Subscription: d.subscription, Account: d.event.Account, Sender: d.event.Sender,
		Learned: append(slices.Clip(d.learned()), d.remembered...), Counts: d.counts, Raised: d.raised,
	}
	if err := d.Memory.Commit(ctx, c); err != nil {
		return Report{}, fmt.Errorf("commit event: %w", d.refused(err))
	}
	r := d.report
	r.Commands, r.Subscription, r.Reruns = c.Commands, c.Subscription, d.reruns
	r.Kind, r.Presence, r.Raised = d.event.Kind, d.presence(), len(c.Raised)
	r.States = d.board.moves()
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

// tallyKeep is how long the number of an event's answers is remembered.
const tallyKeep = 24 * time.Hour

// learned is what is remembered of the event.
func (d *draft) learned() []engine.Note {
	e := d.event
	notes := e.Learned
	add := func(n engine.Note) { notes = append(slices.Clip(notes), n) }
	if e.Tally != "" {
		add(engine.Note{Key: e.Tally, Value: strconv.Itoa(d.answers()), Expires: d.created.Add(tallyKeep)})
	}
	switch {
	case e.Fact == "":
	case e.Mute != "": // the one that can be answered may follow
	case e.Kind.Begins() && !d.told:
		add(engine.Note{Key: factKey(e.Fact), Value: "1", Expires: d.created.Add(factKeep)})
	case e.Kind.Parts():
		add(engine.Note{Key: factKey(e.Fact)})
	}
	switch {
	case !d.account.Meets:
	case e.Kind == engine.Message && e.Group: // the notice of a new group may follow its first message
	case e.Kind.Meets() && !d.known:
		add(engine.Note{Key: knownKey(e.Conversation), Value: "1"})
	case e.Kind.Parts() && d.known:
		add(engine.Note{Key: knownKey(e.Conversation)})
	}
	for _, n := range d.contact {
		add(n)
	}
	switch d.presence() {
	case engine.Offline:
		add(engine.Note{Key: OfflineKey, Value: offlineNote(e)})
	case engine.Online:
		add(engine.Note{Key: OfflineKey})
	}
	if d.account.Hears > 0 && quota.Hears(e) {
		if n, ok := quota.Hearing(e, d.account.Hears, d.heard, d.created); ok {
			add(n)
		}
	}
	return notes
}

// answers counts the commands that go to the event's own conversation.
func (d *draft) answers() (n int) {
	for i := range d.commands {
		if d.commands[i].ConversationKey() == d.event.ConversationKey() {
			n++
		}
	}
	return n
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
