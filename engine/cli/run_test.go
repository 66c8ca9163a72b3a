package cli_test

import (
	"strings"
	"testing"

	"bot/engine/stub"
)

func TestReloadTellsWhetherItWasApplied(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	p := start(t, s.config)
	answer := func(id, want string) {
		t.Helper()
		s.said(p, id, id, "hi")
		s.until(id+" is answered", func() bool { return len(s.told()[id]) == 1 })
		s.heard(map[string][]string{id: {want}})
	}
	reload := func(config string, code int, out, complaint string) {
		t.Helper()
		s.configure(config)
		got, o, e := s.bot("reload")
		said{got, o, e}.wants(t, code, out, complaint)
	}
	renamed := strings.Replace(realEcho, `"{{.Text}}"`, `"new"`, 1)
	reload(renamed, 0, "reloaded\n", "")
	answer("a", "new")
	for name, c := range map[string][2]string{
		"syntax":          {"\n[[skill]\n", "bot.toml:12:"},
		"a skill's fault": {"\n[[skill]]\nname = \"x\"\n", "bot.toml:12:"},
		"a failing test":  {renamed + "[[skill.test]]\nsend = [\"x\"]\nexpect = [\"old\"]\n", `expected "old", but the bot said "new"`},
		"a fixed setting": {renamed + "\n[queue]\nworkers = 3\n", "need a restart: queue.workers"},
	} {
		reload(c[0], 1, "", c[1])
		if g := s.state(p).Generation; g != 2 {
			t.Errorf("%s: the generation is %d", name, g)
		}
	}
	s.configure(renamed)
	answer("b", "new")
}

func TestRunRefusesABadConfigurationWithEveryProblem(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", strings.Replace(plain, `"generic"`, `"telegram"`, 1)+"[[skill]]\nname = \"x\"\nreply = \"y\"\nmatc = \"any\"\n")
	for _, args := range [][]string{{"run"}, {"-config", "bot.toml"}, nil} {
		got := s.bot(args...)
		got.wants(t, 2, "", `bot.toml:8:11: account "shop"`)
		for _, want := range []string{"telegram", "bot.toml:13:1:", `did you mean "match"?`} {
			if !strings.Contains(got.err, want) {
				t.Errorf("bot %q does not name %s: %s", args, want, got.err)
			}
		}
	}
}

func TestTheLogCanBeText(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+hello+"[log]\nformat = \"text\"\n")
	p := s.start("run")
	p.await(`level=INFO msg=ready callback=127\.0\.0\.1:\d+ admin=127\.0\.0\.1:\d+ console=http://127\.0\.0\.1:\d+/ accounts=1 skills=1`)
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	p.await("msg=stopped")
	for _, line := range strings.Split(strings.TrimSpace(p.printed()), "\n") {
		if !strings.HasPrefix(line, "time=") {
			t.Errorf("a line of another kind: %s", line)
		}
	}
}

func TestAFailingTestDoesNotKeepTheEngineFromStarting(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+strings.Replace(hello, `"您好"]`, `"再见"]`, 1))
	p := s.start("run")
	p.await(`"level":"ERROR".*bot check`)
	p.await(`"msg":"ready"`)
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
