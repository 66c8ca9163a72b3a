package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestWhatIsLowered(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		lowered    bool
	}{
		{"a field", "您好，{{.UserName}}！", true},
		{"a field of the root", "{{$.Text}}", true},
		{"what a form has collected", "{{.Data.phone}}", true},
		{"what an event is about", "{{.Members}}{{.Actor}}{{.Params.scene}}", true},
		{"all of it", "{{.Data}}{{.Match}}", true},
		{"a group of the match", "{{index .Match 1}}", true},
		{"the first characters", "{{slice .Text 0 11}}", true},
		{"functions in a pipeline", `{{index .Match 1 | trim | upper | replace "A" "B" | urlquery | html | js | lower}}`, true},
		{"a function of a function", `{{default (lower .User) (index .Data "phone")}}`, true},
		{"constants", `{{"a"}}{{7}}`, true},
		{"a condition", `{{if .Data.code}}a{{else if .Text | trim}}b{{else}}c{{end}}`, true},
		{"a comment", `{{/* nothing */}}`, true},

		{"a loop", "{{range .Match}}{{.}}{{end}}", false},
		{"a loop in a branch", "{{if .User}}{{range .Match}}{{end}}{{end}}", false},
		{"another dot", "{{with .User}}{{.}}{{end}}", false},
		{"a variable", "{{$x := .User}}{{$x}}", false},
		{"a variable in a condition", "{{if $x := .User}}{{$x}}{{end}}", false},
		{"a variable in brackets", "{{upper ($x := .User)}}", false},
		{"another root", "{{$ := .Match}}{{$}}", false},
		{"everything", "{{.}}{{$}}", false},
		{"a method", `{{.Now.Format "15:04"}}`, false},
		{"a time", "{{.Now}}", false},
		{"a web service's answer", "{{.Response.a}}", false},
		{"functions of the library", `{{if eq .User "u1"}}{{printf "%s" .Text}}{{end}}`, false},
		{"a function that may fail", "{{len .Text}}", false},
		{"a number that is no plain int", "{{slice .Text 0x1}}{{index .Match 1.0}}", false},
		{"a number from elsewhere", "{{slice .Text 0 (len .User)}}", false},
		{"a text from elsewhere", `{{replace .User "" .Text}}`, false},
		{"a call that would fail in a branch that the trial run does not take", `{{if .Params.x}}{{slice .Text "a"}}{{end}}`, false},
		{"too many arguments in such a branch", `{{if .Params.x}}{{upper .Text 1}}{{end}}`, false},
		{"too few in such a branch", `{{if .Params.x}}{{slice .Text}}{{slice}}{{upper}}{{end}}`, false},
		{"an argument to a field in such a branch", `{{if .Params.x}}{{.Text 1}}{{end}}`, false},
		{"a pipe into a field in such a branch", `{{if .Params.x}}{{1 | .Text}}{{end}}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tmpl, err := Parse(tt.text, scope)
			if err != nil {
				t.Fatal(err)
			}
			if got := tmpl.program != nil; got != tt.lowered {
				t.Errorf("%s: lowered is %v, want %v", tt.text, got, tt.lowered)
			}
		})
	}
}

func TestAProgramKeepsTheLimit(t *testing.T) {
	tmpl, err := Parse("{{.Text}}{{if .User}}{{.Text}}{{end}}", Scope{})
	if err != nil || tmpl.program == nil {
		t.Fatal(tmpl, err)
	}
	half := strings.Repeat("x", Limit/2)
	if out, err := tmpl.Execute(&Data{Text: half, User: "u"}); len(out) != Limit || err != nil {
		t.Errorf("a text of the limit's length: %d bytes, %v", len(out), err)
	}
	if out, err := tmpl.Execute(&Data{Text: half + "x", User: "u"}); out != "" || err == nil || err.Error() != "fill in template: the text grows beyond 65536 bytes" {
		t.Errorf("a longer one: %d bytes, %v", len(out), err)
	}
}

func TestAProgramNeedsFewAllocations(t *testing.T) {
	d := Of(turn())
	for text, most := range map[string]float64{"{{.Text}}": 1, "{{slice .Text 0 11}}": 3, "您好 {{.UserName}}！": 2} {
		tmpl, err := Parse(text, Scope{})
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = tmpl.Execute(d) }); n > most {
			t.Errorf("%s: %v allocations, want at most %v", text, n, most)
		}
	}
}

// The grammar writes lowered texts often enough that the fuzz target below
// means something, and enough of the others.
func TestProgramsSayWhatTheirTreesSay(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	lowered, others := 0, 0
	for range 3000 {
		choices := make([]byte, 40)
		_, _ = random.Read(choices)
		tmpl, err := Parse((&grammar{choices}).block(0), scope)
		switch {
		case err != nil:
		case tmpl.program == nil:
			others++
		default:
			lowered++
			agree(t, tmpl, Of(turn()))
			agree(t, tmpl, &Data{})
		}
	}
	if lowered < 500 || others < 500 { // most of the rest is refused
		t.Errorf("%d lowered, %d not", lowered, others)
	}
}

func FuzzProgram(f *testing.F) {
	f.Add([]byte{}, "", "", byte(0))
	f.Add([]byte("\x02\x00\x01\x00\x00"), "00000000042请问", "138", byte(2))
	f.Add([]byte("if it is said"), "\xff\xffa\xe4\xb8", " \u200b", byte(0xff))
	f.Fuzz(func(t *testing.T, choices []byte, said, saved string, shape byte) {
		tmpl, err := Parse((&grammar{choices}).block(0), scope)
		if err != nil || tmpl.program == nil {
			return
		}
		d := &Data{User: "u1", Text: said, Day: "2026-03-02", Now: time.Unix(0, 0).UTC()}
		d.Match = []string{said, saved, "x"}[:shape&3%4]
		if shape&4 != 0 {
			d.Data = map[string]string{"phone": saved, "empty": "", "code": said}
		}
		if shape&16 != 0 {
			d.Members, d.Actor, d.Params = saved, said, map[string]string{"scene": saved}
		}
		if shape&8 != 0 { // near the limit and beyond it
			d.Text = strings.Repeat(said+"x", Limit/2/(len(said)+1))
		}
		agree(t, tmpl, d)
	})
}

// agree fails the test where a template's program and its tree differ. The
// one error of a program, of the limit, is the tree's to the letter.
func agree(t *testing.T, tmpl *Template, d *Data) {
	t.Helper()
	got, err := tmpl.program.fill(d)
	want, wantErr := walk(tmpl.tree, d)
	if wantErr != nil {
		want = "" // what was written before the error
	}
	if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("%s\nprogram %.200q, %v\ntree    %.200q, %v\ndata %.300q", tmpl.tree.Root, got, err, want, wantErr, fmt.Sprint(*d))
	}
}

// grammar writes templates by the bytes it is given: one byte a choice, the
// first alternative once there are none left.
type grammar struct{ choices []byte }

func (g *grammar) pick(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := g.choices[0]
	g.choices = g.choices[1:]
	return int(c) % n
}

func (g *grammar) one(of ...string) string { return of[g.pick(len(of))] }

func (g *grammar) block(depth int) string {
	var b strings.Builder
	for range 1 + g.pick(4) {
		switch g.pick(12) {
		case 0:
			b.WriteString(g.one("您好", " a ", "\n", "}", "\xff", "<b>"))
		case 1:
			b.WriteString(g.one(" {{- /* nothing */ -}} ", "{{$x := .User}}{{$x}}", "{{with .Text}}{{.}}{{end}}", "{{range .Match}}{{.}}{{end}}", "{{/* */}}", "{{\"{{\"}}"))
		case 2:
			if depth < 2 {
				fmt.Fprintf(&b, g.one("{{if %s}}%s{{end}}", "{{- if %s -}}%s{{else}}-{{end}}", "{{if %s}}%s{{else if .Data.code}}+{{else}}{{.Day}}{{end}}"),
					g.pipe(depth), g.block(depth+1))
			}
		default:
			fmt.Fprintf(&b, g.one("{{%s}}", "{{- %s }}", "{{ %s -}}"), g.pipe(depth))
		}
	}
	return b.String()
}

func (g *grammar) pipe(depth int) string {
	p := g.command(depth)
	for range max(0, g.pick(4)-1) {
		p += " | " + g.one("upper", "lower", "trim", "urlquery", "html", "js", `default "-"`, `replace "1" "one"`, "index .Match", "_show",
			"upper", "html", "slice", "slice .Text 1", "join", "len", "print", `printf "%v"`, "not", ".Text", "index")
	}
	return p
}

func (g *grammar) command(depth int) string {
	a := func() string { return g.operand(depth) }
	switch g.pick(16) {
	case 0, 1, 2, 3:
		return a()
	case 4:
		return g.one("upper ", "lower ", "trim ", "urlquery ", "html ", "js ", "_show ") + a()
	case 5:
		return "default " + a() + " " + a()
	case 6:
		return "index " + g.one(".Match ", "$.Match ") + g.number()
	case 7:
		return "index .Data " + g.one(`"phone"`, `"empty"`, ".Text", "1")
	case 8:
		return "index " + a() + " " + a()
	case 9:
		return "replace " + g.one(`"1" "22"`, "`a` \"\"", `"" "-"`, ".User .Text", `(lower "A") "b"`) + " " + a()
	case 10, 11:
		return "slice " + a() + " " + g.number()
	case 12, 13:
		return "slice " + a() + " " + g.number() + " " + g.number()
	case 14:
		return g.one("len", "print", "println", "not", "join \",\"", "eq \"\"", "and 1", "or 0") + " " + a()
	default: // as it comes
		return g.one("upper", "slice", "index", "replace", "default", "join", ".Text") + g.one("", " "+a(), " "+a()+" "+a(), " "+a()+" "+a()+" "+a()+" "+a())
	}
}

func (g *grammar) operand(depth int) string {
	switch g.pick(12) {
	case 0, 1, 2, 3, 4:
		return g.one(".Text", ".User", ".UserName", ".Conversation", ".Account", ".Day", "$.Text", ".Members", ".Actor", ".Params.scene", "$.Params.nope")
	case 5, 6:
		return g.one(".Data.phone", "$.Data.phone", ".Data.empty", ".Data.code")
	case 7:
		return g.one(".Match", ".Data", ".", "$", ".Now", ".Now.Unix", ".Response", ".Response.a", "true")
	case 8:
		return g.one(`"text"`, `""`, "`raw`", `"\u00e9\""`)
	case 9:
		return g.number()
	default:
		if depth > 3 {
			return ".Text"
		}
		return "(" + g.pipe(depth+1) + ")"
	}
}

func (g *grammar) number() string {
	return g.one("0", "1", "2", "11", "99", "-1", "3", "4", "5", "6", "7", "8", "1.0", "0x1", "'a'", "1e1", "+1", "1_0", "-0", "9223372036854775807", "18446744073709551615", "1i", "(len .User)")
}
