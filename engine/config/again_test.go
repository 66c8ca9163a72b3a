package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFilesAreReadAgainWhateverTheyHoldNow(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("bot.toml", "include = [\"[a-c].toml\"]\n")
	for _, name := range []string{"a.toml", "b.toml", "c.toml"} {
		file(name, "")
	}
	cfg, err := Load(filepath.Join(dir, "bot.toml"), lookup(nil), nil)
	if err != nil || len(cfg.Files) != 4 {
		t.Fatalf("%+v, %v", cfg, err)
	}
	file("bot.toml", "[[[ no TOML\r\n")
	file("a.toml", "\xff\xfe no text")
	if err := os.Remove(filepath.Join(dir, "b.toml")); err != nil {
		t.Fatal(err)
	}
	if got, want := cfg.ReadAgain(), []File{{"bot.toml", "[[[ no TOML\n"}, {"c.toml", ""}}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
