package cli_test

import (
	"strings"
	"testing"

	"bot/engine/stub"
)

func TestSchedulesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho+"[[schedule]]\nname = \"morning\"\ncron = \"0 9 * * mon-fri\"\ntext = \"早\"\nto = \"room\"\n")
	start(t, s.config)
	for _, step := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"schedule"}, 0, "morning  0 9 * * mon-fri Asia/Shanghai  text → room  ", ""},
		{[]string{"schedule", "run", "morning"}, 0, "begun: 1\n", ""},
		{[]string{"schedule", "list"}, 0, "morning  ", ""},
		{[]string{"schedule", "list", "-json"}, 0, `[{"name":"morning","account":"shop"`, ""},
		{[]string{"schedule", "run", "evening"}, 1, "", "schedule evening: there is no schedule of that name"},
		{[]string{"schedule", "run"}, 2, "", "usage: bot schedule"},
		{[]string{"schedule", "stop", "morning"}, 2, "", "usage: bot schedule"},
	} {
		code, out, complaints := s.bot(step.args...)
		if code != step.code || !strings.Contains(out, step.out) || !strings.Contains(complaints, step.err) {
			t.Errorf("bot %s: exit %d, %q, %q; want %d, %q, %q", strings.Join(step.args, " "), code, out, complaints, step.code, step.out, step.err)
		}
	}
}
