package peers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
)

// redis is one connection that speaks RESP2. Commands are written to a buffer
// and answered in order, so that many of them cost one round trip. It belongs
// to one goroutine.
type redis struct {
	conn net.Conn
	r    *bufio.Reader
	w    *bufio.Writer
}

func dialRedis(ctx context.Context, addr string) (*redis, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("connect to redis: %w", err)
	}
	const buffer = 64 << 10
	return &redis{conn, bufio.NewReaderSize(conn, buffer), bufio.NewWriterSize(conn, buffer)}, nil
}

// send writes one command into the buffer. An error of the connection comes
// out of flush.
func (c *redis) send(args ...[]byte) {
	c.head('*', len(args))
	for _, a := range args {
		c.head('$', len(a))
		c.w.Write(a)
		c.w.WriteString("\r\n")
	}
}

func (c *redis) head(kind byte, n int) {
	c.w.WriteByte(kind)
	c.w.Write(strconv.AppendInt(c.w.AvailableBuffer(), int64(n), 10))
	c.w.WriteString("\r\n")
}

func (c *redis) flush() error { return c.w.Flush() }

// serverError is an answer of Redis that says no; the connection is fine.
type serverError string

func (e serverError) Error() string { return "redis: " + string(e) }

// reply reads one answer of those kinds that the commands used here have:
// status, error, integer, bulk string.
func (c *redis) reply() (string, error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("read from redis: %w", err)
	}
	if len(line) < 3 {
		return "", fmt.Errorf("read from redis: %q is no answer", line)
	}
	text := line[1 : len(line)-2]
	switch line[0] {
	case '+', ':':
		return text, nil
	case '-':
		return "", serverError(text)
	case '$':
		return c.bulk(text)
	}
	return "", fmt.Errorf("read from redis: unexpected answer %q", line)
}

func (c *redis) bulk(length string) (string, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 || n > maxBody {
		return "", fmt.Errorf("read from redis: a string of length %q", length)
	}
	b := make([]byte, n+2)
	if _, err := io.ReadFull(c.r, b); err != nil {
		return "", fmt.Errorf("read from redis: %w", err)
	}
	return string(b[:n]), nil
}
