package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// failure is a request that brought no answer to give to people. Its words never
// hold what the endpoint wrote, which may repeat the key or what users said.
type failure struct {
	why    string
	again  bool          // a second request may do better
	after  time.Duration // how long the endpoint wants to be left alone; 0: not said
	unsent bool          // the endpoint surely did no work
	void   bool          // it says nothing about how the endpoint does
}

func (f *failure) Error() string { return f.why }

// charged is how many requests the endpoint may have worked for.
func (f *failure) charged() int {
	if f.unsent {
		return 0
	}
	return 1
}

// pause is how long to wait before the second request: as told, or about half a
// second. chance is in [0,1).
func (f *failure) pause(chance float64) time.Duration {
	return cmp.Or(f.after, 250*time.Millisecond+time.Duration(chance*float64(500*time.Millisecond)))
}

// worthwhile is the time that must be left for a second request.
const worthwhile = time.Second

// pause waits, where there is time for another request afterwards.
func pause(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d+worthwhile {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// failure judges a request that ended with an error. The key is taken out
// wherever it may have got in.
func (c *call) failure(ctx context.Context, err error, key string) *failure {
	f := c.judge(ctx, err)
	f.after = c.after
	if key != "" {
		f.why = strings.ReplaceAll(f.why, key, "***")
	}
	return f
}

func (c *call) judge(ctx context.Context, err error) *failure {
	var api *openai.APIError
	var dial *net.OpError
	var dns *net.DNSError
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &failure{why: "the model did not answer in time"}
	case ctx.Err() != nil:
		return &failure{why: "the engine stops", void: true}
	case errors.Is(err, errRedirect):
		return &failure{why: errRedirect.Error(), unsent: true}
	case c.status >= http.StatusBadRequest && errors.As(err, &api):
		return refusal(c.status, code(api))
	case c.status >= http.StatusBadRequest:
		return refusal(c.status, "")
	case errors.As(err, &api):
		return &failure{why: "the endpoint broke its answer off with an error" + code(api), again: true}
	case errors.Is(err, errTooLarge):
		return &failure{why: errTooLarge.Error()}
	case errors.As(err, &syntax), errors.As(err, &shape):
		return &failure{why: "the endpoint's answer cannot be read: it is not what chat completions look like", again: true}
	case errors.Is(err, errUnfinished) && c.json:
		return &failure{why: "the endpoint does not stream its answers (stream = false)"}
	case errors.Is(err, errUnfinished), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &failure{why: errUnfinished.Error(), again: true}
	case errors.As(err, &dns), errors.As(err, &dial) && dial.Op == "dial":
		return &failure{why: "cannot connect to the endpoint: " + cause(err), again: true, unsent: true}
	}
	return &failure{why: "the request failed: " + cause(err), again: true}
}

// refusal is an answer with a status that is none of success.
func refusal(status int, code string) *failure {
	f := &failure{unsent: true, why: fmt.Sprintf("the endpoint answered %d %s", status, http.StatusText(status)) + code}
	if hint := hints[status]; hint != "" {
		f.why += " (" + hint + ")"
	}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		f.again = true
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		f.void = true
	}
	return f
}

// hints say where to look first.
var hints = map[int]string{
	http.StatusBadRequest:       "look at model, max_tokens and temperature, or the conversation is too long for the model: lower history",
	http.StatusUnauthorized:     "look at api_key",
	http.StatusPaymentRequired:  "the account there has no money left",
	http.StatusForbidden:        "look at api_key, and what it is allowed",
	http.StatusNotFound:         "look at base_url and model",
	http.StatusMethodNotAllowed: "look at base_url",
	http.StatusTooManyRequests:  "too many requests for the account there",
}

// token is what a program means for programs; sentences are not.
var token = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// code is the error's name where it has one.
func code(e *openai.APIError) string {
	name, _ := e.Code.(string)
	if name = cmp.Or(name, e.Type); token.MatchString(name) {
		return ": " + name
	}
	return ""
}

// cause is an error of the network without the request that it is about.
func cause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return label(err.Error(), 200)
}
