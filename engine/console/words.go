package console

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
	"golang.org/x/text/language"

	"bot/engine/alert"
	"bot/engine/reason"
)

//go:embed words.toml
var wordsFile string

// texts are what pages say, by their keys and languages.
var texts = sync.OnceValue(func() map[string]map[string]string {
	var all map[string]map[string]string
	if _, err := toml.Decode(wordsFile, &all); err != nil {
		panic(err) // it is part of the program
	}
	return all
})

// words says everything in one language.
type words struct{ Lang string }

// The languages, the one for whoever wants neither first.
var (
	langs    = []string{"zh", "en"}
	speakers = language.NewMatcher([]language.Tag{language.Chinese, language.English})
)

// wordsOf is the language that somebody chose, or that their browser prefers.
func wordsOf(r *http.Request) words {
	if c, err := r.Cookie("lang"); err == nil && (c.Value == "zh" || c.Value == "en") {
		return words{c.Value}
	}
	_, i := language.MatchStrings(speakers, r.Header.Get("Accept-Language"))
	return words{langs[i]}
}

// T is the text of a key, with what goes into it. A key that nobody has written is
// shown as it is; a test finds those.
func (w words) T(key string, args ...any) string {
	s, ok := texts()[key][w.Lang]
	if !ok {
		return key
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// Other is the other language.
func (w words) Other() string {
	if w.Lang == "zh" {
		return "en"
	}
	return "zh"
}

// Ago says how long something is ago at a time, in one or two words.
func (w words) Ago(t, now time.Time) string {
	if t.IsZero() {
		return "–"
	}
	d := now.Sub(t)
	switch {
	case d < 0:
		return w.T("in", w.For(-d))
	case d < time.Second:
		return w.T("now")
	}
	return w.T("ago", w.For(d))
}

// For is a span of time in its largest unit.
func (w words) For(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		key  string
	}{{24 * time.Hour, "days"}, {time.Hour, "hours"}, {time.Minute, "minutes"}, {time.Second, "seconds"}} {
		if d >= u.unit {
			return w.T(u.key, int(d/u.unit))
		}
	}
	return w.T("millis", d.Milliseconds())
}

// Alert is what a kind of alerts is called.
func (w words) Alert(kind string) string { return alert.Title(kind, w.Lang) }

// Reason is why something was or was not done.
func (w words) Reason(text string) string {
	if w.Lang == "en" {
		return text
	}
	return w.inside(text, reason.In(w.Lang, text))
}

// Either is a text that there is in English, and may be there in Chinese.
func (w words) Either(en, zh string) string {
	if w.Lang == "zh" {
		return cmp.Or(zh, w.Reason(en))
	}
	return en
}

// Num is a number with its thousands set apart.
func (w words) Num(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:] // a thin space, in which no line breaks
	}
	return s
}

// Bytes is a size.
func (w words) Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") + " " + units[i]
}

func themeOf(r *http.Request) string {
	if c, err := r.Cookie("theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// settings keeps how somebody wants to see the pages, for a year.
func (c *console) settings(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	keep := func(name string, allowed ...string) {
		v := r.PostFormValue(name)
		for _, a := range allowed {
			if v == a {
				http.SetCookie(w, &http.Cookie{Name: name, Value: v, Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode})
			}
		}
	}
	keep("lang", "zh", "en")
	keep("theme", "light", "dark", "auto")
	http.Redirect(w, r, home(r.PostFormValue("back")), http.StatusSeeOther)
}

// About is a span of time in its two largest units.
func (w words) About(d time.Duration) string {
	units := []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}
	for i, u := range units[:len(units)-1] {
		if rest := d % u; d >= u && rest >= units[i+1] {
			return w.For(d-rest) + " " + w.For(rest)
		}
		if d >= u {
			break
		}
	}
	return w.For(d)
}

// shortText is how much of a text stands in a list, in characters.
const shortText = 120

// Short is the beginning of a text.
func (words) Short(s string) string {
	n := 0
	for i := range s {
		if n++; n > shortText {
			return s[:i] + "…"
		}
	}
	return s
}
