package ingress

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// maxIdleBody is the largest buffer that is kept for the next callback.
const maxIdleBody = 64 << 10

// outcome is how an event, or a request without any, left the door.
type outcome string

const (
	queued    outcome = Queued
	duplicate outcome = Duplicate
	refused   outcome = Refused
	answered  outcome = "answered" // there was nothing to be queued
)

// What Options.Seen is told.
const (
	Queued    = "queued"
	Duplicate = "duplicate"
	Refused   = "refused"
)

type fate struct {
	outcome outcome
	reason  string // of a refusal
}

// callback is one request on its way through the door.
type callback struct {
	in      *Ingress
	route   *route
	http    *http.Request
	start   time.Time
	body    bytes.Buffer
	limit   io.LimitedReader
	request channel.Request

	receipt channel.Receipt
	fates   []fate          // of the receipt's events, one each
	fresh   []*engine.Event // those to be queued
	at      []int           // their places in the receipt
	window  time.Duration   // theirs

	refused string // reason, where there are no events to bear it
	err     error  // the details, for the log
	broken  bool   // something panicked: whatever it held is not used again
}

// step does one thing to a callback; an answer ends it there.
type step func(c *callback) *channel.Answer

// everyStep is the way of a callback.
var everyStep = []step{
	(*callback).read, (*callback).receive, (*callback).sift, (*callback).press, (*callback).append, (*callback).ring,
}

// wrongMethod is the way of a request that only has the right path.
var wrongMethod = []step{
	func(c *callback) *channel.Answer { return c.refuse("method", method) },
}

// What is answered to that which no Receiver answers.
var (
	method   = plain(http.StatusMethodNotAllowed, "method not allowed")
	tooLarge = plain(http.StatusRequestEntityTooLarge, "too large")
	tooSlow  = plain(http.StatusRequestTimeout, "too slow")
	cutOff   = plain(http.StatusBadRequest, "cut off")
	busy     = plain(http.StatusServiceUnavailable, "busy")
	failed   = plain(http.StatusInternalServerError, "error")
)

func plain(status int, text string) channel.Answer {
	return channel.Answer{Status: status, ContentType: "text/plain; charset=utf-8", Body: []byte(text)}
}

func (i *Ingress) begin(r *http.Request, rt *route) *callback {
	c, ok := i.idle.Get().(*callback)
	if !ok {
		c = &callback{in: i}
	}
	c.route, c.http, c.start = rt, r, time.Now()
	return c
}

// end keeps the buffers for the next callback and lets go of everything else.
func (i *Ingress) end(c *callback) {
	if c.broken {
		return
	}
	body, fates, fresh, at := c.body, c.fates[:0], c.fresh, c.at[:0]
	clear(fresh)
	if body.Cap() > maxIdleBody {
		body = bytes.Buffer{}
	}
	body.Reset()
	*c = callback{in: i, body: body, fates: fates, fresh: fresh[:0], at: at}
	i.idle.Put(c)
}

// decide takes the steps until one answers. A panic in any of them is this
// request's alone.
func (c *callback) decide(steps []step) (answer channel.Answer) {
	defer func() {
		if p := recover(); p != nil {
			c.broken = true
			c.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			answer = *c.refuse("panic", failed)
		}
	}()
	for _, step := range steps {
		if a := step(c); a != nil {
			return *a
		}
	}
	c.receipt.Answer.Status = cmp.Or(c.receipt.Answer.Status, http.StatusOK)
	return c.receipt.Answer
}

// refuse gives every event that has no fate yet this one, or the request if
// there are no events.
func (c *callback) refuse(reason string, a channel.Answer) *channel.Answer {
	c.refused = reason
	for n := range c.fates {
		if c.fates[n].outcome == "" {
			c.fates[n] = fate{refused, reason}
		}
	}
	return &a
}

// read takes in the body. A length that is announced too large is not waited
// for; one that is announced at all is not believed before it has come.
func (c *callback) read() *channel.Answer {
	maxBody := c.in.o.MaxBody
	if c.http.ContentLength > maxBody {
		return c.refuse("size", tooLarge)
	}
	if n := c.http.ContentLength; n > 0 {
		c.body.Grow(int(min(n+bytes.MinRead, maxIdleBody)))
	}
	c.limit = io.LimitedReader{R: c.http.Body, N: maxBody + 1}
	_, err := c.body.ReadFrom(&c.limit)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return c.refuse("slow", tooSlow)
	case err != nil:
		c.err = err
		return c.refuse("cut_off", cutOff)
	case int64(c.body.Len()) > maxBody:
		return c.refuse("size", tooLarge)
	}
	return nil
}

// receive lets the channel verify and read the request.
func (c *callback) receive() *channel.Answer {
	r := c.http
	c.request = channel.Request{
		Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: c.body.Bytes(), Now: c.in.o.Now(),
	}
	if r.URL.RawQuery != "" {
		c.request.Query = r.URL.Query()
	}
	receipt, err := c.route.Receiver.Receive(&c.request)
	if refusal, ok := errors.AsType[*channel.Refusal](err); ok {
		c.err = refusal
		refusal.Answer.Status = cmp.Or(refusal.Answer.Status, http.StatusBadRequest)
		return c.refuse(refusal.Reason, refusal.Answer)
	}
	if err != nil {
		c.err = err
		return c.refuse("receiver", failed)
	}
	c.receipt = receipt
	for range receipt.Events {
		c.fates = append(c.fates, fate{})
	}
	return nil
}

// sift finds out which events are to be queued. Duplicates come first: they
// are answered like the first time even if they would not be welcome now.
func (c *callback) sift() *channel.Answer {
	for n, e := range c.receipt.Events {
		policy, ours := c.route.Accounts[e.Account]
		if !ours {
			c.fates[n] = fate{refused, "account"}
			continue
		}
		seen, err := c.in.o.Inbox.Seen(e.Key(), policy.Window)
		if err != nil {
			return c.fail(fmt.Errorf("look up event: %w", err))
		}
		if seen {
			c.fates[n] = fate{outcome: duplicate}
		} else if reason := policy.Unwelcome(e, c.request.Now, c.in.o.Admit); reason != "" {
			c.fates[n] = fate{refused, reason}
		} else {
			c.fresh, c.at = append(c.fresh, e), append(c.at, n)
			c.window = max(c.window, policy.Window)
		}
	}
	return nil
}

// press refuses what there is no room or no time for.
func (c *callback) press() *channel.Answer {
	if len(c.fresh) == 0 {
		return nil
	}
	o := &c.in.o
	if limit := ask(o.MaxBacklog); limit > 0 && c.comesBack() && ask(o.Backlog) >= limit {
		return c.refuse("backlog", busy)
	}
	if limit := ask(o.MaxCommitWait); limit > 0 && o.Inbox.CommitWait() > limit {
		return c.refuse("commit_wait", busy)
	}
	return nil
}

func ask[T any](f func() T) (v T) {
	if f != nil {
		v = f()
	}
	return v
}

// comesBack tells whether all of it will be sent again if it is refused now.
func (c *callback) comesBack() bool {
	for _, e := range c.fresh {
		if !c.route.Accounts[e.Account].ComesBack {
			return false
		}
	}
	return true
}

// append makes the fresh events durable, all or none. It does not give up when
// the client has gone: the outcome must be known to be counted, and a repeat
// will find what was stored.
func (c *callback) append() *channel.Answer {
	if len(c.fresh) == 0 {
		return nil
	}
	done, err := c.in.o.Inbox.Append(context.Background(), c.fresh, c.window)
	if err != nil {
		return c.fail(fmt.Errorf("append events: %w", err))
	}
	for k, n := range c.at {
		c.fates[n] = fate{outcome: queued}
		if done.Duplicate[k] {
			c.fates[n].outcome = duplicate
		}
	}
	return nil
}

// ring makes the doorbells durable. An event of the same callback that is
// stored already meets its repeat as a duplicate, should this fail.
func (c *callback) ring() *channel.Answer {
	if len(c.receipt.Doorbells) == 0 {
		return nil
	}
	if err := c.in.o.Ring(context.Background(), c.receipt.Doorbells); err != nil {
		return c.fail(fmt.Errorf("ring: %w", err))
	}
	return nil
}

func (c *callback) fail(err error) *channel.Answer {
	c.err = err
	reason, answer := storeReason(err)
	return c.refuse(reason, answer)
}
