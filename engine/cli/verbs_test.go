package cli_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestAnUnknownCommandIsRefusedWithAHint(t *testing.T) {
	s := newShell(t)
	s.bot("chekc").wants(t, 2, "", `there is no command "chekc" (did you mean "check"?); `+"`bot help` lists them")
	s.bot("frobnicate").wants(t, 2, "", `there is no command "frobnicate"; `+"`bot help` lists them")
}

// commands are those that the program's help lists.
func (s *shell) commands() []string {
	s.Helper()
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^  ([\w-]+) +\S`).FindAllStringSubmatch(s.help("help").out, -1) {
		names = append(names, m[1])
	}
	return names
}

// helps is what was answered to each request for help: the same each time, and
// asked for by hundreds of mentions in the READMEs.
var helps sync.Map

// help is bot for what only asks for help.
func (s *shell) help(args ...string) said {
	s.Helper()
	asked := strings.Join(args, " ")
	told, known := helps.Load(asked)
	if !known {
		told = s.bot(args...)
		helps.Store(asked, told)
	}
	return told.(said)
}

func TestHelpListsTheCommands(t *testing.T) {
	s := newShell(t)
	for _, args := range [][]string{{"help"}, {"-h"}, {"-help"}, {"--help"}, {"run", "-help"}} {
		s.bot(args...).wants(t, 0, "usage: bot", "")
	}
	listed := s.commands()
	for _, verb := range []string{"run", "init", "check", "chat", "stub", "dead", "reload", "loadtest", "version"} {
		if !slices.Contains(listed, verb) {
			t.Errorf("does not list %s", verb)
		}
	}
}

func TestEveryCommandExplainsItsFlags(t *testing.T) {
	s := newShell(t)
	for _, verb := range s.commands() {
		if verb == "run" { // what it takes is what all take
			continue
		}
		got := s.bot(verb, "-help")
		got.wants(t, 0, "", "usage: bot "+verb)
		if !strings.Contains(got.err, "-config") {
			t.Errorf("%s does not name its flags: %q", verb, got.err)
		}
	}
}

func TestBadArgumentsAreExplained(t *testing.T) {
	s := newShell(t)
	for _, args := range []string{
		"check extra", "init extra", "chat extra", "reload extra", "run extra", "version extra",
		"check -frob", "dead", "dead show", "dead drop", "dead replay", "dead list 5", "dead replay 5 -all", "dead bury 5", "dead frob",
	} {
		t.Run(args, func(t *testing.T) {
			s.bot(strings.Fields(args)...).wants(t, 2, "", "usage: bot "+strings.Fields(args)[0])
		})
	}
	s.bot("dead", "show", "five").wants(t, 2, "", `"five" is not the id of a dead letter`)
	s.bot("stub", "-fail", "lots").wants(t, 2, "", `"lots" is not a share`)
	s.bot("stub", "-throttle", "fast").wants(t, 2, "", `"fast" is not a rate`)
	s.bot("stub", "-channel", "telegram").wants(t, 2, "", `no stub for channel "telegram"`)
	s.bot("stub", "-channel", "gewe", "-callback", "http://127.0.0.1:1").wants(t, 2, "", `-callback needs -account`)
}

func TestFlagsMayStandAfterArguments(t *testing.T) {
	s := newShell(t)
	// All of them go as far as looking for the file that -config names.
	for _, args := range []string{"dead list -config x.toml -json", "dead -config x.toml list", "dead show 1 2 -config x.toml", "check -json -config x.toml"} {
		got := s.bot(strings.Fields(args)...)
		got.wants(t, 2, "", "x.toml")
		if strings.Contains(got.err, "usage:") {
			t.Errorf("%s: %s", args, got.err)
		}
	}
}

func TestVersionIsOneLine(t *testing.T) {
	got := newShell(t).bot("version")
	got.wants(t, 0, "bot ", "")
	if !regexp.MustCompile(`^bot \S+\n$`).MatchString(got.out) {
		t.Errorf("prints %q", got.out)
	}
}

func TestVersionForPrograms(t *testing.T) {
	got := newShell(t).bot("version", "-json")
	var told map[string]string
	if err := json.Unmarshal([]byte(got.out), &told); err != nil || got.code != 0 || told["version"] == "" {
		t.Errorf("exit %d, prints %q: %v", got.code, got.out, err)
	}
}

func TestWithoutAConfigurationTheWayToOneIsNamed(t *testing.T) {
	s := newShell(t)
	for _, args := range [][]string{nil, {"run"}, {"check"}, {"chat"}, {"reload"}, {"dead", "list"}} {
		got := s.bot(args...)
		code := 2
		if len(args) > 0 && args[0] == "reload" {
			code = 1 // the only other answer it has
		}
		got.wants(t, code, "", "`bot init` writes a commented bot.toml")
	}
}

func TestVerbsThatNeedTheEngineSayThatThereIsNone(t *testing.T) {
	s := newShell(t)
	s.bot("init")
	for _, args := range [][]string{{"reload"}, {"dead", "list"}} {
		s.bot(args...).wants(t, 1, "", "no running engine was found for bot.toml")
	}
}
