package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// parse makes a tree of a text, or one problem: the TOML library stops at the
// first fault.
func parse(src *source, text string) (*node, *Problem) {
	root, wrong := scan(src, text)
	if wrong != nil {
		return nil, wrong
	}
	values, err := decodeTOML(text)
	var fault toml.ParseError
	if errors.As(err, &fault) {
		p := syntaxProblem(src, text, fault)
		return nil, &p
	}
	if err != nil {
		p := place{src, 1, 1}.problem("file cannot be read as TOML: %v", err)
		return nil, &p
	}
	root.attach(values)
	return root, nil
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
func syntaxProblem(src *source, text string, fault toml.ParseError) Problem {
	offset := min(max(fault.Position.Start, 0), len(text))
	msg := strings.TrimSuffix(fault.Message, ".")
	if strings.HasPrefix(msg, "TOML files cannot contain control") && offset < len(text) && text[offset] >= ' ' {
		offset++ // the library points one short of them
	}
	p := placeAt(src, text, offset).problem("%s", lowerFirst(msg))
	p.Hint = syntaxHint(text[offset:], msg)
	return p
}

// syntaxHint knows what people mostly meant; rest is the text from the fault on.
func syntaxHint(rest, msg string) string {
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case strings.ContainsRune("“”‘’「」", r):
		return `use straight quotes: "…"`
	case strings.ContainsRune("，＝［］【】｛｝", r):
		return "use the ASCII sign in place of the full-width one"
	case strings.HasPrefix(msg, "invalid escape in string"):
		return `in single quotes a backslash stands for itself: '^\d+$'`
	case strings.HasPrefix(msg, "strings cannot contain newlines"):
		return `close the text on its line, or put it between """ and """`
	case strings.HasPrefix(msg, "unexpected EOF; expected '\""), strings.HasPrefix(msg, `unexpected EOF; expected "'`):
		return "a text is opened and never closed"
	case strings.HasPrefix(msg, "expected value but found '\\n'"):
		return "the value is missing"
	case strings.HasPrefix(msg, "expected value but found"):
		return `texts stand in quotes: "…"`
	case strings.HasPrefix(msg, "expected '.' or '='"):
		return `a line is a [table], or key = value`
	}
	return ""
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
