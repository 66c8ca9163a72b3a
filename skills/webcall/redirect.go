package webcall

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// errRedirect refuses to follow where an answer sends to.
var errRedirect = errors.New("the answer sends to an address that is not followed")

// newClient makes the client of the service. The host that the configuration
// writes out is allowed by that, wherever it lies.
func (s *Service) newClient(fetch func(allow func(host string) bool) *http.Client) *http.Client {
	var allow func(string) bool
	if s.address != nil && s.address.host != "" {
		own := (&url.URL{Host: s.address.host}).Hostname()
		allow = func(host string) bool { return strings.EqualFold(host, own) }
	}
	c := *fetch(allow)
	common := c.CheckRedirect
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if err := s.follow(r, via[0]); err != nil || common == nil {
			return err
		}
		if err := common(r, via); err != nil {
			return fmt.Errorf("%w: %w", errRedirect, err)
		}
		return nil
	}
	return &c
}

// follow judges a redirect of the first request. Only what asks is sent
// elsewhere. Whoever is not the host that was called gets no header of the table,
// which may hold a password, and a host that is private is not a way to the others
// that listen there.
func (s *Service) follow(r, first *http.Request) error {
	if !safe(first.Method) {
		return http.ErrUseLastResponse
	}
	r.Header.Del("Referer") // the query of an address may hold a password
	if r.URL.User != nil {
		return errRedirect
	}
	if sameServer(first.URL, r.URL) {
		return nil
	}
	if strings.EqualFold(r.URL.Hostname(), first.URL.Hostname()) {
		return errRedirect
	}
	for _, line := range s.headers {
		r.Header.Del(line.name)
	}
	return nil
}

// sameServer tells whether both addresses are of one host and port, or the second
// is the first's secure twin.
func sameServer(a, b *url.URL) bool {
	if !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	return port(a) == port(b) || port(a) == "80" && port(b) == "443" && b.Scheme == "https"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
