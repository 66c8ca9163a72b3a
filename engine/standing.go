package engine

// Standing is how somebody stands with one account. The zero Standing is the
// ordinary one.
type Standing struct {
	// Blocked by the operator: nothing of theirs is taken in, nothing is sent
	// to them.
	Blocked bool
	// Unsubscribed by themselves: what they write is still answered, nothing
	// else is sent to them.
	Unsubscribed bool
}

// Change is a step from one standing to another. Making it twice is making it
// once.
type Change string

// The changes that only an operator makes. Those of Subscription are changes too.
const (
	Block   Change = "block"
	Unblock Change = "unblock"
)

// Subscription is a change that people make themselves, by what they write; ""
// is none. It is a type of its own so that no skill can lift a block.
type Subscription string

// The values of Subscription.
const (
	Unsubscribe Subscription = "unsubscribe"
	Subscribe   Subscription = "subscribe"
)

// With returns the standing after the change; one that is unknown changes
// nothing.
func (s Standing) With(c Change) Standing {
	switch c {
	case Block:
		s.Blocked = true
	case Unblock:
		s.Blocked = false
	case Change(Unsubscribe):
		s.Unsubscribed = true
	case Change(Subscribe):
		s.Unsubscribed = false
	}
	return s
}
