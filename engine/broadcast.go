package engine

import "time"

// BroadcastOrder is something that is to be done for many people.
type BroadcastOrder struct {
	Name   string
	Action Action
	Text   string         // a template, filled in for each recipient, as the texts in Params
	Params map[string]any // JSON values
	Rate   Rate           // zero: the account's
	// Audience names one of the configuration; where it is empty, To are the ids.
	Audience string
	To       []string
}

// Recipient is what the templates of a broadcast may refer to.
type Recipient struct {
	User    string
	Account string
	Day     string    // 2006-01-02, in the account's time zone
	Now     time.Time // in the account's time zone
}

// BroadcastTemplate makes a text for a recipient. It is safe for concurrent use.
type BroadcastTemplate func(r Recipient) (string, error)
