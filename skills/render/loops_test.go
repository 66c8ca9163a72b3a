package render

import (
	"strings"
	"testing"
)

func TestLoopsThatWriteNothingEnd(t *testing.T) {
	tmpl, err := Parse("{{range len .Text}}{{range len $.Text}}{{range len $.Text}}{{end}}{{end}}{{end}}ok", Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := tmpl.Execute(&Data{Text: "short"}); out != "ok" || err != nil {
		t.Errorf("a short one makes %q, %v", out, err)
	}
	if _, err := tmpl.Execute(&Data{Text: strings.Repeat("x", 4000)}); err == nil || !strings.Contains(err.Error(), "go round") {
		t.Errorf("a long one ends with %v", err)
	}
}

func TestALoopTooLongForAnyTextIsAProblemAtOnce(t *testing.T) {
	for _, text := range []string{"{{range 10000000000}}{{end}}", "{{range 10000000000}}x{{end}}", "{{if true}}{{with 1}}{{range 100000}}{{end}}{{end}}{{end}}"} {
		if _, err := Parse(text, Scope{}); err == nil || !strings.Contains(err.Error(), "go round") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOperatorsCannotNameTheCounter(t *testing.T) {
	for _, text := range []string{"{{.Round}}", "{{$.Round}}", "{{.rounds}}"} {
		if _, err := Parse(text, Scope{}); err == nil || strings.Contains(err.Error(), "rounds,") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestLoopsOverWhatIsThereGoAllTheWay(t *testing.T) {
	tmpl, err := Parse("{{range $i, $x := .Match}}{{if $i}}, {{end}}{{$x}}{{else}}none{{end}}", Scope{Groups: 3})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := tmpl.Execute(&Data{Match: []string{"a", "b", "c"}}); out != "a, b, c" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := tmpl.Execute(&Data{}); out != "none" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}
