//go:build unix

package wire

import (
	"net"
	"syscall"
)

// newPeek makes the function that looks whether the socket is open and has
// nothing to be read, or nil if the connection has no socket to look at. It
// may take a byte away: such a connection is not used any more.
func newPeek(c net.Conn) (open func() bool) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	var one [1]byte
	var empty bool
	look := func(fd uintptr) { // of a Go connection, so it does not block
		_, err := syscall.Read(int(fd), one[:])
		empty = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
	}
	return func() bool {
		empty = false
		return raw.Control(look) == nil && empty
	}
}
