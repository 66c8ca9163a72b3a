package render

import (
	"strings"
	"testing"
)

func answered(t *testing.T, text, answer string) (string, error) {
	t.Helper()
	tmpl, err := Parse(text, Scope{Response: true, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	v, err := Answer([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	return tmpl.Execute(&Data{Response: v, Text: "x"})
}

func TestAnAnswerShowsWhatWasSent(t *testing.T) {
	for _, tt := range []struct{ name, text, answer, want string }{
		{"an id beyond what a float holds", "{{.Response.id}}", `{"id":9007199254740993}`, "9007199254740993"},
		{"an id beyond what 64 bits hold", "{{.Response.id}}", `{"id":123456789012345678901234567890}`, "123456789012345678901234567890"},
		{"a price with its noughts", "{{.Response.price}}", `{"price":12.50}`, "12.50"},
		{"a price to a number of digits", `{{printf "%.1f|%s|%v|%d" .Response.price .Response.price .Response.price .Response.price}}`, `{"price":12.50}`, "12.5|12.50|12.50|12"},
		{"a code that is nought is false", "{{if .Response.code}}bad{{else}}good{{end}}", `{"code":0}`, "good"},
		{"a code is compared with a number", "{{if eq .Response.code 0}}good{{end}}", `{"code":0}`, "good"},
		{"or with a text", `{{if eq .Response.code "0"}}good{{end}}`, `{"code":0}`, "good"},
		{"a text with a number", `{{if eq .Response.code 0}}good{{end}}`, `{"code":"0"}`, "good"},
		{"whole and broken numbers", "{{if and (eq .Response.a 1) (gt .Response.b 2) (lt .Response.b 2.6) (ge .Response.a 1) (le .Response.a 1.0) (ne .Response.a 2)}}good{{end}}", `{"a":1.0,"b":2.5}`, "good"},
		{"a text that is a number is ordered as one", `{{if gt .Response.n 9}}more{{end}}`, `{"n":"10"}`, "more"},
		{"one of several", `{{if eq .Response.s "a" "b"}}good{{end}}`, `{"s":"b"}`, "good"},
		{"null is nothing", "[{{.Response.note}}{{range .Response.items}}x{{end}}{{if .Response.note}}y{{end}}{{len .Response.items}}]", `{"note":null,"items":null}`, "[0]"},
		{"a list at the top", "{{range .}}{{end}}{{range .Response}}{{.name}},{{end}}{{(index .Response 1).name}}", `[{"name":"a"},{"name":"b"}]`, "a,b,b"},
		{"a text at the top", "{{.Response}}", `"sent"`, "sent"},
		{"a table as JSON keeps its digits", "{{.Response.o}}", `{"o":{"p":1.10,"n":9007199254740993,"x":null}}`, `{"n":9007199254740993,"p":1.10,"x":null}`},
		{"what may be missing and is asked for", `{{.Response.a | default "-"}}{{default "-" .Response.a.b}}{{if .Response.c}}x{{end}}{{with .Response.d}}y{{end}}{{range .Response.e}}z{{end}}{{if eq .Response.f ""}}!{{end}}`, `{}`, "--!"},
		{"a byte order mark", "{{.Response.a}}", "\ufeff{\"a\":1}", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.ReplaceAll(tt.text, "{{range .}}{{end}}", "")
			if got, err := answered(t, text, tt.answer); got != tt.want || err != nil {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

func TestAStrictTextFailsRatherThanShowAHole(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a field that is absent", "{{.Response.status}}", "there is no value for {{.Response.status}}"},
		{"one below an absent one", "{{$.Response.a.b.c}}", "{{$.Response.a.b.c}}"},
		{"through a function", "{{.Response.status | upper}}", "{{.Response.status}}"},
		{"through printf", `{{printf "%s" .Response.status}}`, "{{.Response.status}}"},
		{"within brackets", `{{trim (lower .Response.status)}}`, "{{.Response.status}}"},
		{"of the items of a list", "{{range .Response.items}}{{.name}}{{end}}", "{{.name}}"},
		{"of the items, through a function", "{{range .Response.items}}{{.name | upper}}{{end}}", "{{.name}}"},
		{"an item that is absent", "{{index .Response.items 7}}", "{{index .Response.items 7}}"},
		{"an order of nothing", "{{if gt .Response.n 1}}x{{end}}", "cannot be compared"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := answered(t, tt.text, `{"items":[{"x":1}]}`)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q (%v), want an error with %q", got, err, tt.want)
			}
		})
	}
}

func TestWhatIsNoJSONIsNoAnswer(t *testing.T) {
	for _, body := range []string{"", " ", "<html>", `{"a":1} x`, `{"a":1}{"b":2}`, `{"a":`, strings.Repeat("[", 20_000)} {
		if v, err := Answer([]byte(body)); err == nil {
			t.Errorf("%.20q is read as %v", body, v)
		}
	}
}

// What is short to write must not be long to calculate with.
func TestAnAbsurdNumberCostsNothing(t *testing.T) {
	for _, n := range []string{"1e999999999", "-1e-999999999", "1e1000000", strings.Repeat("9", 100_000)} {
		got, err := answered(t, `{{if eq .Response.n 1}}x{{end}}{{printf "%.2f" .Response.n}}`, `{"n":`+n+`}`)
		if got != n && err == nil {
			t.Errorf("%.20s shows as %.20s", n, got)
		}
	}
}

func TestATextIsOrderedAsANumberOnlyWhereItIsOne(t *testing.T) {
	for _, text := range []string{"1/3", "0x1p999999999", "1_000", "Inf", "", "NaN", "1e99999999"} {
		tmpl, err := Parse("{{if gt .Text 1}}x{{end}}", Scope{})
		if err == nil {
			_, err = tmpl.Execute(&Data{Text: text})
		}
		if err == nil {
			t.Errorf("%q is taken for a number", text)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,null,"x"]}`, `1e400`, `-0`, `"\ud800"`, `[[[[]]]]`} {
		f.Add(s)
	}
	tmpl, err := Parse(`{{.Response}}{{printf "%d %.2f" .Response .Response}}{{if lt .Response 1}}{{end}}`, Scope{Response: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		v, err := Answer([]byte(body))
		if err != nil {
			return
		}
		if v == nil {
			t.Error("an answer that is there is taken for none")
		}
		_, _ = tmpl.Execute(&Data{Response: v}) // must not panic or hang
	})
}
