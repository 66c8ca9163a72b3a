package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"net/http"
	"os"
	"time"
)

var (
	errHeader  = errors.New("the head of the answer is longer than 64 KiB")
	errInterim = errors.New("too many informational answers")
)

// grace is how long a connection that takes no more is still read from.
const grace = 100 * time.Millisecond

// past is a deadline that ends whatever waits.
var past = time.Unix(1, 0)

// conn is a connection to a host. It belongs either to the pool or to one
// request.
type conn struct {
	host   host
	socket net.Conn // the connection itself
	stream net.Conn // what is spoken over: the socket, or TLS on it
	tls    *tls.ConnectionState
	open   func() bool // looks at the socket without waiting; nil = it cannot be done

	r      *bufio.Reader
	w      *bufio.Writer
	budget int64 // bytes that may still be read
	sent   bool  // something was handed to the network for this request
	broken bool  // the network took no more of it
	late   bool  // a deadline struck

	interrupt func()      // ends what is under way
	stop      func() bool // keeps the end of the request's context from interrupting

	idleSince time.Time
}

// newConn takes over a connection; secured is nil without TLS.
func newConn(to host, socket net.Conn, secured *tls.Conn) *conn {
	c := &conn{host: to, socket: socket, stream: socket, open: newPeek(socket)}
	if secured != nil {
		state := secured.ConnectionState()
		c.stream, c.tls = secured, &state
	}
	c.r, c.w = bufio.NewReader(reader{c}), bufio.NewWriter(writer{c})
	c.interrupt = func() { c.stream.SetDeadline(past) }
	return c
}

// begin puts the connection under the limits of a request.
func (c *conn) begin(ctx context.Context) {
	deadline, _ := ctx.Deadline()
	c.stream.SetDeadline(deadline)
	if ctx.Done() != nil {
		c.stop = context.AfterFunc(ctx, c.interrupt)
	}
}

// end takes the connection out of the limits of its request. It is false once
// they have struck, or are about to: who knows when the deadline would be set.
func (c *conn) end() bool {
	stop := c.stop
	c.stop = nil
	return stop == nil || stop()
}

// abandon closes the connection at once and without a farewell, which under
// TLS could have to wait.
func (c *conn) abandon() {
	c.end()
	c.socket.Close()
}

// close ends an idle connection in good order.
func (c *conn) close() { c.stream.Close() }

// exchange writes the request and reads the head of its answer.
func (c *conn) exchange(req *http.Request) (*http.Response, error) {
	if err := c.write(req); err != nil {
		return c.lastWords(req, err)
	}
	resp, err := c.answer(req)
	if err != nil {
		return nil, err
	}
	resp.TLS = c.tls
	return resp, nil
}

// lastWords reads what a server may have said before it closed the connection
// on a request that it had not read to the end. That lies here already.
func (c *conn) lastWords(req *http.Request, writeErr error) (*http.Response, error) {
	if !c.broken || c.late {
		return nil, writeErr // it was we who ended it
	}
	c.stream.SetReadDeadline(time.Now().Add(grace))
	resp, err := c.answer(req)
	if err != nil {
		c.late = false // that was no limit of the request's
		return nil, writeErr
	}
	resp.TLS, resp.Close = c.tls, true
	return resp, nil
}

// write sends the request. It is a *NotSentError that comes before its first
// byte; a context that ended by then still keeps it back.
func (c *conn) write(req *http.Request) error {
	c.sent, c.broken, c.late = false, false, false
	err := req.Write(c.w)
	if err == nil && !c.sent {
		err = context.Cause(req.Context())
	}
	switch {
	case err == nil:
		return c.w.Flush()
	case !c.sent:
		return &NotSentError{Connected: true, Err: err}
	default:
		return err
	}
}

// answer reads the head of the answer that counts.
func (c *conn) answer(req *http.Request) (*http.Response, error) {
	c.budget = maxHeader
	for range maxInterim + 1 {
		resp, err := http.ReadResponse(c.r, req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode/100 != 1 || resp.StatusCode == http.StatusSwitchingProtocols {
			c.budget = math.MaxInt64
			return resp, nil
		}
	}
	return nil, errInterim
}

// because names the end of the context as the cause of what it cut short. The
// error does not tell: net/http hides it behind what it makes of half a line.
func (c *conn) because(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case !c.late:
		return err
	case cause == nil:
		return context.DeadlineExceeded // the connection's clock was first
	default:
		return cause
	}
}

// reader is the connection as it is read: up to its budget.
type reader struct{ *conn }

func (r reader) Read(p []byte) (int, error) {
	if r.budget <= 0 {
		return 0, errHeader
	}
	n, err := r.stream.Read(p[:min(int64(len(p)), r.budget)])
	r.budget -= int64(n)
	if err != nil {
		r.late = errors.Is(err, os.ErrDeadlineExceeded)
	}
	return n, err
}

// writer is the connection as it is written: once anything was handed over,
// the request counts as sent, even if the network reports that it took nothing.
type writer struct{ *conn }

func (w writer) Write(p []byte) (int, error) {
	w.sent = true
	n, err := w.stream.Write(p)
	if err != nil {
		w.broken, w.late = true, errors.Is(err, os.ErrDeadlineExceeded)
	}
	return n, err
}
