package generic

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// maxDepth is how deep a callback's values may nest. Nothing that is read here
// lies below the first level.
const maxDepth = 64

// What a body that is not taken is not. A syntax error is not located: the
// message goes to a log that must not quote the body.
var (
	errSyntax = errors.New("not JSON")
	errObject = errors.New("not a JSON object")
	errDeep   = errors.New("JSON nested too deep")
	errUTF8   = errors.New("not UTF-8")
)

// scan checks the whole of data, in one pass and without recursion beyond
// maxDepth, and returns the members of interest. It takes what encoding/json
// takes, as far as that is UTF-8, an object and not too deep.
func scan(data []byte) (body, error) {
	if !utf8.Valid(data) {
		return body{}, errUTF8
	}
	var b body
	s := scanner{data: data}
	s.space()
	if s.peek() != '{' {
		return body{}, errObject
	}
	if err := s.object(1, &b); err != nil {
		return body{}, err
	}
	s.space()
	if s.at != len(data) {
		return body{}, errSyntax
	}
	return b, nil
}

type scanner struct {
	data []byte
	at   int
}

// peek returns the next byte, 0 at the end; a 0 in the text is no valid token either.
func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// skip steps over c if it comes next, with the space around it.
func (s *scanner) skip(c byte) bool {
	s.space()
	if s.peek() != c {
		return false
	}
	s.at++
	s.space()
	return true
}

// object steps over an object and, where into is given, hands it the members.
func (s *scanner) object(depth int, into *body) error {
	s.at++ // {
	if s.space(); s.peek() == '}' {
		return s.close('}')
	}
	for {
		start := s.at
		if err := s.str(); err != nil {
			return err
		}
		name := s.data[start:s.at]
		if !s.skip(':') {
			return errSyntax
		}
		start = s.at
		if err := s.value(depth); err != nil {
			return err
		}
		if into != nil {
			into.set(unquoted(name), s.data[start:s.at])
		}
		if !s.skip(',') {
			return s.close('}')
		}
	}
}

func (s *scanner) array(depth int) error {
	s.at++ // [
	if s.space(); s.peek() == ']' {
		return s.close(']')
	}
	for {
		if err := s.value(depth); err != nil {
			return err
		}
		if !s.skip(',') {
			return s.close(']')
		}
	}
}

// close steps over the end of a list, and leaves the space after it, which is
// no part of the value.
func (s *scanner) close(c byte) error {
	if s.peek() != c {
		return errSyntax
	}
	s.at++
	return nil
}

// value steps over any value; depth is that of the value around it.
func (s *scanner) value(depth int) error {
	switch c := s.peek(); {
	case c == '"':
		return s.str()
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == '{' || c == '[':
		if depth == maxDepth {
			return errDeep
		}
		if c == '{' {
			return s.object(depth+1, nil)
		}
		return s.array(depth + 1)
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	default:
		return s.literal("null")
	}
}

func (s *scanner) literal(word string) error {
	if !bytes.HasPrefix(s.data[s.at:], []byte(word)) {
		return errSyntax
	}
	s.at += len(word)
	return nil
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return errSyntax
	}
	if s.peek() == '.' {
		s.at++
		if !s.digits() {
			return errSyntax
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return errSyntax
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > start
}

// str steps over a string, quotes included.
func (s *scanner) str() error {
	if s.peek() != '"' {
		return errSyntax
	}
	for s.at++; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return nil
		case c < ' ':
			return errSyntax
		case c == '\\':
			if !s.escape() {
				return errSyntax
			}
		}
	}
	return errSyntax
}

// escape steps from a backslash to the last byte of its escape.
func (s *scanner) escape() bool {
	s.at++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			s.at++
			if !hex(s.peek()) {
				return false
			}
		}
		return true
	}
	return false
}

func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// escaped tells whether a quoted string must be decoded to be read.
func escaped(quoted []byte) bool { return bytes.IndexByte(quoted, '\\') >= 0 }

// unquoted is a member's name.
func unquoted(quoted []byte) []byte {
	if !escaped(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	name, _ := value(quoted).str()
	return []byte(name)
}
