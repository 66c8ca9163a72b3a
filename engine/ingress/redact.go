package ingress

import (
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"bot/engine/clip"
)

// redactor takes out of a text what opens doors: the values of secrets that are
// known, wherever they stand, and whatever stands under the name of one.
type redactor struct {
	known   *strings.Replacer
	secrets []string // the longest first
}

// newRedactor knows these secrets, also as JSON, XML and URLs write them.
func newRedactor(secrets []string) *redactor {
	var all []string
	for _, s := range secrets {
		if s == "" {
			continue
		}
		quoted, _ := json.Marshal(s)
		all = append(all, s, url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s), string(quoted[1:len(quoted)-1]))
	}
	// Where one begins with another, the shorter would leave the longer's rest.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	r := &redactor{secrets: slices.Compact(all)}
	var pairs []string
	for _, s := range r.secrets {
		pairs = append(pairs, s, hidden)
	}
	r.known = strings.NewReplacer(pairs...)
	return r
}

// hidden stands for what is not shown.
const hidden = "***"

// leastRest is from how many characters on the beginning of a secret, at which a
// text ends, is taken for one.
const leastRest = 4

// redact shows of a text no more than limit bytes, and looks at no more than twice
// as many.
func (r *redactor) redact(text string, limit int) string {
	whole := len(text) <= 2*limit
	if !whole {
		text = clip.To(text, 2*limit)
	}
	for _, s := range r.secrets { // what is cut off in the midst of one
		for n := len(s) - 1; n >= leastRest; n-- {
			if strings.HasSuffix(text, s[:n]) {
				text = text[:len(text)-n] + hidden
				break
			}
		}
	}
	text = r.known.Replace(text)
	for _, e := range named {
		text = e.ReplaceAllString(text, "${1}"+hidden)
	}
	if whole || len(text) > limit {
		return clip.Dots(text, limit)
	}
	return text + "…" // what was masked is shorter
}

// secretName is how platforms and their clients call what opens doors.
const secretName = `(?:[\w.-]*(?:token|secret|password|passwd|pwd|authorization|cookie|credentials?|signature|ticket|` +
	`(?:api|aes|access|private|app)[_-]?key|response[_-]?code|response[_-]?url)|key|sign|auth|pass)`

// named find what stands under such a name; the first group is what stays. A value
// that is cut off goes up to the end.
var named = []*regexp.Regexp{
	// "token": "…"; a list of them; a number
	regexp.MustCompile(`(?i)("` + secretName + `"\s*:\s*)(?:"(?:[^"\\]|\\[\s\S])*["\\]?|\[[^\]]*\]?|-?\d[^\s,}\]]*)`),
	// the same in a text that is JSON itself: \"token\": \"…\"
	regexp.MustCompile(`(?i)(\\+"` + secretName + `\\+"\s*:\s*)(?:\\+"(?:[^"\\]|\\+[^"\\])*(?:\\+"?)?|-?\d[^\s,}\]\\"]*)`),
	// <Token>…</Token>
	regexp.MustCompile(`(?i)(<(?:\w+:)?` + secretName + `(?:\s[^<>]*)?>)(?:\s*<!\[CDATA\[[\s\S]*?(?:\]\]>|\z)|[^<]+)`),
	// the same in a text of JSON or XML
	regexp.MustCompile(`(?i)((?:&lt;|\\u003c)` + secretName + `(?:&gt;|\\u003e)(?:(?:&lt;|\\u003c)!\[CDATA\[)?)(?:[^&\\]|&amp;)+`),
	// token=… of forms and addresses, token="…" of XML
	regexp.MustCompile(`(?i)((?:^|[?&;,\s"'{(]|%3f|%26|\\u0026)` + secretName + `(?:\s*=\s*|%3d))(?:"[^"]*"?|'[^']*'?|\\+"[^"\\]*(?:\\+"?)?|[^\s&"'<>\\;,]+)`),
	// a part of a form
	regexp.MustCompile(`(?i)(name="?` + secretName + `"?[^\n]*\n(?:[^\r\n]+\r?\n)*\r?\n)[^\r\n]+`),
}
