package loadtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"
)

// client is one kept-alive HTTP/1.1 connection that posts prebuilt requests.
// It knows just enough of the protocol to find the end of an answer: a real
// client would take more CPU than the server it measures.
type client struct {
	conn   net.Conn
	r      *bufio.Reader
	within time.Duration // of each answer
}

// answerWithin bounds one request, so that a server that hangs ends the run
// with an error instead of holding it up.
const answerWithin = 30 * time.Second

func dial(ctx context.Context, addr string, within time.Duration) (*client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReader(conn), within}, nil
}

func (c *client) close() error { return c.conn.Close() }

// post writes the request and reads the whole answer. After an error the
// connection is of no use any more.
func (c *client) post(request []byte) (status int, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(c.within)); err != nil {
		return 0, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	line, err := c.line()
	if err != nil {
		return 0, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return 0, fmt.Errorf("not an HTTP answer: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, fmt.Errorf("not an HTTP status: %q", line)
	}
	length, err := c.header()
	if err != nil {
		return 0, err
	}
	_, err = c.r.Discard(length)
	return status, err
}

// header reads up to the empty line and returns the length of the body.
func (c *client) header() (length int, err error) {
	length = -1
	for {
		line, err := c.line()
		if err != nil {
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		if v, ok := headerValue(line, "Content-Length"); ok {
			if length, err = strconv.Atoi(string(v)); err != nil {
				return 0, fmt.Errorf("bad length: %q", line)
			}
		}
	}
	if length < 0 {
		return 0, errors.New("the answer does not say how long it is")
	}
	return length, nil
}

func (c *client) line() ([]byte, error) { return readLine(c.r) }

// readLine returns a line without its end; it is valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// headerValue returns the value when the line is the header of that name.
func headerValue(line []byte, name string) ([]byte, bool) {
	n := len(name)
	if len(line) <= n || line[n] != ':' || !bytes.EqualFold(line[:n], []byte(name)) {
		return nil, false
	}
	return bytes.TrimSpace(line[n+1:]), true
}
