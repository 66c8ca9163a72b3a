package turn

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"bot/engine"
	"bot/store"
)

// slot is one place where a state can stand.
type slot struct {
	key     engine.StateKey
	read    uint64       // the version found there
	found   spot         // where the state found there stood
	state   engine.State // as the skills that ran so far left it
	written bool
}

// set puts skill's state there; the zero State ends the one that stands there.
// A state belongs to the skill that wrote it, whatever it says itself.
func (s *slot) set(skill string, st engine.State) {
	s.written = true
	s.state = st.Clone()
	if !reflect.ValueOf(st).IsZero() {
		s.state.Skill = skill
	}
}

// board is the states that an event can touch: its sender's own, and the one
// that all of the conversation share. An event without a sender has only the
// shared one.
type board struct {
	sender, shared slot
}

func (p *play) load() (*board, error) {
	e := p.event
	b := &board{
		sender: slot{key: engine.StateKey{Account: e.Account, Conversation: e.Conversation, Sender: e.Sender}},
		shared: slot{key: engine.StateKey{Account: e.Account, Conversation: e.Conversation}},
	}
	slots := []*slot{&b.shared, &b.sender}
	if e.Sender == "" {
		slots = slots[:1]
	}
	for _, s := range slots {
		st, err := p.Memory.State(s.key)
		if err != nil {
			return nil, fmt.Errorf("load state: %w", err)
		}
		s.state, s.read, s.found = st, st.Version, spotOf(st)
	}
	return b, nil
}

// slot is where a skill of that scope keeps its state.
func (b *board) slot(scope engine.Scope) *slot {
	if scope == engine.ScopeConversation || b.sender.key == b.shared.key {
		return &b.shared
	}
	return &b.sender
}

// of returns a copy of the skill's own state, zero when another skill's or none
// stands in its place.
func (b *board) of(skill string, scope engine.Scope) engine.State {
	if st := b.slot(scope).state; st.Skill == skill {
		return st.Clone()
	}
	return engine.State{}
}

// overdue reports whether the state that an Expired event is about still
// stands as it was when its time ran out. An Expired event carries the sender
// in the state's key, "" for the shared state, and the state's version.
func (b *board) overdue(e *engine.Event) bool {
	st := b.slot(engine.ScopeSender).state
	return st.Exists() && strconv.FormatUint(st.Version, 10) == e.Params["version"]
}

// spot is where a state stands. What was gathered on the way is people's own.
type spot struct{ skill, node string }

func spotOf(st engine.State) spot { return spot{st.Skill, st.Node} }

func (s spot) String() string {
	switch {
	case s.skill == "":
		return "-"
	case s.node == "":
		return s.skill
	}
	return s.skill + "/" + s.node
}

// moves names the states that changed: "bind/phone → bind/code".
func (b *board) moves() string {
	var all []string
	for _, w := range []*slot{&b.sender, &b.shared} {
		if w.changed() {
			all = append(all, w.found.String()+" → "+spotOf(w.state).String())
		}
	}
	return strings.Join(all, "; ")
}

// changed tells whether the slot's state is another now. To end what never was is no
// change.
func (s *slot) changed() bool { return s.written && (s.read != 0 || s.state.Exists()) }

// writes lists what changed.
func (b *board) writes() []store.StateWrite {
	var out []store.StateWrite
	for _, s := range []*slot{&b.sender, &b.shared} {
		if s.changed() {
			out = append(out, store.StateWrite{Key: s.key, Read: s.read, State: s.state})
		}
	}
	return out
}
