// Package kind is what the kinds of skills share: the keys that every
// [[skill]] may have, the draft in which one is built while all its problems
// are collected, and how an operator's text becomes commands.
package kind

import "bot/engine"

// Changed is what users hear whose conversation cannot go on, since a reload
// took away the skill or the step it was with.
const Changed = "这个流程有变动，请重新开始。\nThis flow has changed, please start again."

// Listener is a skill that hears more than its rule says. What it hears is put
// before it ahead of all rules, with the match it returns.
type Listener interface {
	Hears(e *engine.Event) (match []string, ok bool)
}

// Waiter is a skill that waits for another system (Draft.Waits) in some of its
// turns only, such as the last of a form.
type Waiter interface {
	// WaitsIn tells whether a turn that finds the state may wait.
	WaitsIn(st engine.State) bool
}

// Kind is one sort of skill. The key that a [[skill]] holds says which it is.
type Kind struct {
	Key  string   // "reply", "step", "do", …
	Name string   // as people see it
	Also []string // keys of other kinds that this one has a use for
	// Config is the struct that New decodes a section into, with what holds where
	// keys are absent: the keys that such a skill may have; nil: Key alone is known.
	Config any
	// Stateful says that its skills leave a state and want the next message.
	Stateful bool
	// Holds says that a state of its skills holds the whole conversation: it goes
	// before any sender's own, and hears what the account itself says by hand.
	Holds bool
	// Aside says that its skills do not talk to whoever they hear (engine.Choice.Aside).
	Aside bool
	// Later says that its skills may have `unless`: all they do is commands that
	// can wait, and be called off while they do.
	Later bool
	// New builds a skill from its section. What is wrong with the section is
	// noted in the draft; the skill is thrown away if anything is.
	New func(d *Draft) engine.Skill
}

// Grapher is a skill that leads people through several turns. Graph draws it
// in lines to be read in a terminal, each with its end and indented by two
// spaces or more.
type Grapher interface{ Graph() string }
