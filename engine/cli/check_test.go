package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// plain is a configuration that is right and takes ports of its own.
const plain = `
[server]
listen = "127.0.0.1:0"
[admin]
listen = "127.0.0.1:0"
[[account]]
name = "shop"
channel = "generic"
base_url = "http://127.0.0.1:9"
`

// hello is a skill with a test.
const hello = `
[[skill]]
name = "hello"
keywords = ["你好"]
reply = "您好"
[[skill.test]]
send = ["你好"]
expect = ["您好"]
`

func TestCheckTellsByItsExitCode(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		code         int
		says         []string // on stderr
	}{
		{"all is well", plain + hello, 0, nil},
		{"a key that there is not", plain + hello + "replly = \"x\"\n", 1, []string{"bot.toml:"}},
		{"a value that cannot be", strings.Replace(plain, `"generic"`, `"telegram"`, 1), 1, []string{"bot.toml:8:11:", "telegram"}},
		{"a syntax error", plain + "[[skill]\n", 1, []string{"bot.toml:10:"}},
		{"a skill that cannot be", plain + "[[skill]]\nname = \"x\"\n", 1, []string{"bot.toml:10:"}},
		{"a template's unknown field", plain + strings.Replace(hello, `reply = "您好"`, `reply = "{{.Usr}}"`, 1), 1, []string{"bot.toml:14:9:", "Usr"}},
		{"a test that fails", plain + strings.Replace(hello, `"您好"]`, `"再见"]`, 1), 1, []string{`bot.toml:15:9: skill "hello": test: after "你好": expected "再见"`}},
		{"a test with an event that there is not", plain + strings.Replace(hello, `send = ["你好"]`, `send = ["/event friend_add"]`, 1), 1, []string{"friend_added"}},
		{"problems here and there are all named", strings.Replace(plain, `"generic"`, `"telegram"`, 1) + "[[skill]]\nname = \"x\"\n[[skill]]\nname = \"x\"\nreply = 5\n", 1,
			[]string{"bot.toml:8:", "bot.toml:10:", "bot.toml:14:"}},
		{"an open admin listener without a token", strings.Replace(plain, "[admin]\nlisten = \"127.0.0.1:0\"", "[admin]\nlisten = \"0.0.0.0:0\"", 1), 1, []string{"admin.token"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			s.write("bot.toml", tt.config)
			got := s.bot("check")
			if got.code != tt.code {
				t.Errorf("exit %d, want %d: %s", got.code, tt.code, got.err)
			}
			for _, want := range tt.says {
				if !strings.Contains(got.err, want) {
					t.Errorf("says %q, want %q", got.err, want)
				}
			}
			if fine := strings.Contains(got.out, "is fine"); fine != (tt.code == 0) || tt.code != 0 && got.out != "" {
				t.Errorf("stdout is %q", got.out)
			}
			if strings.Contains(got.err, "goroutine") {
				t.Errorf("breaks down: %s", got.err)
			}
		})
	}
}

func TestCheckCountsWhatItLookedAt(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+hello)
	s.bot("check").wants(t, 0, "bot.toml is fine (accounts: 1, skills: 1, tests passed: 1)", "")
}

func TestCheckRunsTheTestsOfOneSkill(t *testing.T) {
	s := newShell(t)
	bad := strings.NewReplacer("hello", "bye", "你好", "再见", `"您好"]`, `"慢走"]`).Replace(hello)
	s.write("bot.toml", plain+hello+bad)
	s.bot("check", "-run", "hello").wants(t, 0, "bot.toml is fine (accounts: 1, skills: 2, tests passed: 1)", "")
	s.bot("check", "-run", "bye").wants(t, 1, "", `bot.toml:23:9: skill "bye": test: after "再见": expected "慢走"`)
	s.bot("check", "-run", "helo").wants(t, 1, "", `there is no skill "helo" with a test (did you mean "hello"?)`)
}

func TestCheckSaysOneLineForEachTestThatFails(t *testing.T) {
	s := newShell(t)
	again := "[[skill.test]]\nsend = [\"你好\", \"/wait 1m\", \"/as b\", \"你好\"]\nexpect = [\"您好\", \"再见\\n\"]\n"
	s.write("bot.toml", plain+strings.Replace(hello, `"您好"]`, `"再见"]`, 1)+again)
	got := s.bot("check")
	want := `bot.toml:15:9: skill "hello": test: after "你好": expected "再见", but the bot said "您好"
bot.toml:18:9: skill "hello": test: after "你好" (b): expected "再见\n", but the bot said "您好"
`
	if got.code != 1 || got.err != want {
		t.Errorf("exit %d, says\n%s\nwant\n%s", got.code, got.err, want)
	}
}

func TestCheckWarnsAndPasses(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", "[admin]\nlisten = \"127.0.0.1:0\"\n"+hello)
	s.bot("check").wants(t, 0, "is fine", "warning: bot.toml: there is no [[account]]")
}

// Who is added on WeCom can be welcomed while a code lives, and not be reminded later.
func TestCheckWarnsOfAReminderThatWeComTakesNoMore(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", `
[[account]]
name = "corp"
channel = "wecom"
form = "app"
path = "/callback/corp"
corp_id = "ww0a1b2c3d4e5f6071"
agent_id = 1000002
secret = "s"
callback_token = "tok"
encoding_aes_key = "0123456789012345678901234567890123456789abc"

[[skill]]
name = "welcome"
on = "friend_added"
delay = "1s..2s"
reply = "您好"

[[skill]]
name = "reminder"
on = "friend_added"
stop = false
priority = 1
delay = "5m"
reply = "还在吗"
`)
	got := s.bot("check")
	got.wants(t, 0, "is fine", `skill "reminder": the platform of account "corp" takes no answer to friend_added that comes after 17s: a welcome code lives 20 s`)
	if strings.Contains(got.err, `"welcome"`) {
		t.Errorf("it complains of the welcome too: %s", got.err)
	}
}

func TestCheckCannotReadExitsTwo(t *testing.T) {
	s := newShell(t)
	if err := os.Mkdir(s.path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.path("gone"), s.path("included.toml")); err != nil {
		t.Fatal(err)
	}
	s.write("includes.toml", `include = ["included.toml"]`+plain)
	for _, tt := range []struct{ name, file, says string }{
		{"no such file", "nothing.toml", "`bot init` writes a commented nothing.toml"},
		{"a folder", "folder", "folder"},
		{"an included file that cannot be read", "includes.toml", "included.toml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.bot("check", "-config", tt.file).wants(t, 2, "", tt.says)
			s.bot("check", "-json", "-config", tt.file).wants(t, 2, "", tt.says)
		})
	}
}

func TestCheckAnswersProgramsInJSON(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		code         int
		problems     int
	}{
		{"all is well", plain + hello, 0, 0},
		{"two problems", plain + "[[skill]]\nname = \"x\"\n[[skill]]\nname = \"y\"\n", 1, 2},
		{"a test that fails", plain + strings.Replace(hello, `"您好"]`, `"再见"]`, 1), 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			s.write("bot.toml", tt.config)
			got := s.bot("check", "-json")
			var answer struct {
				OK       *bool
				Problems []string
			}
			if err := json.Unmarshal([]byte(got.out), &answer); err != nil || answer.OK == nil {
				t.Fatalf("answers %q: %v", got.out, err)
			}
			if got.code != tt.code || *answer.OK != (tt.code == 0) || len(answer.Problems) != tt.problems || answer.Problems == nil || got.err != "" {
				t.Errorf("exit %d, answers %s, says %q", got.code, got.out, got.err)
			}
		})
	}
}

// ask is a form with a test.
const ask = `
[[skill]]
name = "ask"
keywords = ["问"]
[[skill.step]]
save = "name"
ask = "名字？"
[[skill.test]]
send = ["问"]
expect = ["名字？"]
`

func TestCheckDrawsTheForms(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		code         int
		out          string
	}{
		{"before it says that all is well", plain + hello + ask, 0, "name: 名字？\n    any answer → done\n"},
		{"also when a test fails", plain + strings.Replace(ask, `["名字？"]`, `["姓名？"]`, 1), 1, `form "ask" (bot.toml:11): contains ["问"]`},
		{"but not when there is nothing to draw", plain + strings.Replace(ask, `save`, `safe`, 1), 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			s.write("bot.toml", tt.config)
			got := s.bot("check", "-graph")
			if got.code != tt.code || !strings.Contains(got.out, tt.out) || tt.out == "" && got.out != "" {
				t.Errorf("exit %d, stdout %q, want %q", got.code, got.out, tt.out)
			}
			if fine := strings.HasSuffix(got.out, "tests passed: 2)\n"); fine != (tt.code == 0) {
				t.Errorf("stdout ends with %q", got.out)
			}
		})
	}
	t.Run("in JSON for programs", func(t *testing.T) {
		s := newShell(t)
		s.write("bot.toml", plain+hello+ask)
		var answer struct{ Graphs []string }
		if err := json.Unmarshal([]byte(s.bot("check", "-graph", "-json").out), &answer); err != nil || len(answer.Graphs) != 1 {
			t.Errorf("answers %q: %v", answer, err)
		}
		if got := s.bot("check", "-json").out; strings.Contains(got, "graphs") {
			t.Errorf("unasked answers %s", got)
		}
	})
}

func TestCheckReadsTheEnvironment(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+"token = \"${SHOP_TOKEN}\"\n"+hello)
	s.bot("check").wants(t, 1, "", "SHOP_TOKEN")
	s.env = []string{"SHOP_TOKEN=x"}
	s.bot("check").wants(t, 0, "is fine", "")
}

func TestInitWritesAConfigurationThatIsFine(t *testing.T) {
	s := newShell(t)
	s.bot("init").wants(t, 0, "bot.toml is written", "")
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	said := s.bot("init", "-force").out
	for _, line := range []string{" check -config bot.toml ", " chat -config bot.toml ", " stub ", " -config bot.toml "} {
		if !strings.Contains(said, "\n  "+path+line) {
			t.Errorf("it does not say to type %q, by the name it was called:\n%s", line, said)
		}
	}
	info, err := os.Stat(s.path("bot.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the file's mode is %o: others could read the secrets that will be in it", mode)
	}
	got := s.bot("check")
	got.wants(t, 0, "bot.toml is fine", "")
	if strings.Contains(got.out, "tests passed: 0") {
		t.Error("its skills have no tests")
	}
}

func TestInitDoesNotOverwriteUnasked(t *testing.T) {
	s := newShell(t)
	s.write("mine.toml", "precious")
	s.bot("init", "-config", "mine.toml").wants(t, 1, "", "mine.toml is there already; -force overwrites it")
	if b, err := os.ReadFile(s.path("mine.toml")); err != nil || string(b) != "precious" {
		t.Errorf("the file is %q, %v", b, err)
	}
	s.bot("init", "-config", "mine.toml", "-force").wants(t, 0, "mine.toml is written", "")
	s.bot("check", "-config", "mine.toml").wants(t, 0, "mine.toml is fine", "")
	s.bot("init", "-config", "no/such/folder/bot.toml").wants(t, 1, "", "write configuration")
}

func TestCheckShowsWhenSchedulesComeNext(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+"[[schedule]]\nname = \"eve\"\nat = \"2196-12-24 09:00\"\ntext = \"x\"\nto = \"r\"\n"+
		"[[schedule]]\nname = \"off\"\nenabled = false\ncron = \"0 9 * * *\"\ntext = \"x\"\nto = \"r\"\n")
	s.bot("check", "-schedules").wants(t, 0, "schedule \"eve\" (2196-12-24 09:00 Asia/Shanghai; text → r): Sat 2196-12-24 09:00 +0800\n"+
		"schedule \"off\" (0 9 * * * Asia/Shanghai; text → r): disabled\n", "")
	s.bot("check", "-json").wants(t, 0, `"schedules":[{"name":"eve","when":"2196-12-24 09:00 Asia/Shanghai","does":"text → r","enabled":true,"next":["2196-12-24T09:00:00+08:00"]}`, "")
}
