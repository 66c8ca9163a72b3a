package wire

import (
	"errors"
	"net"
	"os"
	"time"
)

// blink is how long a connection is listened to that cannot be looked at.
const blink = time.Millisecond

// quiet tells whether an idle connection is still open and has nothing to say,
// since whatever a server says unasked would be taken for the answer to the
// next request. It cannot see what is still on its way.
//
// TLS may hold what has left the socket already, so that is asked first,
// without reading on. On the socket anything at all is too much: a farewell
// most of the time, and else (a session ticket that comes late) only the price
// of a handshake.
func (c *conn) quiet() bool {
	if c.open == nil {
		return silent(c.stream, time.Now().Add(blink))
	}
	if c.tls != nil && !silent(c.stream, past) {
		return false
	}
	return c.open()
}

// silent tells whether nothing can be read from the connection, neither a byte
// nor its end, until the given time; in the past it means what is buffered.
func silent(c net.Conn, until time.Time) bool {
	var one [1]byte
	c.SetReadDeadline(until)
	n, err := c.Read(one[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}
