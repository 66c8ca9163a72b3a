package risk

import (
	"bytes"
	"strconv"
	"strings"
)

// endings are the last parts of host names that make a link without a scheme.
// Those that are also ordinary words, or endings of files, are left out: they
// need a path behind them ("t.me/x").
var endings = func() map[string]bool {
	m := make(map[string]bool)
	for _, e := range strings.Fields(`com net org edu gov cn hk tw mo cc tv io co ai app dev top xyz vip shop club
		online site info biz ltd store icu link click tech cloud ink ren xin fans bid loan mobi asia cyou sbs
		buzz uk jp kr ru fr ly gd ws pw sg eu tk ml gq`) {
		m[e] = true
	}
	return m
}()

// hasLink looks for a link in a folded text: a scheme, www, a host with a known
// ending, a host with a path, or an IPv4 address with a port or a path. An
// address of e-mail is none.
func hasLink(s []byte) bool {
	for i, c := range s {
		switch {
		case c == ':' && i > 0 && letter(s[i-1]) && bytes.HasPrefix(s[i:], []byte("://")):
			return true
		case c == '.' && hostAround(s, i):
			return true
		}
	}
	return false
}

// hostAround tells whether the dot at i is the last, or the one behind www, of a
// host that makes a link.
func hostAround(s []byte, i int) bool {
	if i == 0 || !inHost(s[i-1]) {
		return false
	}
	begin := i
	for begin > 0 && (inHost(s[begin-1]) || s[begin-1] == '.') {
		begin--
	}
	end := i + 1
	for end < len(s) && inHost(s[end]) {
		end++
	}
	host, last := s[begin:end], s[i+1:end]
	switch {
	case len(last) == 0, begin > 0 && s[begin-1] == '@':
		return false
	case string(s[begin:i]) == "www":
		return true
	}
	next := byte(0)
	if end < len(s) {
		next = s[end]
	}
	switch {
	case next == '.' && end+1 < len(s) && inHost(s[end+1]): // a later dot is the last
		return false
	case endings[string(last)]:
		return true
	case next == '/' && len(last) >= 2 && allLetters(last):
		return true
	}
	return (next == ':' || next == '/') && isIPv4(host)
}

func isIPv4(host []byte) bool {
	parts := strings.Split(string(host), ".")
	for _, p := range parts {
		if _, err := strconv.ParseUint(p, 10, 8); err != nil {
			return false
		}
	}
	return len(parts) == 4
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' }

func inHost(c byte) bool { return letter(c) || '0' <= c && c <= '9' || c == '-' }

func allLetters(s []byte) bool {
	for _, c := range s {
		if !letter(c) {
			return false
		}
	}
	return true
}
