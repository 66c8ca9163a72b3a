package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"bot/engine/stub"
)

func TestBlockingFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	start(t, s.config)
	for _, step := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"block", "-account", "shop"}, 0, "nobody is blocked or has unsubscribed\n", ""},
		{[]string{"block", "-account", "shop", "a/b", "张 三"}, 0, "blocked: 2\n", ""},
		{[]string{"block", "a/b", "-account", "shop"}, 0, "blocked: 1\n", ""},
		{[]string{"unblock", "-account", "shop", "张 三", "nobody"}, 0, "unblocked: 2\n", ""},
		{[]string{"block", "-account", "shoop", "u"}, 1, "", `user u: there is no account "shoop"`},
		{[]string{"block", "-account", "shoop"}, 1, "", `there is no account "shoop"`},
		{[]string{"block", "u"}, 2, "", "say of which account: -account NAME"},
		{[]string{"unblock", "-account", "shop"}, 2, "", "usage: bot unblock"},
	} {
		code, out, complaints := s.bot(step.args...)
		if code != step.code || out != step.out || !strings.Contains(complaints, step.err) {
			t.Errorf("bot %s: exit %d, %q, %q; want %d, %q, %q", strings.Join(step.args, " "), code, out, complaints, step.code, step.out, step.err)
		}
	}
	code, out, _ := s.bot("block", "-account", "shop")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 2 || !strings.HasPrefix(lines[1], "a/b ") || !strings.HasSuffix(lines[1], " -") {
		t.Errorf("the list, exit %d:\n%s", code, out)
	}
	code, out, _ = s.bot("block", "-account", "shop", "-json")
	var people []map[string]any
	if err := json.Unmarshal([]byte(out), &people); err != nil || code != 0 || len(people) != 1 || people[0]["user"] != "a/b" {
		t.Errorf("the list in JSON, exit %d: %s", code, out)
	}
}
