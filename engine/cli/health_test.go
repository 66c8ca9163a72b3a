package cli_test

import (
	"testing"

	"bot/engine/stub"
)

func TestHealthIsWhetherCallbacksAreTaken(t *testing.T) {
	s := newScene(t, stub.Options{}, realEcho)
	if code, _, complaints := s.bot("health"); code != 1 || complaints == "" {
		t.Errorf("with no engine: exit %d, %q", code, complaints)
	}
	p := start(t, s.config)
	if code, out, complaints := s.bot("health"); code != 0 || out != "ready\n" {
		t.Errorf("beside a running engine: exit %d, %q %q", code, out, complaints)
	}
	p.kill() // what it left beside the store still names it
	if code, _, complaints := s.bot("health"); code != 1 || complaints == "" {
		t.Errorf("after it was killed: exit %d, %q", code, complaints)
	}
}
