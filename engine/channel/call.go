package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// MaxReply is how much of a platform's answer is read.
const MaxReply = 64 << 10

// Call is one request to a platform, and what must be known to report on it.
type Call struct {
	Method string // "" = POST
	URL    string
	Header http.Header
	Body   []byte
	// Secrets never appear in an error of this call, whoever's words it quotes.
	Secrets []string
	Now     func() time.Time // for Retry-After; nil = time.Now
}

// Reply is a complete answer with a status of 2xx.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // at most MaxReply
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
//	408, 425, 5xx                                  Transient
//	429; 503 with Retry-After                      Throttled
//	any other status below 200 or from 400         Permanent
//
// A request counts as written when its headers have been handed to the
// connection, even if they cannot be proved to have left the machine: what may
// have happened is never reported as what did not.
//
// An adapter that finds a failure inside a 2xx body reports it with Fail.
func (c *Call) Do(ctx context.Context, client *http.Client) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, c.Fail(Transient, 0, "not begun: "+err.Error())
	}
	var w wire
	req, err := c.request(httptrace.WithClientTrace(ctx, w.trace()))
	if err != nil {
		return Reply{}, c.Fail(Permanent, 0, "bad request: "+cause(err))
	}
	once := *client
	once.CheckRedirect = stay
	resp, err := once.Do(req)
	if err != nil {
		return Reply{}, c.Fail(w.class(ctx), 0, cause(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxReply+1))
	reply := Reply{Status: resp.StatusCode, Header: resp.Header, Body: body}
	if len(body) > MaxReply {
		reply.Body, reply.Cut = body[:MaxReply], true
	}
	if resp.StatusCode/100 != 2 {
		return Reply{}, c.refused(reply)
	}
	if err != nil {
		return Reply{}, c.Fail(Unsure, resp.StatusCode, "answer broke off: "+cause(err))
	}
	return reply, nil
}

// request builds the request so that net/http will not send it twice by
// itself. It replays a POST that has an Idempotency-Key when a kept-alive
// connection breaks, unless there is a body that it cannot rewind; the replay
// would escape the attempt mark. Only GET and HEAD may go without that guard.
func (c *Call) request(ctx context.Context) (*http.Request, error) {
	method := c.Method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL, nil)
	if err != nil {
		return nil, err
	}
	if (req.URL.Scheme != "http" && req.URL.Scheme != "https") || req.URL.Host == "" {
		return nil, errors.New("not an http or https address")
	}
	for name, values := range c.Header {
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return nil, fmt.Errorf("header %s holds a control character", name)
			}
		}
		req.Header[name] = values
	}
	if len(c.Body) > 0 || method != http.MethodGet && method != http.MethodHead {
		req.Body = io.NopCloser(bytes.NewReader(c.Body))
		req.ContentLength = int64(len(c.Body))
		req.GetBody = nil
	}
	return req, nil
}

// refused sorts an answer outside 2xx.
func (c *Call) refused(r Reply) *SendError {
	class := Permanent
	until, asked := RetryAfter(r.Header, c.now())
	switch {
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		class = Credential
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusServiceUnavailable && asked:
		class = Throttled
	case r.Status == http.StatusRequestTimeout, r.Status == http.StatusTooEarly, r.Status >= 500:
		class = Transient
	}
	note := string(r.Body)
	if r.Status/100 == 3 {
		note = "redirects are not followed"
	}
	e := c.Fail(class, r.Status, note)
	if class == Throttled {
		e.Until = until
	}
	return e
}

// Fail makes a SendError whose note is bounded, on one line and free of the
// call's secrets.
func (c *Call) Fail(class Class, status int, note string) *SendError {
	return &SendError{Class: class, Status: status, Note: c.note(note)}
}

func (c *Call) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// cause drops the address that net/http puts before its errors: it may carry a
// token in its query, and it says nothing the account's name does not say.
func cause(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return err.Error()
}

// wire is how far a request got. The transport reports from goroutines of its
// own. It closes the connection before it gives up on a request, so that
// nothing can be written any more once its error is out.
type wire struct{ asked, connected, wrote atomic.Bool }

func (w *wire) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:      func(string) { w.asked.Store(true) },
		GotConn:      func(httptrace.GotConnInfo) { w.connected.Store(true) },
		WroteHeaders: func() { w.wrote.Store(true) },
	}
}

func (w *wire) class(ctx context.Context) Class {
	switch {
	case w.wrote.Load(), !w.asked.Load(): // a transport that reports nothing proves nothing
		return Unsure
	case w.connected.Load(), errors.Is(ctx.Err(), context.Canceled):
		return Transient
	default:
		return Unreachable
	}
}
