package config

import (
	"strconv"
	"strings"
)

// The parts of a text below its structure: names, strings and what lies between.

// name reads one part of a key: bare, "quoted" or 'quoted'.
func (s *scanner) name() (string, bool) {
	start := s.pos
	if quote := s.peek(); quote == '"' || quote == '\'' {
		if !s.quoted(quote) {
			return "", false
		}
		inner := s.text[start+1 : s.pos-1]
		if quote == '"' {
			inner = unescape(inner)
		}
		return inner, true
	}
	for s.pos < len(s.text) && isBare(s.text[s.pos]) {
		s.pos++
	}
	return s.text[start:s.pos], s.pos > start
}

// quoted walks a string of one line, in either kind of quotes.
func (s *scanner) quoted(quote byte) bool {
	for s.pos++; s.pos < len(s.text) && s.text[s.pos] != '\n'; s.pos++ {
		switch s.text[s.pos] {
		case quote:
			s.pos++
			return true
		case '\\':
			if quote == '"' {
				s.pos++
			}
		}
	}
	return false
}

// multiline walks a string in triple quotes. Of a longer run of quotes the
// last three close it.
func (s *scanner) multiline(quote byte) bool {
	for s.pos += 3; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			if quote == '"' {
				s.pos++
			}
		case quote:
			run := s.pos
			for s.peek() == quote {
				s.pos++
			}
			if s.pos-run >= 3 {
				return true
			}
			s.pos--
		}
	}
	return false
}

// blank skips spaces, line ends and comments.
func (s *scanner) blank() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\n':
			s.pos++
		case '#':
			s.comment()
		default:
			return
		}
	}
}

func (s *scanner) lineEnd() bool {
	s.spaces()
	if s.peek() == '#' {
		s.comment()
	}
	return s.pos == len(s.text) || s.take('\n')
}

func (s *scanner) comment() {
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		s.pos++
	}
}

func (s *scanner) spaces() {
	for s.pos < len(s.text) && (s.text[s.pos] == ' ' || s.text[s.pos] == '\t') {
		s.pos++
	}
}

// peek is the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) take(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// unescape reads the escapes of a "quoted" key. Those that TOML does not know
// are left as they are; the TOML library refuses them.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		r, n := escaped(s[i+1:])
		b.WriteRune(r)
		i += 1 + n
	}
	return b.String()
}

// escaped reads what follows a backslash: the character, and how many bytes
// stood for it.
func escaped(s string) (rune, int) {
	if i := strings.IndexByte(`btnfre"\`, s[0]); i >= 0 {
		return rune("\b\t\n\f\r\x1b\"\\"[i]), 1
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if digits > 0 && len(s) > digits {
		if r, err := strconv.ParseUint(s[1:1+digits], 16, 32); err == nil {
			return rune(r), 1 + digits
		}
	}
	return '\\', 0
}
