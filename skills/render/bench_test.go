package render

import (
	"strings"
	"testing"
)

// BenchmarkExecute fills texts in as Execute does, and those that have a
// program by their trees too, for comparison.
func BenchmarkExecute(b *testing.B) {
	d := Of(turn())
	d.Text = "00000000042" + strings.Repeat("请问", 30)
	for _, bb := range []struct{ name, text string }{
		{"plain", "您好，请稍候。"},
		{"field", "{{.Text}}"},
		{"words", "您好 {{.UserName}}，已收到 {{.Data.phone}}。"},
		{"slice", "{{slice .Text 0 11}}"},
		{"group", "{{index .Match 1}}"},
		{"if", "{{if .Data.code}}已有{{else}}没有{{end}}"},
		{"fallback", "{{with .Text}}{{.}}{{end}}"},
	} {
		tmpl, err := Parse(bb.text, scope)
		if err != nil {
			b.Fatal(err)
		}
		run := func(b *testing.B, fill func(*Data) (string, error)) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fill(d); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(bb.name, func(b *testing.B) { run(b, tmpl.Execute) })
		if tmpl.program != nil {
			b.Run(bb.name+"/tree", func(b *testing.B) { run(b, func(d *Data) (string, error) { return walk(tmpl.tree, d) }) })
		}
	}
}
