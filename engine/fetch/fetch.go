// Package fetch makes HTTP clients for addresses that came from outside: from a
// user's message, an operator's template, a platform's callback. They do not
// reach the machine's own network: the address that a name resolves to is
// checked when the connection is made, so that no name can change its mind in
// between.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// ErrPrivate refuses an address that lies in a private network.
var ErrPrivate = errors.New("the address is not a public one")

// maxRedirects is how often a client follows; each hop is checked like the first.
const maxRedirects = 3

// NewClient makes a client that connects to public addresses only, and to the
// hosts (names or addresses, without port) for which allow is true; nil allows
// none. Redirects are followed a few times and never from https to http. The
// environment's proxies are not used. Time limits come from the request's
// context; bodies are the caller's to bound.
func NewClient(allow func(host string) bool) *http.Client {
	d := &net.Dialer{Timeout: 10 * time.Second}
	guarded := &net.Dialer{Timeout: 10 * time.Second, Control: public}
	return &http.Client{
		Transport: canned{&http.Transport{
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				host, _, err := net.SplitHostPort(addr)
				if err != nil {
					return nil, err
				}
				if allow != nil && allow(host) {
					return d.DialContext(ctx, network, addr)
				}
				return guarded.DialContext(ctx, network, addr)
			},
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        30 * time.Second,
		}},
		CheckRedirect: follow,
	}
}

func follow(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return errors.New("too many redirects")
	case via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https":
		return errors.New("a redirect from https to http")
	}
	return nil
}

// public is asked with the address that is about to be connected to.
func public(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrPrivate, address)
	}
	if !Public(ap.Addr()) {
		return fmt.Errorf("%w: %s", ErrPrivate, ap.Addr())
	}
	return nil
}

// special are the networks besides those that netip knows: carriers' own,
// protocol assignments, documentation, benchmarks, reserved, and the ranges of
// IPv6 that lead to IPv4 addresses (RFC 6890, RFC 6052, RFC 3056).
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
)

func prefixes(all ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(all))
	for i, s := range all {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// Public tells whether the address is one of the public Internet.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
