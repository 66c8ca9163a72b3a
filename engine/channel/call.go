package channel

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"bot/engine/channel/wire"
	"bot/engine/retryafter"
)

// MaxReply is how much of a platform's answer is read, and MaxLongReply how
// much of one to a call made with LongReplies.
const (
	MaxReply     = 64 << 10
	MaxLongReply = 16 << 20
)

type longReplies struct{}

// LongReplies lets the calls made with the context read answers that are as long
// as lists are: for operators' look-ups and pulled pages, of which there are few
// at a time.
func LongReplies(ctx context.Context) context.Context {
	return context.WithValue(ctx, longReplies{}, true)
}

func maxReply(ctx context.Context) int {
	if ctx.Value(longReplies{}) != nil {
		return MaxLongReply
	}
	return MaxReply
}

// Call is one request to a platform, and what must be known to report on it.
type Call struct {
	Method string // "" = POST
	URL    *url.URL
	Header http.Header
	Body   []byte
	// From is the body in Body's place where that is too large to hold, and Size
	// its length in bytes, which must be right. It is read once, by Do.
	From io.Reader
	Size int64
	// Repeats: to make the call again does no harm, since the platform recognises
	// a repeat. A failure of its server then leaves nothing in doubt.
	Repeats bool
	// Secrets never appear in an error of this call, whoever's words it quotes.
	Secrets []string
	Now     func() time.Time // for Retry-After; nil = time.Now
}

// Reply is a complete answer with a status of 2xx.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // at most MaxReply, or MaxLongReply
	Cut    bool   // there was more
}

// Do makes the call, at most once, and sorts what came of it. The error is
// always a *SendError:
//
//	the request itself is impossible               Permanent
//	no connection: DNS, refused, TLS, time-out     Unreachable
//	a connection, but the request was not written  Transient
//	ctx was cancelled before it was written        Transient
//	written, no complete answer: reset, time-out   Unsure
//	3xx                                            Permanent, not followed
//	401, 403                                       Credential
//	408, 425                                       Transient
//	429; 503 with Retry-After                      Throttled
//	503 without                                    Transient: said by those who did not begin
//	any other 5xx                                  Unsure, with Repeats Transient
//	any other status below 200 or from 400         Permanent
//
// A request counts as written once a byte of it was handed to the network,
// even if nothing can be proved to have left the machine: what may have
// happened is never reported as what did not. The client's transport says so
// by a *wire.NotSentError; one that never does proves nothing.
//
// Only the transport of client is used. What a client does besides (redirects,
// cookies, a time limit) is not wanted here: it may send more than one request.
//
// An adapter that finds a failure inside a 2xx body reports it with Fail.
func (c *Call) Do(ctx context.Context, client *http.Client) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, c.Fail(Transient, 0, "not begun: "+err.Error())
	}
	req, err := c.request(ctx)
	if err != nil {
		return Reply{}, c.Fail(Permanent, 0, "bad request: "+err.Error())
	}
	resp, err := transport(client).RoundTrip(req)
	if err != nil {
		return Reply{}, c.Fail(lost(ctx, err), 0, err.Error())
	}
	defer resp.Body.Close()
	reply := Reply{Status: resp.StatusCode, Header: resp.Header}
	reply.Body, reply.Cut, err = read(resp.Body, maxReply(ctx))
	if resp.StatusCode/100 != 2 {
		return Reply{}, c.refused(reply)
	}
	if err != nil {
		return Reply{}, c.Fail(Unsure, resp.StatusCode, "answer broke off: "+err.Error())
	}
	return reply, nil
}

func transport(client *http.Client) http.RoundTripper {
	if client.Transport == nil {
		return http.DefaultTransport
	}
	return client.Transport
}

// lost sorts a request that brought no answer.
func lost(ctx context.Context, err error) Class {
	unsent, ok := errors.AsType[*wire.NotSentError](err)
	switch {
	case !ok:
		return Unsure
	case unsent.Connected, errors.Is(ctx.Err(), context.Canceled):
		return Transient
	default:
		return Unreachable
	}
}

// read reads the answer's body, as far as it is wanted.
func read(from io.Reader, limit int) (body []byte, cut bool, err error) {
	body, err = io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if len(body) > limit {
		return body[:limit], true, err
	}
	return body, false, err
}

// request builds the request so that no transport will send it twice by
// itself. net/http's replays a POST that has an Idempotency-Key when a
// kept-alive connection breaks, unless there is a body that it cannot rewind;
// the replay would escape the attempt mark. Only GET and HEAD may go without
// that guard.
func (c *Call) request(ctx context.Context) (*http.Request, error) {
	method := cmp.Or(c.Method, http.MethodPost)
	if err := c.check(method); err != nil {
		return nil, err
	}
	req := &http.Request{
		Method: method, URL: c.URL, Host: c.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: c.Header,
	}
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	switch {
	case c.From != nil:
		req.Body, req.ContentLength = io.NopCloser(c.From), c.Size
	case len(c.Body) > 0 || method != http.MethodGet && method != http.MethodHead:
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(c.Body)), int64(len(c.Body))
	}
	return req.WithContext(ctx), nil
}

// refused sorts an answer outside 2xx.
func (c *Call) refused(r Reply) *SendError {
	class := Permanent
	wait, asked := retryafter.Read(r.Header, c.now())
	switch {
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		class = Credential
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusServiceUnavailable && asked:
		class = Throttled
	case r.Status == http.StatusRequestTimeout, r.Status == http.StatusTooEarly, r.Status == http.StatusServiceUnavailable:
		class = Transient
	case r.Status >= 500 && c.Repeats:
		class = Transient
	case r.Status >= 500: // a gateway's 502 or 504 may stand before a server that has just acted
		class = Unsure
	}
	note := string(r.Body)
	if r.Status/100 == 3 {
		note = "redirects are not followed"
	}
	e := c.Fail(class, r.Status, note)
	if class == Throttled && asked {
		e.Until = c.now().Add(wait)
	}
	return e
}

// Fail makes a SendError whose note is bounded, on one line and free of the
// call's secrets.
func (c *Call) Fail(class Class, status int, note string) *SendError {
	return &SendError{Class: class, Status: status, Note: c.note(note)}
}

// Denied makes the SendError of a failure that the body of a 2xx answer tells.
// What is Throttled waits as long as the answer asks (Retry-After), else for
// rest, or where that is 0 as the engine sees fit.
func (c *Call) Denied(class Class, r *Reply, note string, rest time.Duration) *SendError {
	e := c.Fail(class, r.Status, note)
	if class != Throttled {
		return e
	}
	if wait, asked := retryafter.Read(r.Header, c.now()); asked {
		e.Until = c.now().Add(wait)
	} else if rest > 0 {
		e.Until = c.now().Add(rest)
	}
	return e
}

func (c *Call) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Harmless reports the failure of what nobody sees when it is done twice, such
// as a look-up: no doubt is left about it, and it can be tried again.
func Harmless(err error) error {
	if e, ok := errors.AsType[*SendError](err); ok && e.Class == Unsure {
		e.Class = Transient
	}
	return err
}
