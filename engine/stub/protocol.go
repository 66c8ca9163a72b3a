package stub

import (
	"net/http"
	"time"

	"bot/engine"
)

// Protocol is how one platform speaks, with the state that the real one keeps.
// Its methods may be called by many goroutines at once.
type Protocol interface {
	// Read fills in what a call is: Action, To, Text and Authorized, and Key where
	// the platform has an idempotency key of its own. It changes nothing else.
	Read(c *Call)
	// Answer carries out a call that was read and that nothing went wrong with,
	// or refuses it as the platform would.
	Answer(c *Call) Answer
	// Throttled and Failed are the platform's ways of saying so.
	Throttled(wait time.Duration) Answer
	Failed() Answer
	// Callback is the request by which the platform tells what happened. repeat
	// counts from 0: a platform that signs does so anew each time.
	Callback(target string, s Said, repeat int) (*http.Request, error)
	// Accepted tells whether the platform takes an answer for a success, or will
	// call again.
	Accepted(status int, body []byte) bool
}

// Maker makes a protocol, as genericstub.New does. It is given the options with
// all defaults filled in; its error is for an account that it cannot speak for.
type Maker func(o *Options) (Protocol, error)

// Said is something that happens on a platform, as a test or a person says it.
// What a platform cannot tell is left out of its callback.
type Said struct {
	Kind       engine.Kind // "" = message
	Type       string      // of a message: "" = text
	ID         string      // the platform's identity, "" = a fresh one
	User, Name string      // who
	Group      string      // where; "" = in private
	Text       string
	Mention    engine.Mention
	Members    []string // of a group event
	Time       time.Time
}
