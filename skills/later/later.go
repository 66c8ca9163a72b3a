// Package later stands around a skill whose commands wait (`delay`) and are not
// wanted any more once something else happens in their conversation (`unless`).
//
// A skill that has commands waiting for somebody leaves a note of that, with the
// key of another note that its commands name (engine.Command.Unless). What calls
// them off writes that other note in the act that handles it, and takes the first
// one away; the commands find it when their turn comes. So an event for which
// nothing waits costs a look and no write, and all is as durable as any note.
package later

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
)

// keep is how long past its time a command can still be called off: longer than
// any account that is held or paused is likely to keep it.
const keep = 30 * 24 * time.Hour

// members bounds those of one event that are looked for by name.
const members = 50

// Skill is a skill and what calls its commands off. It is safe for concurrent use.
type Skill struct {
	engine.Skill // the one whose commands wait
	kinds        []engine.Kind
	words        match.Rule // of messages, where that is not among kinds
	folding      match.Folding
	shared       bool // what anybody does in a conversation counts
}

// Around makes a skill's commands wait for what its draft's `unless` says.
func Around(d *kind.Draft, inner engine.Skill) *Skill {
	return &Skill{
		Skill: inner, kinds: d.CallOff.Kinds, words: d.CallOff.Words,
		folding: d.World.Folding, shared: d.Scope == "conversation",
	}
}

// CallsOff tells whether the event is of those that call commands off. What the
// account itself says is none of them.
func (s *Skill) CallsOff(e *engine.Event) bool {
	switch {
	case e.Self:
		return false
	case slices.Contains(s.kinds, e.Kind):
		return true
	}
	return e.Spoken() && len(s.words.Keywords) > 0 && s.words.Hits(s.folding.Read(e.Text))
}

// Watch is the skill that takes note of what CallsOff is true of.
func (s *Skill) Watch() engine.Skill { return watch{s} }

// Handle implements engine.Skill.
func (s *Skill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	out, err := s.Skill.Handle(ctx, t)
	if err != nil || len(out.Commands) == 0 {
		return out, err
	}
	due := t.Event.Received
	for _, c := range out.Commands {
		if c.NotBefore.After(due) {
			due = c.NotBefore
		}
	}
	at := waiting(s.whom(t.Event))
	w := pending{token: t.Event.Ref(), until: due.Add(keep)}
	if !s.CallsOff(t.Event) { // or what waits is being called off by this very event
		value, err := t.Recall(at)
		if err != nil {
			return engine.Outcome{}, err
		}
		if earlier, ok := parse(value); ok {
			w.token = earlier.token
			if earlier.until.After(w.until) {
				w.until = earlier.until
			}
		}
	}
	for i := range out.Commands {
		out.Commands[i].Unless = calledOff(w.token)
	}
	out.Notes = append(out.Notes, engine.Note{Key: at, Value: w.String(), Expires: w.until})
	return out, nil
}

// whom the commands that an event brings about are for: somebody of a group, or ""
// for the whole conversation.
func (s *Skill) whom(e *engine.Event) (conversation, member string) {
	switch all := people(e); {
	case s.shared || !e.Group || len(all) != 1:
		return e.Conversation, ""
	default:
		return e.Conversation, all[0]
	}
}

// people are those whom an event is about, or of.
func people(e *engine.Event) []string {
	switch {
	case kind.TellsMembers(string(e.Kind)):
		return e.Members[:min(len(e.Members), members)]
	case e.Sender != "":
		return []string{e.Sender}
	}
	return nil
}

// watch hears what calls the commands of a skill off. It bears the skill's name, so
// that their notes are the same.
type watch struct{ of *Skill }

// Name implements engine.Skill.
func (w watch) Name() string { return w.of.Name() }

// Handle implements engine.Skill.
func (w watch) Handle(_ context.Context, t *engine.Turn) (out engine.Outcome, err error) {
	e := t.Event
	whose := []string{""}
	if e.Group && !w.of.shared {
		whose = append(whose, people(e)...)
	}
	for _, member := range whose {
		at := waiting(e.Conversation, member)
		value, err := t.Recall(at)
		if err != nil {
			return engine.Outcome{}, err
		}
		p, ok := parse(value)
		if !ok {
			continue
		}
		out.Notes = append(out.Notes,
			engine.Note{Key: calledOff(p.token), Value: "called off: " + string(e.Kind) + " came before its time", Expires: p.until},
			engine.Note{Key: at})
		out.Note = "called off what waited: " + string(e.Kind)
	}
	return out, nil
}

// waiting is the key of the note that something waits; calledOff of the one that
// calls it off.
func waiting(conversation, member string) string { return "waits/" + conversation + "\x00" + member }
func calledOff(token string) string              { return "unless/" + token }

// pending is what the first note says.
type pending struct {
	token string    // of the commands that wait
	until time.Time // from then on they cannot be called off
}

func (p pending) String() string { return p.token + " " + strconv.FormatInt(p.until.Unix(), 10) }

// parse reads what String wrote; ok is false for anything else, which is nothing
// that waits.
func parse(s string) (p pending, ok bool) {
	token, until, ok := strings.Cut(s, " ")
	seconds, err := strconv.ParseInt(until, 10, 64)
	return pending{token, time.Unix(seconds, 0)}, ok && err == nil
}
