// Package broadcast does one thing for many people: an audience is written down,
// and then taken step by step at a fixed rate into commands of the bulk lane.
//
// All that it knows is notes of the engine itself, so that a broadcast is found
// again whatever became of its account:
//
//	broadcast/<id>             what it is and how it stands (Broadcast, JSON)
//	broadcast-at/<id>          how far it has come (cursor, JSON)
//	broadcast-to/<id>/<chunk>  who is still to be reached, an id a line
//
// and one note of the account for each end that a command can have, counted by the
// act that ends it (Tally):
//
//	broadcast-n/<id>/<final>   a number
//
// Commands and the cursor move in one act of the store, so that no crash repeats a
// recipient or leaves one out.
package broadcast

import (
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// State is how a broadcast stands.
type State string

// The states. Done, Cancelled and Failed are the ends.
const (
	Preparing State = "preparing" // its audience is being written down
	Ready     State = "ready"     // the audience is frozen; nothing is sent before somebody says so
	Running   State = "running"
	Paused    State = "paused"
	Done      State = "done" // everybody had their turn, and nothing of it waits any more
	Cancelled State = "cancelled"
	Failed    State = "failed" // it cannot go on; Reason says why
)

// Ended tells whether nothing more comes of it.
func (s State) Ended() bool { return s == Done || s == Cancelled || s == Failed }

// Broadcast is what it is and how it stands.
type Broadcast struct {
	ID      string         `json:"id"`
	Name    string         `json:"name,omitempty"`
	Account string         `json:"account"`
	Action  engine.Action  `json:"action"`
	Text    string         `json:"text,omitempty"`   // a template, as the texts in Params
	Params  map[string]any `json:"params,omitempty"` // JSON values
	Rate    engine.Rate    `json:"rate"`
	// Audience says in a few words who is meant. Recipients are frozen when the
	// broadcast is made; Duplicates were named more than once.
	Audience   string `json:"audience,omitempty"`
	Recipients int    `json:"recipients"`
	Duplicates int    `json:"duplicates,omitempty"`

	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"` // of a state that nobody asked for
	// Excused: a person went on after the risk matrix had paused it, so that it is
	// not paused by it again.
	Excused bool      `json:"excused,omitempty"`
	By      string    `json:"by,omitempty"` // who made it
	Event   string    `json:"event,omitempty"`
	Created time.Time `json:"created"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
}

// Status is a broadcast with what has come of it by now.
type Status struct {
	Broadcast
	Released    int            `json:"released"`              // recipients for whom a command was made
	Skipped     int            `json:"skipped"`               // those for whom none was
	SkippedFor  map[string]int `json:"skipped_for,omitempty"` // by reason
	Left        int            `json:"left"`                  // those whose turn is to come
	Waiting     int            `json:"waiting"`               // commands in the outbox, being sent included
	Unconfirmed int            `json:"unconfirmed"`           // sent, to be confirmed by the platform
	InDoubt     int            `json:"in_doubt"`              // nobody knows; held for a person
	Sent        int            `json:"sent"`
	Dead        int            `json:"dead"` // given up, and not replayed or known to have arrived since
	// ByHand were ended by people: cancelled, with the broadcast or alone, or
	// resolved when they were in doubt.
	ByHand int `json:"by_hand"`
	// ETA is when the last one will be released as things go now; zero unless running.
	ETA time.Time `json:"eta,omitzero"`
}

const (
	originPrefix = "broadcast/"
	taskPrefix   = "bc-"
)

// origin is what the commands of a broadcast answer.
func origin(id string) string { return originPrefix + id }

// Of names the broadcast that a command belongs to.
func Of(c *engine.Command) (id string, ok bool) { return strings.CutPrefix(c.Origin, originPrefix) }

// taskID names the command of the n-th recipient, from 0.
func taskID(id string, n int) string { return taskPrefix + id + "-" + strconv.Itoa(n) }

// numberOf is taskID backwards.
func numberOf(id, task string) (n int, ok bool) {
	tail, ok := strings.CutPrefix(task, taskPrefix+id+"-")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(tail)
	return n, err == nil && n >= 0
}

// Tally is what the act that settles a command has to count, nothing for one of
// no broadcast or one that is not over.
func Tally(c *engine.Command, s *store.Settlement) []engine.Count {
	id, ok := Of(c)
	if !ok || s.Final == "" {
		return nil
	}
	return []engine.Count{count(id, s.Final, 1)}
}

// Revived is what the act that puts a command back from the dead letters has to
// count: it is over no more.
func Revived(c *engine.Command) []engine.Count {
	id, ok := Of(c)
	if !ok {
		return nil
	}
	return []engine.Count{count(id, store.Dead, -1)}
}

// ArrivedAfterAll is what the act has to count that ends a dead letter because its
// command is known to have arrived.
func ArrivedAfterAll(c *engine.Command) []engine.Count {
	id, ok := Of(c)
	if !ok {
		return nil
	}
	return []engine.Count{count(id, store.Dead, -1), count(id, store.Confirmed, 1)}
}

func count(id string, f store.Final, add int) engine.Count {
	return engine.Count{Key: countKey(id, f), Add: add, Expires: countsUntil(id)}
}
