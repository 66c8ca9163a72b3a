package risk

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/config"
)

func TestEveryMistakeIsFoundWithItsPlace(t *testing.T) {
	const valid = "on = \"link\"\naction = \"ignore\"\n"
	for _, tt := range []struct {
		name, row, want string
	}{
		{"no name", "", `:3:3: risk: a row needs a name (name = "flood")`},
		{"no behaviour", "name = \"r\"\naction = \"ignore\"", `:3:3: risk "r": a row needs a behaviour (on = "message")`},
		{"no action", "name = \"r\"\non = \"link\"", `a row needs an action (one of alert, degrade, ignore, mute, block, pause)`},
		{"an unknown behaviour", "name = \"r\"\non = \"links\"\naction = \"ignore\"", `:5:6: risk "r": on: there is no "links" (did you mean "link"?)`},
		{"an unknown action", "name = \"r\"\non = \"link\"\naction = \"mutes\"", `action: there is no "mutes" (did you mean "mute"?)`},
		{"an unknown key", "name = \"r\"\nfore = \"1m\"\n" + valid, `unknown key "fore" (did you mean "for"?)`},
		{"a rate of zero", "name = \"r\"\nmore_than = \"0/m\"\n" + valid, `more_than: "0/m" is not a rate above zero`},
		{"half a message", "name = \"r\"\nmore_than = \"0.5/m\"\n" + valid, `more_than: 0.5/m does not count whole events`},
		{"a length for a link", "name = \"r\"\nover = 5\n" + valid, `over is for on = "long" alone`},
		{"no length", "name = \"r\"\non = \"long\"\nover = 0\naction = \"ignore\"", `over: 0 characters is no text`},
		{"words without any", "name = \"r\"\non = \"words\"\naction = \"ignore\"", `on = "words" needs words`},
		{"an empty list of words", "name = \"r\"\non = \"words\"\nwords = []\naction = \"ignore\"", `words is empty`},
		{"a blank word", "name = \"r\"\non = \"words\"\nwords = [\"a\", \" \"]\naction = \"ignore\"", `:6:15: risk "r": a blank word would be found nowhere`},
		{"a words_file that is not there", "name = \"r\"\nwords_file = \"none.txt\"\n" + valid, `:5:14: risk "r": words_file: cannot read "none.txt": file does not exist`},
		{"replies without a rate", "name = \"r\"\non = \"replies\"\naction = \"ignore\"", `on = "replies" needs more_than`},
		{"replies to a user", "name = \"r\"\non = \"replies\"\nmore_than = \"5/m\"\nper = \"user\"\naction = \"ignore\"", `the bot's answers are counted per`},
		{"words of the bot", "name = \"r\"\non = \"replies\"\nmore_than = \"5/m\"\nwords = [\"a\"]\naction = \"ignore\"", `what the bot answers is not looked at`},
		{"per nobody", "name = \"r\"\nper = \"\"\n" + valid, `per: there is no ""`},
		{"an account that there is not", "name = \"r\"\naccounts = [\"shopp\"]\n" + valid, `there is no account "shopp" (did you mean "shop"?)`},
		{"a place that there is not", "name = \"r\"\nwhere = \"groups\"\n" + valid, `where: there is no "groups" (did you mean "group"?)`},
		{"in nowhere", "name = \"r\"\nin = []\n" + valid, `in is empty`},
		{"in everywhere", "name = \"r\"\nin = [\"*\"]\n" + valid, `"*" names no conversation`},
		{"a time for what takes none", "name = \"r\"\nfor = \"5m\"\n" + valid, `for: ignore takes no time`},
		{"no time", "name = \"r\"\nfor = \"0s\"\non = \"link\"\naction = \"mute\"", `for: no time at all`},
		{"a reply to what is ignored", "name = \"r\"\nreply = \"a\"\n" + valid, `reply is said once for a mute`},
		{"an empty reply", "name = \"r\"\nreply = \" \"\non = \"link\"\naction = \"mute\"", `reply is empty`},
		{"an account that is to block itself", "name = \"r\"\non = \"link\"\nper = \"account\"\naction = \"block\"", `an account cannot block itself`},
		{"the account's own events", "name = \"r\"\non = \"offline\"\naction = \"ignore\"", `offline is about the account itself and cannot be refused`},
		{"group events in private", "name = \"r\"\non = \"member_left\"\nwhere = \"private\"\naction = \"ignore\"", `group_member_left happens in groups only, so this row never hits`},
		{"friends in groups", "name = \"r\"\non = \"friend_request\"\nwhere = \"group\"\naction = \"ignore\"", `friend_request never happens in a group, so this row never hits`},
		{"nothing is left", "name = \"r\"\nin = [\"a\"]\nexcept = [\"a\"]\n" + valid, `this row never hits`},
		{"two of one name", "name = \"r\"\n" + valid + "[[risk]]\nname = \"r\"\n" + valid, `:8:8: risk "r": the name "r" is taken by the row at bot.toml:3`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := parse("[[risk]]\n" + tt.row)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestAllMistakesAreToldAtOnce(t *testing.T) {
	_, _, err := parse("[[risk]]\non = \"linkk\"\nwhere = \"x\"\naction = \"shoot\"\n[[risk]]\nname = \"b\"\n")
	if lines := strings.Count(errors.Join(err).Error(), "\n") + 1; lines != 6 {
		t.Errorf("%d problems:\n%v", lines, err)
	}
}

func TestARowThatShutsOutEverybodyIsWorthAWarning(t *testing.T) {
	_, warnings, err := parse(row1(`on = "message"`, `action = "mute"`))
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Msg, "every message is a hit") {
		t.Errorf("%v, %v", err, warnings)
	}
}

func TestWordsStandInAFile(t *testing.T) {
	dir := t.TempDir()
	load := func(words string) (*Rules, error) {
		t.Helper()
		write(t, filepath.Join(dir, "words.txt"), words)
		write(t, filepath.Join(dir, "bot.toml"), "[[skill]]\nname = \"s\"\n"+row1(`on = "words"`, `words = ["甲"]`, `words_file = "words.txt"`, `action = "ignore"`))
		cfg, err := config.Load(filepath.Join(dir, "bot.toml"), func(string) (string, bool) { return "", false }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return Build([]engine.Section{cfg.Risk[0]}, nil)
	}
	rules, err := load("\ufeff# 禁用词\r\n乙\r\n\r\n  丙 \n")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"甲", "乙", "丙"} {
		if !rules.rows[0].words.in(read(word)) {
			t.Errorf("%s is not found", word)
		}
	}
	for words, want := range map[string]string{
		"# nothing\n\n":    `words_file: there is nothing in "words.txt" (one entry a line`,
		"\xd6\xd0\xb9\xfa": `words_file: words.txt:1:1: file looks like GBK; save it as UTF-8`,
	} {
		if _, err := load(words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", words, err, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The rows that the example shows as comments are a matrix as they stand.
func TestTheExampleIsAMatrix(t *testing.T) {
	data, err := os.ReadFile("../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(data), "#   [[risk]]")
	text, _, ended := strings.Cut(text, "\n\n")
	if !found || !ended {
		t.Fatal("the example has no [[risk]]")
	}
	var rows strings.Builder
	for line := range strings.Lines("#   [[risk]]" + text) {
		rows.WriteString(strings.TrimPrefix(line, "#"))
	}
	if n := rulesOf(t, rows.String()).Len(); n != 5 {
		t.Errorf("%d rows", n)
	}
}

func TestThePageNamesEveryKeyAndValue(t *testing.T) {
	page, err := os.ReadFile("../../docs/risk.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range reflect.TypeFor[keys]().NumField() {
		names = append(names, reflect.TypeFor[keys]().Field(i).Tag.Get("toml"))
	}
	for name := range behaviours {
		names = append(names, name)
	}
	for _, name := range slices.Concat(names, actionNames, perNames) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/risk.md does not name %s", name)
		}
	}
}
