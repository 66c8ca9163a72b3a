package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"bot/engine/stub"
)

// breakFile leaves the configuration as somebody who is in the midst of editing it.
func (s *scene) breakFile(old, broken string) {
	s.t.Helper()
	text := strings.Replace(realHead+realEcho, old, broken, 1)
	if old == "" {
		text += broken
	}
	write(s.t, s.dir, "bot.toml", strings.NewReplacer("HOME", s.home, "PLATFORM", s.address).Replace(text))
}

// An engine goes on while its file is broken, and can be told what to do.
func TestTheEngineOfABrokenFileIsReached(t *testing.T) {
	s := newScene(t, stub.Options{}, realEcho)
	start(t, s.config)
	s.breakFile("", "\n[[skill]\nname = ")
	for _, tt := range []struct {
		verb string
		code int
		out  string
	}{
		{"health", 0, "ready"},
		{"pause -all", 0, "paused: shop"},
		{"status", 0, "shop"},
		{"resume -all", 0, "resumed: shop"},
		{"dead list", 0, ""},
		{"commands list", 0, ""},
		{"trace nothing", 1, ""},
		{"backup " + filepath.Join(s.dir, "copy.db"), 0, "checked"},
	} {
		code, out, complaints := s.bot(strings.Fields(tt.verb)...)
		if code != tt.code || !strings.Contains(out, tt.out) || !strings.HasPrefix(complaints, "warning: bot.toml:") {
			t.Errorf("%s: exit %d, %q %q", tt.verb, code, out, complaints)
		}
	}
	if code, _, complaints := s.bot("reload"); code != 1 || strings.Count(complaints, "bot.toml:") != 1 || !strings.Contains(complaints, "nothing was reloaded") {
		t.Errorf("reload: exit %d, %q", code, complaints)
	}
	if code, _, complaints := s.bot("compact"); code != 2 || strings.Contains(complaints, "warning") {
		t.Errorf("compact works on no store by a broken file: exit %d, %q", code, complaints)
	}

	s.breakFile("[server]", "[store]\npath = \"elsewhere.db\n[server]")
	if code, _, complaints := s.bot("pause", "-all"); code != 2 || !strings.Contains(complaints, "store.path cannot be read") {
		t.Errorf("where the store is not known: exit %d, %q", code, complaints)
	}
	if code, _, complaints := s.bot("health"); code != 1 || !strings.Contains(complaints, "store.path cannot be read") {
		t.Errorf("health, where the store is not known: exit %d, %q", code, complaints)
	}
}
