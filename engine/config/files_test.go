package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bot/engine"
)

var update = flag.Bool("update", false, "write the messages of testdata/*.toml as they are now")

// lookup is an environment for tests.
func lookup(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

// sampleSkill stands in for the structs that the skills' owners decode into.
type sampleSkill struct {
	common
	Reply    any             `toml:"reply"`
	Patterns []string        `toml:"patterns"`
	Delay    engine.Duration `toml:"delay"`
	Weight   float64         `toml:"weight"`
	Steps    []struct {
		Save    string `toml:"save"`
		Ask     string `toml:"ask"`
		Pattern string `toml:"pattern"`
	} `toml:"step"`
}

type common struct {
	Name     string   `toml:"name"`
	Keywords []string `toml:"keywords"`
	Enabled  *bool    `toml:"enabled"`
	Priority int      `toml:"priority"`
}

// Every testdata/NAME.toml has all its messages in NAME.want, problems first.
func TestMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".toml"), func(t *testing.T) {
			got := messages(t, file)
			wantFile := strings.TrimSuffix(file, ".toml") + ".want"
			if *update {
				if err := os.WriteFile(wantFile, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(wantFile)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("messages\n%s\nwant\n%s", got, want)
			}
			if strings.Contains(got, "hidden") {
				t.Errorf("a secret is shown:\n%s", got)
			}
		})
	}
}

// messages loads a file, decodes its skills as their owners would, and prints
// everything that is said about it.
func messages(t *testing.T, file string) string {
	t.Helper()
	cfg, err := Load(file, lookup(map[string]string{"SHOP": "shop"}), testChannels("generic", "gewe"))
	all := []error{err}
	var warnings []Problem
	if cfg != nil {
		for _, s := range cfg.Skills {
			var skill sampleSkill
			all = append(all, s.Decode(&skill))
		}
		warnings = cfg.Warnings
	}
	var b strings.Builder
	for _, p := range ProblemsIn(errors.Join(all...)) {
		b.WriteString(p.Error() + "\n")
	}
	for _, p := range warnings {
		b.WriteString("warning: " + p.Error() + "\n")
	}
	return b.String()
}
