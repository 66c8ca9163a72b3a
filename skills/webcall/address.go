package webcall

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"bot/skills/render"
)

// address is the url of a table. Who calls is decided by its text, and never by
// a value: scheme and host are written out, or the host is one of a list.
type address struct {
	scheme string
	host   string   // with its port, as written out; "" where it is a template
	allow  []string // what a host that is a template may come out as
	text   *render.Pieces
}

// actions are the templates in a text, more or less.
var actions = regexp.MustCompile(`(?s)\{\{.*?\}\}`)

// address reads url and allow.
func (b *builder) address(t *Table) *address {
	text := strings.TrimSpace(t.URL)
	if text == "" {
		unread := !b.Lacks(b.prefix, true) && len(b.given("method", "headers", "body", "json", "form", "timeout")) == 0 // no table at all
		if b.Lacks(b.at("url"), true) && !unread {
			b.wrong("url", `http needs the address to call (url = "https://erp.example.com/orders/{{.User}}")`)
		}
		return nil
	}
	a := &address{text: b.pieces("url", text, "urlquery")}
	if a.text == nil {
		return nil
	}
	scheme, rest, ok := strings.Cut(a.text.Head, "://")
	a.scheme = strings.ToLower(scheme)
	bare := actions.ReplaceAllString(text, "x")
	switch {
	case !ok || a.scheme != "http" && a.scheme != "https":
		b.wrong("url", `an address begins with http:// or https:// and its host (url = "https://erp.example.com/…")`)
		return nil
	case strings.ContainsFunc(bare, control):
		b.wrong("url", "an address is one line, without control characters")
	case strings.Contains(bare, "#"):
		b.wrong("url", "what stands behind a # is never sent (leave it out, or write %%23)")
	}
	authority, _, _ := cutAny(bare[len(scheme)+len("://"):], "/?#")
	if strings.Contains(authority, "@") {
		b.wrong("url", `a name and a password have no place in an address (headers = {Authorization = "…"})`)
		return a
	}
	if host, _, ended := cutAny(rest, "/?#"); ended || a.text.Fixed {
		a.host = host
		b.writtenHost(a.host)
	} else {
		a.allow = t.Allow
		b.allowedHosts(t.Allow)
	}
	return a
}

// cutAny is strings.Cut at the first of several signs, which stays in after.
func cutAny(s, signs string) (before, after string, found bool) {
	if i := strings.IndexAny(s, signs); i >= 0 {
		return s[:i], s[i:], true
	}
	return s, "", false
}

// goodPort tells whether a port is one, or is left out.
func goodPort(port string) bool {
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && 0 < n && n < 1<<16
}

func (b *builder) writtenHost(host string) {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Hostname() == "" || u.Host != host || !goodPort(u.Port()) {
		b.wrong("url", `the address has no good host (url = "https://erp.example.com/…")`)
	}
	if b.has("allow") {
		b.wrong("allow", "allow is for a host that is a template; this one is written out, which allows it")
	}
}

func (b *builder) allowedHosts(allow []string) {
	if b.Lacks(b.at("allow"), len(allow) == 0) {
		b.wrong("url", `a value could change the host: write it out with a / behind it, or say which there are (allow = ["*.example.com"])`)
	}
	for i, pattern := range allow {
		if name := strings.TrimPrefix(pattern, "*."); !isName(name) || !strings.Contains(name, ".") {
			b.Problem(b.at("allow", i), `allow lists names of hosts, without port or path ("erp.example.com", or "*.example.com" for all below it)`)
		}
	}
}

// isName tells a host's name from an address in numbers and all else.
func isName(s string) bool {
	_, err := netip.ParseAddr(s)
	return err != nil && s != "" && !strings.ContainsFunc(s, notInName)
}

func notInName(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '.')
}

// allows tells whether a host that came out of a template is one of the list.
func (a *address) allows(host string) bool {
	for _, pattern := range a.allow {
		below, all := strings.CutPrefix(strings.ToLower(pattern), "*")
		if all && len(host) > len(below) && strings.HasSuffix(host, below) || !all && host == below {
			return true
		}
	}
	return false
}

// The refusals of an address. They hold nothing of it: values are people's, and
// the rest may hold a password.
var (
	errHost    = errors.New("the host came out as one that is not allowed")
	errSegment = errors.New("a part of the path came out empty or as a step up")
	errAddress = errors.New("the address came out bad")
	errLong    = errors.New("the address came out too long")
)

// maxAddress is what servers take of an address at most, in bytes.
const maxAddress = 8 << 10

// fill makes the address for an event.
func (a *address) fill(d *render.Data) (*url.URL, error) {
	pieces, err := a.text.Execute(d)
	if err != nil {
		return nil, err
	}
	w := writer{}
	w.out.WriteString(a.scheme + "://")
	pieces[0].Text = pieces[0].Text[len(a.scheme)+len("://"):] // it is in the head
	for _, p := range pieces {
		if p.Value {
			err = w.value(p.Text)
		} else {
			err = w.written(p.Text)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.endSegment(); err != nil {
		return nil, err
	}
	if w.out.Len() > maxAddress {
		return nil, errLong
	}
	u, err := url.Parse(w.out.String())
	switch {
	case err != nil || u.User != nil || u.Fragment != "" || u.Opaque != "":
		return nil, errAddress
	case a.host != "" && u.Host != a.host, a.host == "" && !a.allows(strings.ToLower(u.Hostname())):
		return nil, errHost
	}
	return u, nil
}

// place is where in an address a writer stands.
type place uint8

const (
	inHost place = iota
	inPath
	inQuery
)

// writer puts an address together. What the operator wrote moves it from place to
// place; a value stays where it stands.
type writer struct {
	out     strings.Builder
	at      place
	segment int  // where the segment of the path begins
	filled  bool // a value stands in it
}

func (w *writer) written(s string) error {
	for s != "" {
		signs := "/?"
		if w.at == inQuery {
			signs = ""
		}
		part, rest, ended := cutAny(s, signs)
		w.out.WriteString(encode(part))
		if !ended {
			return nil
		}
		if err := w.endSegment(); err != nil {
			return err
		}
		w.at = inPath
		if rest[0] == '?' {
			w.at = inQuery
		}
		w.out.WriteByte(rest[0])
		w.segment, w.filled = w.out.Len(), false
		s = rest[1:]
	}
	return nil
}

func (w *writer) value(s string) error {
	switch w.at {
	case inQuery:
		w.out.WriteString(url.QueryEscape(s))
		return nil
	case inPath:
		w.filled = true
		w.out.WriteString(url.PathEscape(s))
		return steps(s)
	}
	_, host, _ := strings.Cut(w.out.String(), "://")
	if strings.Contains(host, ":") || strings.ContainsFunc(s, notInName) { // a port is nobody's to choose
		return errHost
	}
	w.out.WriteString(strings.ToLower(s))
	return nil
}

// steps refuses a value that leads up for a server that takes %2F for a slash.
func steps(value string) error {
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return errSegment
		}
	}
	return nil
}

// endSegment refuses a segment that values made into none, or into a step up.
func (w *writer) endSegment() error {
	if w.at != inPath || !w.filled {
		return nil
	}
	switch s, err := url.PathUnescape(w.out.String()[w.segment:]); {
	case err != nil:
		return errAddress
	case s == "", s == ".", s == "..":
		return errSegment
	}
	return nil
}

// encode does for what the operator wrote what a browser does: what no address
// can hold is escaped, and all else stays as it is.
func encode(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func control(r rune) bool { return r < ' ' || r == 0x7f }
