package channel

import (
	"net"
	"net/http"
	"time"
)

// NewClient makes the HTTP client that an engine's senders share. Time limits
// of a request come from its context. The environment's proxies are not used:
// what leaves for a platform goes where the configuration says.
//
// It speaks HTTP/1.1 only. On one HTTP/2 connection the loss of that
// connection would put every request in flight in doubt at once.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Client{
		CheckRedirect: stay,
		Transport: &http.Transport{
			DialContext:         dialer.DialContext,
			TLSHandshakeTimeout: 5 * time.Second,
			MaxIdleConnsPerHost: 64,
			// Shorter than what most gateways keep, so that it is rarely they
			// who close a connection we are about to use.
			IdleConnTimeout: 30 * time.Second,
			// Sizes are bounded after decompression otherwise.
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
			Protocols:              &protocols,
		},
	}
}

// stay answers a redirect with the redirect itself. Following one would send
// the request a second time, to an address nobody configured.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
