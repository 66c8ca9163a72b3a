package stub

import (
	"net/http"
	"time"

	"bot/engine"
)

// protocol is how one platform speaks, with the state that the real one keeps.
// Its methods may be called by many goroutines at once.
type protocol interface {
	// read fills in what a call is: Action, To and Text, and Key where the
	// platform has an idempotency key of its own. It changes nothing else.
	read(c *Call)
	// answer carries out a call that was read and that nothing went wrong with,
	// or refuses it as the platform would.
	answer(c *Call) Answer
	// throttled and failed are the platform's ways of saying so.
	throttled(wait time.Duration) Answer
	failed() Answer
	// callback is the request by which the platform tells what happened. repeat
	// counts from 0: a platform that signs does so anew each time.
	callback(target string, s Said, repeat int) (*http.Request, error)
	// accepted tells whether the platform takes an answer for a success, or will
	// call again.
	accepted(status int, body []byte) bool
}

// protocols are the channels that the stub speaks. Each is given the options
// with all defaults filled in.
var protocols = map[string]func(o *Options) (protocol, error){
	"generic": newGeneric,
	"qiwe":    newQiwe,
	"wkteam":  newWkteam,
	"gewe":    newGewe,
	"wecom":   newWecom,
}

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
