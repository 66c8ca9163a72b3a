package engine

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
