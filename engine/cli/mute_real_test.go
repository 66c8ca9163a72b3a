package cli_test

import (
	"strings"
	"testing"

	"bot/engine/stub"
)

func TestMutingFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	start(t, s.config)
	for _, step := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"mute", "-account", "shop"}, 0, "nobody is muted\n", ""},
		{[]string{"mute", "-account", "shop", "-for", "2h", "a/b", "张 三"}, 0, "muted: 2\n", ""},
		{[]string{"unmute", "-account", "shop", "张 三", "nobody"}, 0, "unmuted: 2\n", ""},
		{[]string{"mute", "-account", "shop", "-for", "soon", "u"}, 1, "", `user u: "soon" is not a duration`},
		{[]string{"mute", "-account", "shop", "-"}, 0, "muted: 1\n", ""},
		{[]string{"unmute", "-account", "shop", "-"}, 0, "unmuted: 1\n", ""},
		{[]string{"mute", "-account", "shoop", "u"}, 1, "", `user u: there is no account "shoop"`},
		{[]string{"mute", "u"}, 2, "", "say of which account: -account NAME"},
	} {
		code, out, complaints := s.bot(step.args...)
		if code != step.code || out != step.out || !strings.Contains(complaints, step.err) {
			t.Errorf("bot %s: exit %d, %q, %q; want %d, %q, %q", strings.Join(step.args, " "), code, out, complaints, step.code, step.out, step.err)
		}
	}
	code, out, _ := s.bot("mute", "-account", "shop")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 2 || !strings.HasPrefix(lines[1], "a/b ") || !strings.Contains(lines[1], " mute ") {
		t.Errorf("the list, exit %d:\n%s", code, out)
	}
}
