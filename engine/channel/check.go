package channel

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// check finds what no request can be made of.
func (c *Call) check(method string) error {
	if !isToken(method) {
		return errors.New("the method is no word")
	}
	if err := CheckURL(c.URL); err != nil {
		return err
	}
	if c.From != nil && c.Size <= 0 {
		return errors.New("a body that is read from elsewhere needs its size")
	}
	return checkHeader(c.Header)
}

// CheckURL tells whether requests can go to the address.
func CheckURL(u *url.URL) error {
	switch {
	case u == nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return errors.New("not an http or https address")
	case u.User != nil:
		return errors.New("credentials do not belong in the address")
	case strings.ContainsFunc(u.Host, func(r rune) bool { return r >= 0x80 }):
		return errors.New("the host's name must be in its ASCII form (xn--)")
	}
	return nil
}

func checkHeader(h http.Header) error {
	for name, values := range h {
		if !isToken(name) {
			return fmt.Errorf("a header cannot be called %q", name)
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return fmt.Errorf("header %s holds a control character", name)
			}
		}
	}
	return nil
}

// isToken tells whether s is a word in the sense of HTTP.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
