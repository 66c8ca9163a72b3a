package stub

import (
	"encoding/json"
	"net/http"
)

// protocol is what a platform answers to calls that nothing went wrong with.
type protocol struct {
	failure string // the body beside any status that is no success
	answer  func(c *Call) Answer
}

// protocols are the channels that the stub speaks.
var protocols = map[string]protocol{
	"generic": {failure: genericFailure, answer: generic},
}

const genericFailure = `{"status":"error"}`

// generic takes a POST of a JSON object on any path, as that channel's
// gateways do, and refuses anything else.
func generic(c *Call) Answer {
	var object map[string]json.RawMessage
	switch {
	case c.Method != http.MethodPost:
		return Answer{Status: http.StatusMethodNotAllowed, Body: genericFailure}
	case json.Unmarshal(c.Body, &object) != nil:
		return Answer{Status: http.StatusBadRequest, Body: genericFailure}
	}
	return Answer{Status: http.StatusOK, Body: `{"status":"success"}`}
}
