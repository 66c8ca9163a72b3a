//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a pipe that nobody writes to would wait for ever.
func TestAPipeIsNoConfiguration(t *testing.T) {
	dir := t.TempDir()
	main := filepath.Join(dir, "bot.toml")
	if err := os.WriteFile(main, []byte("include = [\"skills.d/*.toml\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "skills.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "skills.d", "f.toml"), 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	if _, err := Load(main, lookup(nil), testChannels("generic")); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("got %v", err)
	}
}
