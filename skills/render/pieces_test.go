package render

import (
	"slices"
	"strings"
	"testing"
)

func TestPiecesTellValuesFromWhatIsWritten(t *testing.T) {
	w := func(s string) Piece { return Piece{Text: s} }
	v := func(s string) Piece { return Piece{Text: s, Value: true} }
	data := &Data{Text: "a b", User: "u\x02x\x03", Match: []string{"m", "n"}}
	for _, tt := range []struct {
		name, text string
		want       []Piece
	}{
		{"no action", "abc", []Piece{w("abc")}},
		{"a value between", "a{{.Text}}b", []Piece{w("a"), v("a b"), w("b")}},
		{"a value at the end", "a{{.Text}}", []Piece{w("a"), v("a b")}},
		{"values side by side", "{{.Text}}{{.Text}}", []Piece{v("a b"), v("a b")}},
		{"an empty value", "{{.UserName}}", []Piece{v("")}},
		{"a constant is a value too", `{{"x"}}`, []Piece{v("x")}},
		{"what a condition holds is written", "{{if .Text}}y{{.Text}}{{else}}n{{end}}", []Piece{w("y"), v("a b")}},
		{"a value cannot bring marks", "{{.User}}", []Piece{v("u\uFFFDx\uFFFD")}},
		{"the place's own function is left out", "{{.Text | urlquery}}{{urlquery .Text}}{{index .Match 1 | upper | urlquery}}", []Piece{v("a b"), v("a b"), v("N")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParsePieces(tt.text, Scope{Groups: 2}, "urlquery")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.Execute(data); !slices.Equal(got, tt.want) || err != nil {
				t.Errorf("got %v (%v), want %v", got, err, tt.want)
			}
		})
	}
}

func TestProblemsOfPieces(t *testing.T) {
	for text, want := range map[string]string{
		"{{.Foo}}":                                        "there is no .Foo",
		`{{printf "%s" (urlquery .Text)}}`:                "urlquery stands at the end",
		"{{$x := urlquery .Text}}{{$x}}":                  "urlquery stands at the end",
		"{{if urlquery .Text}}x{{end}}":                   "urlquery stands at the end",
		"{{.Text | urlquery | urlquery}}":                 "urlquery stands at the end",
		"a\x02b":                                          "U+0002",
		"{{define \"a\"}}{{end}}{{.Text}}":                "define templates",
		"{{.Response.a}}":                                 "no web service has answered",
		"https://example.com/{{.Text}/":                   "bad template",
		"{{template \"x\"}}":                              "cannot call other templates",
		"{{urlquery}}":                                    "urlquery",
		`{{urlquery .Text "b"}}`:                          "urlquery",
		`{{range .Match}}{{. | urlquery | print}}{{end}}`: "urlquery",
	} {
		if _, err := ParsePieces(text, Scope{Groups: 1}, "urlquery"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
