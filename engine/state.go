package engine

import (
	"maps"
	"time"
)

// StateKey names whose conversation state it is. Sender is empty for a state
// that a whole group shares (a skill with scope "conversation").
type StateKey struct{ Account, Conversation, Sender string }

// State is where a conversation stands. It is stored as JSON in the commit of
// the event that changed it. The zero State means that there is none.
type State struct {
	Skill   string            `json:"skill"`
	Node    string            `json:"node,omitempty"` // a form: the step's `save`
	Data    map[string]string `json:"data,omitempty"`
	Misses  int               `json:"misses,omitempty"` // invalid answers at this node
	Expires time.Time         `json:"expires,omitzero"`
	// Notify asks for an Expired event once Expires has passed; without it an
	// expired state is silently swept.
	Notify bool `json:"notify,omitempty"`
	// Version changes with every write and never repeats within a store.
	// The store sets it; 0 means that the state is not stored.
	Version uint64 `json:"-"`
}

// Exists tells a state from the lack of one.
func (s State) Exists() bool { return s.Skill != "" }

// Expired judges by the receipt time of the message, so that an answer which
// came in time is not refused because it waited in a backlog.
func (s State) Expired(at time.Time) bool {
	return s.Exists() && !s.Expires.IsZero() && at.After(s.Expires)
}

// Clone returns a copy that shares nothing.
func (s State) Clone() State {
	s.Data = maps.Clone(s.Data)
	return s
}
