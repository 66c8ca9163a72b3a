package webcall

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"bot/skills/render"
)

// idempotencyKey is the header that lets a service know a request again.
const idempotencyKey = "Idempotency-Key"

// header is one line of a request's head.
type header struct {
	name string
	text *render.Template
}

// reserved are the headers that are not the operator's to set, with the reason.
var reserved = map[string]string{
	"Host":              "the host is the one in url",
	"Content-Length":    "it follows from what is sent",
	"Transfer-Encoding": "it follows from what is sent",
	"Connection":        "it belongs to the connection",
	"Upgrade":           "it belongs to the connection",
	"Te":                "it belongs to the connection",
	"Trailer":           "it belongs to the connection",
	"Expect":            "it belongs to the connection",
	"Accept-Encoding":   "answers are unpacked in any case",
	idempotencyKey:      "every request that is not GET or HEAD carries one, made of its event",
}

func (b *builder) headers(table map[string]string) (all []header) {
	seen := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		canonical, key := http.CanonicalHeaderKey(name), b.at("headers", name)
		switch why := reserved[canonical]; {
		case !isToken(name):
			b.Problem(b.at("headers"), "%q is not a name for a header (letters, digits and -)", name)
			continue
		case why != "":
			b.Problem(key, "%s is not to be set: %s", canonical, why)
			continue
		case seen[canonical] != "":
			b.Problem(key, "%s is the same header as %s", name, seen[canonical])
			continue
		case strings.ContainsFunc(table[name], control):
			b.Problem(key, "a header is one line, without control characters")
			continue
		}
		seen[canonical] = name
		if t := b.text(key, table[name]); t != nil {
			all = append(all, header{canonical, t})
		}
	}
	return all
}

// isToken tells what RFC 9110 allows as a name.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// fillHeaders makes the head. A value cannot end its line: what breaks lines, and
// all other control characters, become spaces. A header that comes out empty is
// left out.
func (s *Service) fillHeaders(d *render.Data) (http.Header, error) {
	h := make(http.Header, len(s.headers)+3)
	for _, line := range s.headers {
		v, err := line.text.Execute(d)
		if err != nil {
			return nil, err
		}
		v = strings.TrimSpace(strings.Map(func(r rune) rune {
			if control(r) {
				return ' '
			}
			return r
		}, v))
		if v != "" {
			h.Set(line.name, v)
		}
	}
	return h, nil
}
