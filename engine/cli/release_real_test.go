package cli_test

import (
	"strings"
	"testing"

	"bot/engine/stub"
)

func TestReleasingFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	start(t, s.config)
	for _, step := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"release", "-account", "shop", "u1"}, 1, "", "conversation u1: nobody has taken over the conversation u1"},
		{[]string{"release", "-account", "shoop", "u1"}, 1, "", `conversation u1: there is no account "shoop"`},
		{[]string{"release", "u1"}, 2, "", "say of which account: -account NAME"},
		{[]string{"release", "-account", "shop"}, 2, "", "usage: bot release"},
	} {
		code, out, complaints := s.bot(step.args...)
		if code != step.code || out != step.out || !strings.Contains(complaints, step.err) {
			t.Errorf("bot %s: exit %d, %q, %q; want %d, %q, %q", strings.Join(step.args, " "), code, out, complaints, step.code, step.out, step.err)
		}
	}
}
