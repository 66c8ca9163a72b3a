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
	p := at.problem("%s", lowerFirst(msg))
	p.Hint = slip{
		msg: msg, rest: text[offset:], line: at.line, open: s.open,
		before: text[strings.LastIndexByte(text[:offset], '\n')+1 : offset],
	}.hint()
	return p
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
