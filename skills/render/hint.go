package render

import (
	"regexp"
	"slices"
	"strings"

	"bot/engine/nearest"
)

// undefined is what the library says of a name that is no function.
var undefined = regexp.MustCompile(`^function "([^"]+)" not defined`)

// misread is what the library says of a sign that has no place in an action.
var misread = regexp.MustCompile(`^(?:bad character|unrecognized character in action:) U\+[0-9A-F]+ '(.)'`)

// hint says what to write instead, as far as the library's words tell, in
// brackets after a space; "" when they do not.
func hint(msg string) string {
	sign := ""
	if m := misread.FindStringSubmatch(msg); m != nil {
		sign = m[1]
	}
	switch {
	case sign > "\u007f":
		return " (" + sign + " is a full-width sign; use the ASCII one)"
	case sign == "}", strings.HasPrefix(msg, `unexpected "}"`), strings.HasPrefix(msg, "unclosed action"):
		return " (close with }})"
	case strings.HasPrefix(msg, "unexpected EOF"):
		return " (an {{end}} is missing)"
	case strings.HasPrefix(msg, "unexpected {{end}}"):
		return " (there is no {{if}}, {{with}} or {{range}} that it ends)"
	}
	if m := undefined.FindStringSubmatch(msg); m != nil {
		return functionHint(m[1])
	}
	return ""
}

// functionHint is for a name that is no function: mostly a field without its
// dot, or the text that follows an action that was not closed.
func functionHint(name string) string {
	if slices.Contains(fields(), name) {
		return " (write {{." + name + "}})"
	}
	if near := nearest.Name(name, fields()); near != "" {
		return " (did you mean {{." + near + "}}?)"
	}
	if name[0] > '\u007f' {
		return " (is a }} missing before it?)"
	}
	return ""
}

// single is a field between the braces of other template languages.
var single = regexp.MustCompile(`(?:^|[^{])\{ *\.(` + strings.Join(fields(), "|") + `)[^{}]*\}(?:[^}]|$)`)

// Doubt says what in a text looks like an action and is sent as it is, "" when
// nothing does.
func Doubt(text string) string {
	if strings.Contains(text, "｛｛") || strings.Contains(text, "｝｝") {
		return "full-width braces ｛｛ are sent as they are (write {{.User}} in place of ｛｛.User｝｝)"
	}
	if m := single.FindStringSubmatch(text); m != nil {
		return "single braces are sent as they are (write {{." + m[1] + "}})"
	}
	return ""
}
