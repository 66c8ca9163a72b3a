//go:build !unix

package wire

import "net"

// newPeek has no portable way to look at a socket without waiting.
func newPeek(net.Conn) (open func() bool) { return nil }
