package engine

import (
	"strconv"
	"strings"
	"time"
)

// Lane sets apart what must not wait for each other: replies go before
// pushes, pushes before bulk work.
type Lane uint8

// The lanes in the order of their precedence.
const (
	LaneReply Lane = iota
	LanePush
	LaneBulk
	Lanes = 3 // how many there are
)

func (l Lane) String() string {
	switch l {
	case LaneReply:
		return "reply"
	case LanePush:
		return "push"
	default:
		return "bulk"
	}
}

// ParseLane reads the name that String gives.
func ParseLane(s string) (Lane, bool) {
	for l := LaneReply; l <= LaneBulk; l++ {
		if l.String() == s {
			return l, true
		}
	}
	return 0, false
}

// Command is one thing to be done on a platform. It is durable before it is
// sent, never changed after it was stored, and known by its task id.
type Command struct {
	// TaskID is unique among commands; it is the idempotency key that the
	// platform sees, the same on every attempt. Commands of an event get
	// TaskIDOf(event.Ref(), position); submitted ones bring their own.
	TaskID       string
	TraceID      string
	Account      string
	Conversation string // whom it is for; also the place in which order is kept
	Action       Action
	Text         string         // of send_text
	Params       map[string]any // what the action needs besides; JSON values
	Lane         Lane
	Created      time.Time
	NotBefore    time.Time // zero: at once
	Deadline     time.Time // zero: the account's own limit; past it the command is dead
	Ticket       Ticket    // of the event it answers
	Origin       string    // Ref of the event it answers, "" for submitted commands
	Skill        string
	// Unless is the key of a note of the command's account: while it holds
	// something when the command's turn comes, the command is cancelled in place of
	// sent. In an Outcome it is a key of the skill's own notes. "" for none.
	Unless    string
	Submitted bool // came in through the task API: its task id stays known after it settled
}

// Blank tells whether a param is as good as not there: there is nothing in it that a
// platform could do something with. It takes JSON values.
func Blank(param any) bool {
	switch v := param.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	}
	return false
}

// TaskIDOf names the n-th command (from 0) of the event known as ref, so that
// handling the event again yields the same ids.
func TaskIDOf(ref string, n int) string { return ref + "-" + strconv.Itoa(n) }

// Due is the time before which the command must not leave, and its rank within
// its conversation and lane.
func (c *Command) Due() time.Time {
	if c.NotBefore.After(c.Created) {
		return c.NotBefore
	}
	return c.Created
}

// ConversationKey returns the conversation whose order the command keeps.
func (c *Command) ConversationKey() ConversationKey {
	return ConversationKey{c.Account, c.Conversation}
}
