package gewe

import "bot/engine"

// connection is news of the account's own connection. All of them are of one
// conversation, the account's own id, so that they stay in order; nobody else
// is there.
func (in *inbound) connection(kind engine.Kind) *engine.Event {
	return &engine.Event{
		Kind: kind, ID: in.id, Identity: in.identity, Time: in.time,
		Conversation: in.self,
	}
}
