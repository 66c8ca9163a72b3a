package render

import "testing"

func TestATextThatNeverSaysAnythingIsTold(t *testing.T) {
	for text, want := range map[string]bool{
		"hello":                             false,
		"{{/* later */}}":                   true,
		"{{/* later */}} \n {{- /* on */}}": true,
		"{{$x := .User}}":                   true,
		"{{$x := .User}}{{$x}}":             false,
		"{{.Text}}":                         false,
		`{{""}} {{" "}}`:                    true,
		`{{"a"}}`:                           false,
		"{{if .Text}} {{else}}\t{{end}}":    true,
		"{{if .Text}}{{else}}b{{end}}":      false,
		"{{if false}}a{{end}}":              true,
		"{{if true}}{{else}}a{{end}}":       true,
		"{{if false}}a{{else}}b{{end}}":     false,
		`{{with ""}}a{{end}}`:               true,
		"{{range .Match}} {{end}}":          true,
		"{{range .Match}}{{.}}{{end}}":      false,
		"\u200b\u2060":                      true,
		"\u200b{{.User}}":                   false,
		`{{default "" .Text}}`:              false,
	} {
		tpl, err := Parse(text, Scope{Groups: 1})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := tpl.Mute(); got != want {
			t.Errorf("%q never says anything: %v, want %v", text, got, want)
		}
	}
}
