package reference_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/config"
	"bot/engine/config/reference"
	"bot/engine/risk"
	"bot/skills"
	"bot/skills/kind"
	"bot/skills/match"
	"bot/skills/timed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the files")

const root = "../../.."

// titles are what the kinds of skill are called, in the order in which they are explained.
var titles = []struct{ key, title string }{
	{"reply", "an answer"}, {"do", "an action"}, {"http", "a web service"}, {"step", "a form"},
	{"llm", "a language model"}, {"handoff", "a hand-off"}, {"relay", "a relay"},
}

// describe reads the whole configuration.
func describe(t testing.TB) *reference.Reference {
	t.Helper()
	empty, err := config.Parse("/bot.toml", nil, os.LookupEnv, nil)
	if err != nil {
		t.Fatal(err)
	}
	// A path is shown as an operator would write it, not as it was resolved.
	empty.Store.Path, err = filepath.Rel(filepath.Dir(empty.Path), empty.Store.Path)
	if err != nil {
		t.Fatal(err)
	}
	var channels []string
	account := reference.Source{Path: "account", Many: true, Value: config.Account{}}
	for _, c := range app.Channels() {
		channels = append(channels, c.Name)
		for _, form := range forms(c) {
			account.Variants = append(account.Variants, reference.Variant{When: name(c.Name, form), Value: defaultAccount(t, c.Name, form)})
		}
	}
	sources := []reference.Source{
		{Value: *empty, About: "What stands before the first table."}, account,
		{Path: "skill", Many: true, Title: "what all kinds have", Value: kind.Defaults()},
	}
	for _, k := range titles {
		i := slices.IndexFunc(skills.Kinds(), func(x kind.Kind) bool { return x.Key == k.key })
		sources = append(sources, reference.Source{Path: "skill", Many: true, Title: k.title, Value: skills.Kinds()[i].Config})
	}
	sources = append(sources,
		reference.Source{Path: "schedule", Many: true, Value: timed.Table()},
		reference.Source{Path: "audience", Many: true, Value: config.Audience{}},
		reference.Source{Path: "risk", Many: true, Value: risk.Table()},
	)
	var plain []string
	for _, a := range engine.Actions() {
		plain = append(plain, string(a))
	}
	plain = append(plain, "external_group.member.add")
	ref, err := reference.Read(root, sources, map[string][]string{
		"channels": channels, "events": engine.KindNames(), "behaviours": risk.Behaviours(),
		"alert kinds": config.AlertKinds(), "alert formats": config.AlertFormats(),
		"plain actions": plain, "actions": append(plain, string(engine.Unsubscribe), string(engine.Subscribe)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func forms(c config.Channel) []string {
	if len(c.Forms) == 0 {
		return []string{""}
	}
	return c.Forms
}

func name(channel, form string) string {
	if form == "" {
		return channel
	}
	return channel + " " + form
}

// defaultAccount is an account that says nothing. What it lacks does not matter here.
func defaultAccount(t testing.TB, channel, form string) config.Account {
	t.Helper()
	text := "[[account]]\nname = \"a\"\nchannel = \"" + channel + "\"\n"
	if form != "" {
		text += "form = \"" + form + "\"\n"
	}
	cfg, _ := config.Parse("/bot.toml", []byte(text), os.LookupEnv, app.Channels())
	if cfg == nil || len(cfg.Accounts) != 1 {
		t.Fatalf("%s: no account", text)
	}
	return cfg.Accounts[0]
}

// check is `bot check` without the dialogues: everything that is wrong with a file.
// Variables of the environment hold what fits; so do the files that examples name.
func check(t testing.TB, text string) error {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"words.txt": "刷单", "ids.txt": "wxid_a", "pilot.txt": "wxid_a", "robot.url": "https://example.com/robot"} {
		write(t, filepath.Join(folder, name), text)
	}
	path := filepath.Join(folder, "bot.toml")
	write(t, path, text)
	client := &http.Client{}
	_, err := app.Prepare(func() (*config.Config, error) { return config.Load(path, env, app.Channels()) }, build, client)
	client.CloseIdleConnections()
	return err
}

func env(name string) (string, bool) {
	if strings.HasSuffix(name, "_AES_KEY") {
		return "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG", true
	}
	return "test", true
}

func build(sections []engine.Section, a app.Accounts) (app.Skills, error) {
	set, err := skills.Build(sections, skills.Options{
		Accounts: a.Names, Selves: a.Selves, Can: a.Can, Cannot: a.Cannot, Within: a.Within, Takes: a.Takes, TextLimit: a.TextLimit,
		Folding: match.NewFolding(a.Folding.FoldTraditional), Hours: a.Hours, Location: a.Location,
		Fetch: a.Fetch, Schedules: a.Schedules, Audiences: a.Audiences,
	})
	if err != nil {
		return nil, err
	}
	return set, nil
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
