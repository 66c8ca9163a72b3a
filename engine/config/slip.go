package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// slip is where a text stops being TOML, with what is needed to guess what its
// writer meant.
type slip struct {
	msg    string // the library's
	before string // the line up to there
	rest   string // the text from there on
	line   int
	open   []int // the lines of the lists that are open there
}

// What the library says of the place, as far as hints depend on it.
const (
	wantsValue = "expected value but found"
	wantsEqual = "expected '.' or '='"
	wantsComma = "expected a comma (',') or array terminator"
	wantsEnd   = "expected a top-level item to end"
	newline    = "strings cannot contain newlines"
)

func (s slip) says(msg string) bool { return strings.HasPrefix(s.msg, msg) }

// hint knows what people mostly meant, "" when it does not.
func (s slip) hint() string {
	if s.pastList() {
		return fmt.Sprintf("the list that begins on line %d is not closed: write ]", s.open[len(s.open)-1])
	}
	for _, guess := range []func(slip) string{slip.sign, slip.quotes, slip.header, slip.value} {
		if h := guess(s); h != "" {
			return h
		}
	}
	return ""
}

// nextLine is how a line begins that stands outside of every list.
var nextLine = regexp.MustCompile(`^(\[\[?[A-Za-z]|[A-Za-z0-9_.-]+[ \t]*=)`)

// pastList tells whether a list was still open where its text had ended.
func (s slip) pastList() bool {
	switch {
	case len(s.open) == 0:
		return false
	case s.says("unexpected EOF; expected value"), strings.HasSuffix(s.msg, "end of file"):
		return true
	case !s.says(wantsComma) && !s.says(wantsValue):
		return false
	}
	return s.line > s.open[len(s.open)-1] && strings.TrimSpace(s.before) == "" && nextLine.MatchString(s.rest)
}

// sign knows the signs that input methods write in place of those of TOML.
func (s slip) sign() string {
	r, _ := utf8.DecodeRuneInString(s.rest)
	switch {
	case s.rest == "":
		return ""
	case r == '\u3000':
		return "a full-width space; use an ordinary one"
	case r == '\u00a0':
		return "a no-break space; use an ordinary one"
	case strings.HasPrefix(strings.TrimLeft(s.rest, " \t"), "//"):
		return "comments begin with #"
	case s.says(wantsComma) && strings.ContainsRune("、，；;。", r):
		return "write ,"
	case s.says(wantsEqual) && strings.ContainsRune("：:", r):
		return fmt.Sprintf("write = in place of %c", r)
	case strings.ContainsRune("“”‘’「」", r):
		return `use straight quotes: "…"`
	case strings.ContainsRune("，＝［］【】｛｝", r):
		return "use the ASCII sign in place of the full-width one"
	}
	return ""
}

// curly are the signs that are typed for a closing quote and do not close.
const curly = "”“＂」"

// quotes knows the ways in which a text is not closed.
func (s slip) quotes() string {
	r, _ := utf8.DecodeRuneInString(s.rest)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s.before, "]},， \t"))
	opened := s.says(`unexpected EOF; expected '"`) || s.says(`unexpected EOF; expected "'`)
	wrong := s.unclosed()
	switch {
	case s.says("invalid escape in string"):
		return `in single quotes a backslash stands for itself: '^\d+$'`
	case (opened || s.says(newline)) && strings.ContainsRune(curly, last):
		return fmt.Sprintf(`the text ends with %c; close it with a straight "`, last)
	case s.says(newline):
		return `close the text on its line, or put it between """ and """`
	case s.says(wantsComma) && wrong != utf8.RuneError:
		return fmt.Sprintf(`a text ends with %c; close it with a straight "`, wrong)
	case s.says(wantsComma) && strings.HasSuffix(s.before, `"`) && !unicode.IsSpace(r):
		return `is a " missing before here?`
	case s.says(wantsComma) && r == '"':
		return "is a , missing before here?"
	case opened:
		return "a text is opened and never closed"
	}
	return ""
}

// unclosed finds the sign that was typed for a closing quote, where the text
// went on to the next opening one; utf8.RuneError when there is none.
func (s slip) unclosed() rune {
	i := strings.LastIndexAny(s.before, curly)
	if i < 0 {
		return utf8.RuneError
	}
	wrong, n := utf8.DecodeRuneInString(s.before[i:])
	if strings.TrimLeft(s.before[i+n:], ",， \t") != `"` {
		return utf8.RuneError
	}
	return wrong
}

// header knows the ways in which [name] and [[name]] are not closed.
func (s slip) header() string {
	line := strings.TrimSpace(s.before)
	name := strings.Trim(line, "[] \t")
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case s.says("expected end of table array name"), s.says("expected '.' or ']' to end table name") && listNames[last]:
		return "write [[" + name + "]]"
	case s.says("expected '.' or ']' to end table name"):
		return "write [" + name + "]"
	}
	return ""
}

// value knows what is missing, or too much, where a value is to stand.
func (s slip) value() string {
	r, _ := utf8.DecodeRuneInString(s.rest)
	switch {
	case s.says(wantsValue + " '\\n'"):
		return "the value is missing"
	case s.says(wantsValue):
		word := strings.ToLower(s.rest[:len(s.rest)-len(strings.TrimLeftFunc(s.rest, unicode.IsLetter))])
		if word == "true" || word == "false" {
			return "write true or false in small letters"
		}
		return `texts stand in quotes: "…"`
	case s.says(wantsEqual):
		return "a line is a [table], or key = value"
	case s.says(wantsEnd) && unicode.IsLetter(r) && strings.Contains(s.before, "=") && !strings.HasSuffix(s.before, `"`):
		return `texts stand in quotes: "…"`
	}
	return ""
}
