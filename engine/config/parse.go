package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// parse makes a tree of a text, or one problem: the TOML library stops at the
// first fault.
func parse(src *source, text string) (*node, *Problem) {
	s := walk(src, text)
	if s.fault != nil {
		return nil, s.fault
	}
	values, err := decodeTOML(text)
	var fault toml.ParseError
	if errors.As(err, &fault) {
		p := syntaxProblem(s, fault)
		return nil, &p
	}
	if err != nil {
		p := place{src, 1, 1}.problem("file cannot be read as TOML: %v", err)
		return nil, &p
	}
	s.root.attach(values)
	return s.root, nil
}

// decodeTOML turns a panic into an error: the library raises one where it
// finds itself in a state that it holds impossible, and a running bot must
// outlive any file it is told to reload.
func decodeTOML(text string) (values map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	_, err = toml.Decode(text, &values)
	return values, err
}

// syntaxProblem says in our words what the library found.
func syntaxProblem(s *scanner, fault toml.ParseError) Problem {
	text := s.text
	offset := min(max(fault.Position.Start, 0), len(text))
	msg := strings.TrimSuffix(fault.Message, ".")
	if strings.HasPrefix(msg, "TOML files cannot contain control") && offset < len(text) && text[offset] >= ' ' {
		offset++ // the library points one short of them
	}
	at := placeAt(s.src, text, offset)
	hint := slip{
		msg: msg, rest: text[offset:], line: at.line, open: s.open,
		before: text[strings.LastIndexByte(text[:offset], '\n')+1 : offset],
	}.hint()
	if s.ofSecret(at.line) {
		if msg = unseen(msg); hint == "" && msg == notTOML {
			hint = `texts stand in quotes: "…"`
		}
	}
	p := at.problem("%s", lowerFirst(msg))
	p.Hint = hint
	return p
}

// ofSecret tells whether what stands in a line may be a secret, by the keys in it
// and in those in which the lists around it begin.
func (s *scanner) ofSecret(line int) bool {
	lines := strings.Split(s.text, "\n")
	for _, n := range append([]int{line}, s.open...) {
		if n <= len(lines) && likeSecret.MatchString(lines[n-1]) {
			return true
		}
	}
	return false
}

// notTOML is all that is said of a value that is not to be shown.
const notTOML = "the value is none that TOML knows"

// unseen is a message of the library without what it quotes of the file.
func unseen(msg string) string {
	for _, found := range []string{", but got ", " but got ", " but found "} {
		if before, _, quotes := strings.Cut(msg, found); quotes {
			return before
		}
	}
	for _, harmless := range []string{"unexpected EOF", newline, "TOML files cannot contain", "invalid escape"} {
		if strings.HasPrefix(msg, harmless) {
			return msg
		}
	}
	return notTOML
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
