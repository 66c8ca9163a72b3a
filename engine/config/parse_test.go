package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEncodings(t *testing.T) {
	const text = "[server]\r\nlisten = 8080\r\n"
	utf16 := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.Write([]byte{c, 0})
		}
		return b.String()
	}
	for name, c := range map[string]struct{ data, want string }{
		"a byte order mark moves no column":  {"\ufeff[server]\nlisten = 8080\n", "bot.toml:2:10: server.listen: expected a string"},
		"CRLF moves no line":                 {text, "bot.toml:2:10: server.listen: expected a string"},
		"columns count characters":           {"'名字' = 1", "bot.toml:1:1: unknown key \"名字\""},
		"UTF-16 with a mark is named":        {"\xff\xfe" + utf16(text), "bot.toml:1:1: file looks like UTF-16; save it as UTF-8"},
		"UTF-16 without a mark is named":     {utf16(text), "bot.toml:1:1: file looks like UTF-16; save it as UTF-8"},
		"big-endian UTF-16 is named":         {"\xfe\xff\x00[", "bot.toml:1:1: file looks like UTF-16; save it as UTF-8"},
		"GBK is named at its first byte":     {"[[skill]]\nreply = \"\xc4\xfa\xba\xc3\"\n", "bot.toml:2:10: file looks like GBK; save it as UTF-8"},
		"GB18030 of four bytes is named":     {"# \x81\x30\x81\x30\xc4\xfa", "bot.toml:1:3: file looks like GBK; save it as UTF-8"},
		"other encodings are told by a byte": {"# caf\xe9\n", "bot.toml:1:6: file is not UTF-8 (byte 0xE9); save it as UTF-8"},
		"a zero byte is a syntax problem":    {"a = 1\nb\x00", "bot.toml:2:2: TOML files cannot contain control characters"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("bot.toml", []byte(c.data), lookup(nil), nil)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestLinesOfATextEndTheSameWhateverTheEditor(t *testing.T) {
	cfg, err := Parse("bot.toml", []byte("[[skill]]\r\nname = \"\"\"a\r\nb\"\"\"\r\n"), lookup(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	var skill sampleSkill
	if err := cfg.Skills[0].Decode(&skill); err != nil || skill.Name != "a\nb" {
		t.Errorf("got %q, %v", skill.Name, err)
	}
}

func TestEnvironment(t *testing.T) {
	env := lookup(map[string]string{"SET": "value", "EMPTY": "", "NESTED": "${SET}", "_X1": "x"})
	for in, want := range map[string]string{
		"plain $5 {x} $":    "plain $5 {x} $",
		"${SET}":            "value",
		"a${SET}b${_X1}c":   "avaluebxc",
		"${UNSET:-}":        "",
		"${UNSET:-de:-f}":   "de:-f",
		"${EMPTY:-default}": "default",
		"${SET:-default}":   "value",
		"${EMPTY}":          "",
		"${NESTED}":         "${SET}",
		"$${SET}":           "${SET}",
		"$$${SET}":          "$${SET}",
		"$${SET} ${SET}":    "${SET} value",
	} {
		if got, wrong := expandString(in, env); wrong != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", in, got, wrong, want)
		}
	}
	for _, in := range []string{"${UNSET}", "${", "${}", "${A B}", "${1A}", "${SET", "${SET:-x", "${SET-x}", "${{.User}}"} {
		if got, wrong := expandString(in, env); wrong == nil {
			t.Errorf("%s: got %q, want a problem", in, got)
		}
	}
}

func TestProblemsInLosesNothing(t *testing.T) {
	a := Problem{File: "a", Line: 2, Col: 1, Msg: "m"}
	b := Problem{File: "a", Line: 1, Col: 9, Msg: "m"}
	plain := errors.New("plain")
	err := errors.Join(Problems{a, b}, errors.Join(a, wrap{b}), wrap{plain})
	got := ProblemsIn(err)
	if want := "wrapped plain\na:1:9: m\na:2:1: m"; got.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(ProblemsIn(nil)) != 0 {
		t.Error("problems in nil")
	}
	var one Problem
	if !errors.As(error(got), &one) {
		t.Error("no Problem in Problems")
	}
}

type wrap struct{ err error }

func (w wrap) Error() string { return "wrapped " + w.err.Error() }
func (w wrap) Unwrap() error { return w.err }

// checkSentences proves that whatever is wrong is told in whole lines with a place.
func checkSentences(t *testing.T, data []byte, cfg *Config, err error) {
	t.Helper()
	if err == nil && cfg == nil {
		t.Fatal("neither a configuration nor an error")
	}
	var ps Problems
	if err != nil && !errors.As(err, &ps) {
		t.Fatalf("error of another kind: %v\n%s", err, data)
	}
	lines := strings.Count(string(data), "\n") + 1
	for _, p := range ps {
		if p.File != "bot.toml" || p.Line < 1 || p.Line > lines || p.Col < 1 || strings.TrimSpace(p.Msg) == "" || strings.ContainsAny(p.Error(), "\n\r") {
			t.Fatalf("not a sentence with a place: %#v\n%s", p, data)
		}
	}
}

func example(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decodeAll asks for everything that a configuration could still refuse.
func decodeAll(cfg *Config) {
	if cfg == nil {
		return
	}
	for _, s := range cfg.Skills {
		var skill sampleSkill
		_ = s.Decode(&skill) // complaints are welcome here, panics are not
		_ = s.Errorf("step.0.ask", "x")
		_ = s.At("step.9.ask")
	}
}

func TestAnyLineOfTheExampleMayBeMissing(t *testing.T) {
	lines := strings.SplitAfter(string(example(t)), "\n")
	for i := range lines {
		data := []byte(strings.Join(lines[:i], "") + strings.Join(lines[i+1:], ""))
		cfg, err := Parse("bot.toml", data, lookup(nil), testChannels("generic"))
		checkSentences(t, data, cfg, err)
		decodeAll(cfg)
	}
}

func TestTheExampleMayBeCutAnywhere(t *testing.T) {
	data := example(t)
	for n := 0; n < len(data); n += 29 {
		cfg, err := Parse("bot.toml", data[:n], lookup(nil), testChannels("generic"))
		checkSentences(t, data[:n], cfg, err)
		decodeAll(cfg)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(example(f))
	files, _ := filepath.Glob("testdata/*.toml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := Parse("bot.toml", data, lookup(map[string]string{"A": "a", "E": ""}), testChannels("generic", "gewe"))
		checkSentences(t, data, cfg, err)
		decodeAll(cfg)
	})
}
