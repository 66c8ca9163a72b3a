package channel

import (
	"net/http"
	"net/url"

	"bot/engine/channel/wire"
)

// NewClient makes the HTTP client that an engine's senders share. Time limits
// of a request come from its context. The environment's proxies are not used:
// what leaves for a platform goes where the configuration says.
//
// It speaks HTTP/1.1 only. On one HTTP/2 connection the loss of that
// connection would put every request in flight in doubt at once.
func NewClient() *http.Client {
	return &http.Client{CheckRedirect: stay, Transport: &wire.Transport{}}
}

// NewClientThrough makes such a client whose requests all go by way of an HTTP
// proxy.
func NewClientThrough(proxy *url.URL) *http.Client {
	return &http.Client{CheckRedirect: stay, Transport: &wire.Transport{DialContext: wire.Through(proxy)}}
}

// stay answers a redirect with the redirect itself. Following one would send
// the request a second time, to an address nobody configured.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
