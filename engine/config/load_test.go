package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// folder writes files below a temporary folder and returns it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(dir string) (*Config, error) {
	return Load(filepath.Join(dir, "bot.toml"), lookup(map[string]string{"DIR": "skills.d"}), testChannels("generic"))
}

const oneAccount = "[[account]]\nname = \"shop\"\nchannel = \"generic\"\nbase_url = \"https://example.com\"\n"

func skillNames(cfg *Config) string {
	var names []string
	for _, s := range cfg.Skills {
		names = append(names, s.node.text("name")+"@"+s.At(""))
	}
	return strings.Join(names, " ")
}

func TestIncludedFilesJoinTheMainOneInOrder(t *testing.T) {
	dir := folder(t, map[string]string{
		"bot.toml":        "include = [\"${DIR}/*.toml\", \"extra.toml\", \"*.toml\"]\n" + oneAccount + "[[skill]]\nname = \"m\"\n",
		"skills.d/b.toml": "[[skill]]\nname = \"b\"\n",
		"skills.d/a.toml": "\n[[skill]]\nname = \"a1\"\n[[skill]]\nname = \"a2\"\n",
		"extra.toml":      "timezone = \"UTC\"\n[[skill]]\nname = \"x\"\n[store]\npath = \"x.db\"\n",
	})
	cfg, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "m@bot.toml:6 a1@skills.d/a.toml:2 a2@skills.d/a.toml:4 b@skills.d/b.toml:1 x@extra.toml:2"
	if got := skillNames(cfg); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if cfg.Timezone != "UTC" || cfg.Store.Path != filepath.Join(dir, "x.db") || cfg.Path != filepath.Join(dir, "bot.toml") || len(cfg.Warnings) != 0 {
		t.Errorf("%+v", cfg)
	}
}

func TestWhatIncludedFilesMayNot(t *testing.T) {
	const main = "include = [\"d/*.toml\"]\n[server]\nlisten = \"127.0.0.1:0\"\n" + oneAccount
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"include others": {
			map[string]string{"bot.toml": main, "d/a.toml": "include = [\"b.toml\"]"},
			"d/a.toml:1:1: include does not work in an included file (name all files in the main one)",
		},
		"set again what there is once": {
			map[string]string{"bot.toml": main, "d/a.toml": "\n[server]\nmax_body = \"2MiB\""},
			"d/a.toml:2:2: [server] is already set in bot.toml:2 (keep one of them)",
		},
		"set twice among themselves what there is once": {
			map[string]string{"bot.toml": main, "d/a.toml": "timezone = \"UTC\"", "d/b.toml": "timezone = \"UTC\""},
			"d/b.toml:1:1: timezone is already set in d/a.toml:1 (keep one of them)",
		},
		"name an account again": {
			map[string]string{"bot.toml": main, "d/a.toml": oneAccount},
			"d/a.toml:2:8: account \"shop\": the name is taken by the account at bot.toml:5",
		},
		"be wrong, any of them": {
			map[string]string{"bot.toml": main + "nope = 1", "d/a.toml": "x = ", "d/b.toml": "[skill]\nname = \"s\"", "d/c.toml": "[queue]\nworkers = \"x\""},
			"bot.toml:8:1: account \"shop\": unknown key \"nope\"\n" +
				"d/a.toml:1:4: unexpected EOF; expected value\n" +
				"d/b.toml:1:2: [skill] is a single table, but there may be many (write [[skill]])\n" +
				"d/c.toml:2:11: queue.workers: expected an integer, found the string \"x\"",
		},
		"be absent when named in full": {
			map[string]string{"bot.toml": "include = [\"gone.toml\"]\n" + oneAccount},
			"bot.toml:1:12: include: there is no file \"gone.toml\"",
		},
		"be named by a broken pattern": {
			map[string]string{"bot.toml": "include = [\"[\"]\n" + oneAccount},
			"bot.toml:1:12: include: \"[\" is not a pattern of file names",
		},
		"be larger than the limit": {
			map[string]string{"bot.toml": main, "d/a.toml": strings.Repeat("#", maxFile+1)},
			"d/a.toml: file is larger than 16 MiB",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(folder(t, c.files))
			var ps Problems
			if !errors.As(err, &ps) || ps.Error() != c.want {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestAPatternWithoutFilesIsAWarning(t *testing.T) {
	cfg, err := load(folder(t, map[string]string{"bot.toml": "include = [\"skills.d/*.toml\"]\n" + oneAccount}))
	if err != nil || len(cfg.Warnings) != 1 || cfg.Warnings[0].Error() != `bot.toml:1:12: include: no file matches "skills.d/*.toml"` {
		t.Errorf("%v, %v", cfg, err)
	}
}

func TestAnUnreadableFileIsNoProblemOfItsText(t *testing.T) {
	missing := t.TempDir()
	unreadable := folder(t, map[string]string{"bot.toml/x": ""}) // a folder in its place
	included := folder(t, map[string]string{"bot.toml": "include = [\"*.d\"]", "a.d/x": ""})
	for name, c := range map[string]struct {
		dir    string
		absent bool
	}{"missing": {missing, true}, "unreadable": {unreadable, false}, "unreadable included": {included, false}} {
		_, err := load(c.dir)
		var path *fs.PathError
		var ps Problems
		if !errors.As(err, &path) || errors.As(err, &ps) || errors.Is(err, fs.ErrNotExist) != c.absent {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFileBeyondTheLimitIsAProblem(t *testing.T) {
	big := strings.Repeat("#", maxFile+1)
	_, err := load(folder(t, map[string]string{"bot.toml": big}))
	_, inMemory := Parse("bot.toml", []byte(big), lookup(nil), nil)
	for _, err := range []error{err, inMemory} {
		if err == nil || err.Error() != "bot.toml: file is larger than 16 MiB" {
			t.Errorf("got %v", err)
		}
	}
}

func TestLoadingLeavesTheFileAlone(t *testing.T) {
	const text = "# mine\n" + oneAccount + "\n\n# end"
	dir := folder(t, map[string]string{"bot.toml": text})
	if _, err := load(dir); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	if data, _ := os.ReadFile(filepath.Join(dir, "bot.toml")); string(data) != text || len(entries) != 1 {
		t.Errorf("%d files, %q", len(entries), data)
	}
}

func TestDefaults(t *testing.T) {
	cfg, err := Parse("/etc/bot/bot.toml", []byte(oneAccount), lookup(nil), testChannels("generic"))
	if err != nil {
		t.Fatal(err)
	}
	d := func(d time.Duration) engine.Duration { return engine.Duration(d) }
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Path:          "/etc/bot/bot.toml",
		ShutdownGrace: d(20 * time.Second),
		Timezone:      "Asia/Shanghai",
		Server:        Server{"127.0.0.1:8080", 1 << 20},
		Admin:         Admin{Listen: "127.0.0.1:8081"},
		Store:         Store{"/etc/bot/bot.db", 64 << 20},
		Queue:         Queue{1_000_000, d(time.Second), 64, 5, d(time.Minute)},
		Dedup:         Dedup{d(72 * time.Hour), 20_000_000, d(15 * time.Second)},
		Log:           Log{"info", "json"},
		Replay:        Replay{d(24 * time.Hour), 64 << 20},
		Trace:         Trace{d(7 * 24 * time.Hour), 256 << 20},
		Words:         Words{Action: "replace", Mask: "*"},
		Alert:         Alert{Every: d(10 * time.Minute), AtMost: engine.Rate{N: 20, Per: time.Hour}, Language: "both", BacklogAge: d(time.Minute)},
		Accounts: []Account{{
			Name: "shop", Channel: "generic", Path: "/callback/shop", BaseURL: "https://example.com", Ack: "auto",
			MaxSkew: d(5 * time.Minute), MaxAge: d(10 * time.Minute), Window: d(72 * time.Hour), OnDoubt: "resend", LateReply: "push",
			Timezone: "Asia/Shanghai", Location: shanghai,
			Limit: AccountLimit{Burst: 1, Parallel: 16, UnansweredFor: d(48 * time.Hour), OverQuota: "hold"},
			Retry: Retry{8, engine.Range{Min: time.Second, Max: 5 * time.Minute}, d(24 * time.Hour), d(10 * time.Second)},

			ConfirmWithin: d(5 * time.Second),
		}},
	}
	cfg.Accounts[0].section, cfg.Files = nil, nil
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got\n%+v\nwant\n%+v", cfg, want)
	}
}

func TestAccountsInheritAndOverride(t *testing.T) {
	cfg, err := Parse("bot.toml", []byte(`
timezone = "UTC"
[dedup]
window = "2h"
[[account]]
name = "a"
channel = "generic"
base_url = "https://example.com/api//"
[account.limit.action.send_text]
rate = "1/s"
[[account]]
name = "b"
channel = "generic"
base_url = "https://example.com"
timezone = "Asia/Shanghai"
dedup_window = "1h"
max_age = "0s"
`), lookup(nil), testChannels("generic"))
	if err != nil {
		t.Fatal(err)
	}
	a, b := cfg.Accounts[0], cfg.Accounts[1]
	if a.Location.String() != "UTC" || time.Duration(a.Window) != 2*time.Hour || a.BaseURL != "https://example.com/api" || a.Limit.Action["send_text"].Burst != 1 {
		t.Errorf("%+v", a)
	}
	if b.Location.String() != "Asia/Shanghai" || time.Duration(b.Window) != time.Hour || b.MaxAge != 0 {
		t.Errorf("%+v", b)
	}
}

func TestChangedNamesWhatNeedsARestart(t *testing.T) {
	base := func() *Config {
		cfg, err := Parse("/etc/bot.toml", []byte(oneAccount), lookup(nil), testChannels("generic"))
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	for name, change := range map[string]func(*Config){
		"server.listen":        func(c *Config) { c.Server.Listen = ":1" },
		"server.max_body":      func(c *Config) { c.Server.MaxBody = 2 << 20 },
		"admin.listen":         func(c *Config) { c.Admin.Listen = ":1" },
		"admin.token":          func(c *Config) { c.Admin.Token = NewSecret("t") },
		"store.path":           func(c *Config) { c.Store.Path = "/x.db" },
		"store.min_free":       func(c *Config) { c.Store.MinFree = 1 },
		"queue.workers":        func(c *Config) { c.Queue.Workers = 1 },
		"queue.attempts":       func(c *Config) { c.Queue.Attempts = 1 },
		"queue.retry_for":      func(c *Config) { c.Queue.RetryFor = 1 },
		"dedup.window":         func(c *Config) { c.Dedup.Window = 1 },
		"dedup.max_keys":       func(c *Config) { c.Dedup.MaxKeys = 1 },
		"dedup.command_window": func(c *Config) { c.Dedup.CommandWindow = 1 },
		"log.level":            func(c *Config) { c.Log.Level = "debug" },
		"log.format":           func(c *Config) { c.Log.Format = "text" },
		"shutdown_grace":       func(c *Config) { c.ShutdownGrace = 1 },
		"account.dedup_window": func(c *Config) { c.Accounts[0].Window = 400 * 24 * engine.Duration(time.Hour) },
	} {
		next := base()
		change(next)
		if got := Changed(base(), next); !reflect.DeepEqual(got, []string{name}) {
			t.Errorf("%s: got %v", name, got)
		}
	}
	next := base()
	next.Queue.Backlog, next.Queue.MaxCommitWait, next.Accounts, next.Limit.Rate = 1, 1, nil, engine.Rate{N: 1, Per: time.Second}
	next.Replay = Replay{}
	if got := Changed(base(), next); got != nil {
		t.Errorf("got %v for settings that a reload takes over", got)
	}
}

// A new key of these tables must be thought about: can a running process take it over?
func TestChangedKnowsEveryKeyOfItsTables(t *testing.T) {
	for typ, want := range map[reflect.Type]int{reflect.TypeFor[Server](): 2, reflect.TypeFor[Admin](): 2, reflect.TypeFor[Store](): 2,
		reflect.TypeFor[Queue](): 5, reflect.TypeFor[Dedup](): 3, reflect.TypeFor[Log](): 2} {
		if n := typ.NumField(); n != want {
			t.Errorf("%v has %d keys, Changed knows %d", typ, n, want)
		}
	}
}

func TestTheExampleStartsAsItIs(t *testing.T) {
	cfg, err := Load("../../config.example.toml", lookup(nil), testChannels("generic", "sandbox"))
	if err != nil || len(cfg.Warnings) > 0 {
		t.Fatalf("%v, %v", err, cfg.Warnings)
	}
	a := cfg.Accounts[0]
	if !isLoopback(cfg.Server.Listen) || !isLoopback(cfg.Admin.Listen) || len(cfg.Accounts) != 2 || a.Name != "shop" ||
		a.Path != "/api/gateway/callback" || a.BaseURL != "http://127.0.0.1:9090" || a.AppID != "wx_demo" {
		t.Errorf("%+v", cfg)
	}
	for _, s := range cfg.Skills {
		if !s.Has("test.0.send.0") || !s.Has("test.0.expect.0") {
			t.Errorf("%s has no test", s.At(""))
		}
	}
}

var commentedKey = regexp.MustCompile(`(?m)^# ([a-z_]+ = )`)

// With the comment sign taken off, the keys that the example leaves out say
// what holds without them.
func TestTheExampleTellsTheDefaults(t *testing.T) {
	text := string(example(t))
	as := func(text string) *Config {
		cfg, err := Parse("bot.toml", []byte(text), lookup(nil), testChannels("generic", "sandbox"))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Skills, cfg.Warnings, cfg.Files = nil, nil, nil
		for i := range cfg.Accounts {
			cfg.Accounts[i].section = nil
		}
		return cfg
	}
	quiet, spoken := as(text), as(commentedKey.ReplaceAllString(text, "$1"))
	// These have no default, or one that depends on the channel.
	spoken.Include, spoken.Limit.Rate, spoken.Accounts[0].Names = nil, engine.Rate{}, nil
	l := &spoken.Accounts[0].Limit
	l.Rate, l.PerConversation, l.ReplyDelay, l.Gap = engine.Rate{}, engine.Rate{}, engine.Range{}, engine.Range{}
	l.PushPerDay, l.PushPerUserPerDay, l.Unanswered = 0, 0, 0
	if !reflect.DeepEqual(quiet, spoken) {
		t.Errorf("defaults\n%+v\nthe example says\n%+v", quiet, spoken)
	}
}

func TestTheExampleHasEveryKey(t *testing.T) {
	text := string(example(t))
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Slice, reflect.Map:
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || isText(typ) {
			return
		}
		for _, f := range fieldsOf(typ) {
			if !regexp.MustCompile(`(?m)(^(# +)?` + f.name + ` = |^\[+(account\.)?(limit\.)?` + f.name + `\b)`).MatchString(text) {
				t.Errorf("%v: no %q in the example", typ, f.name)
			}
			visit(f.typ)
		}
	}
	visit(reflect.TypeFor[Config]())
}

func TestWhatABrokenFileMayHoldIsNotMissed(t *testing.T) {
	cfg, err := load(folder(t, map[string]string{"bot.toml": `include = ["a.toml"]`, "a.toml": "[[account]\n"}))
	if len(ProblemsIn(err)) != 1 || cfg == nil || len(cfg.Warnings) != 0 {
		t.Errorf("%v, %+v", err, cfg)
	}
}
