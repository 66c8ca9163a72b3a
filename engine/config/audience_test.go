package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

const twoAccounts = oneAccount + "[[account]]\nname = \"desk\"\nchannel = \"generic\"\nbase_url = \"https://example.com\"\n"

func TestAudiences(t *testing.T) {
	dir := folder(t, map[string]string{
		"bot.toml": oneAccount + `
[[audience]]
name = "vip"
labels = ["vip"]
any = ["a", "b"]
without = ["c"]
active_within = "30d"
where = "private"
[[audience]]
name = "all"
account = "shop"
[[audience]]
name = "few"
list = ["u", "g@chatroom"]
file = "ids.txt"
`,
		"ids.txt": "\ufeff# ours\nu1\r\n\n u2 \n",
	})
	cfg, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Audience{
		{Name: "vip", Account: "shop", Labels: []string{"vip"}, Any: []string{"a", "b"}, Without: []string{"c"}, ActiveWithin: engine.Duration(30 * 24 * time.Hour), Where: "private"},
		{Name: "all", Account: "shop", Where: "any"},
		{Name: "few", Account: "shop", Where: "any", List: []string{"u", "g@chatroom"}, File: filepath.Join(filepath.Dir(cfg.Path), "ids.txt")},
	}
	if !reflect.DeepEqual(cfg.Audiences, want) {
		t.Errorf("\n%+v, want\n%+v", cfg.Audiences, want)
	}
}

func TestWhatIsWrongWithAnAudience(t *testing.T) {
	for name, tt := range map[string]struct {
		keys, file string
		want       []string
	}{
		"no name":                      {`labels = ["a"]`, "", []string{`audience needs a name (name = "vip")`}},
		"two of one name":              {"name = \"a\"\n[[audience]]\nname = \"a\"", "", []string{`bot.toml:11:8: audience "a": the name is taken by the audience at bot.toml:9`}},
		"no account":                   {"name = \"a\"\naccount = \"shp\"", "", []string{`bot.toml:10:11: audience "a": account: there is no account "shp" (did you mean "shop"?)`}},
		"an empty list":                {"name = \"a\"\nlist = []", "", []string{`bot.toml:10:8: audience "a": list: there is nobody in it (list = ["wxid_…"`}},
		"an empty id":                  {"name = \"a\"\nlist = [\"u\", \" \"]", "", []string{`bot.toml:10:14: audience "a": list: want an id of 1 to 256 bytes`}},
		"an empty file":                {"name = \"a\"\nfile = \"ids.txt\"", "# nobody\n\n", []string{`bot.toml:10:8: audience "a": file: there is nobody in "ids.txt" (one id a line`}},
		"no file":                      {"name = \"a\"\nfile = \"none.txt\"", "", []string{`bot.toml:10:8: audience "a": file: cannot read "none.txt": no such file or directory (one id a line`}},
		"a file in another encoding":   {"name = \"a\"\nfile = \"ids.txt\"", "\xd6\xd0\xb9\xfa\n", []string{`bot.toml:10:8: audience "a": file: ids.txt:1:1: file looks like GBK; save it as UTF-8`}},
		"a file of something else":     {"name = \"a\"\nfile = \"ids.txt\"", "u\nv\tvip\n", []string{`ids.txt:2:1: audience "a": want one id of 1 to 256 bytes`}},
		"a list and a choice":          {"name = \"a\"\nlist = [\"u\"]\nlabels = [\"x\"]", "", []string{`bot.toml:11:10: audience "a": labels chooses among contacts, and list or file names them: only one can be (make two audiences)`}},
		"no such place":                {"name = \"a\"\nwhere = \"groups\"", "", []string{`bot.toml:10:9: audience "a": where: there is no "groups" (did you mean "group"?)`}},
		"a time that is too short":     {"name = \"a\"\nactive_within = \"12h\"", "", []string{`bot.toml:10:17: audience "a": active_within: 12h0m0s is too short, at least 24h0m0s`}},
		"no labels":                    {"name = \"a\"\nlabels = []", "", []string{`bot.toml:10:10: audience "a": labels is empty (leave it out)`}},
		"an empty label":               {"name = \"a\"\nany = [\"\"]", "", []string{`bot.toml:10:8: audience "a": any: a label cannot be empty`}},
		"with a label and without it":  {"name = \"a\"\nlabels = [\"x\"]\nwithout = [\"y\", \"x\"]", "", []string{`bot.toml:11:17: audience "a": without: nobody can be with the label "x" and without it`}},
		"a key that is not there":      {"name = \"a\"\nlabel = [\"x\"]", "", []string{`unknown key "label" (did you mean "labels"?)`}},
		"a single table":               {"name = \"a\"\n[audience.x]", "", []string{`unknown key "x"`}},
		"something else where text is": {"name = \"a\"\nfile = 7", "", []string{`bot.toml:10:8: audience "a": file: expected a string`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(folder(t, map[string]string{"bot.toml": oneAccount + "timezone = \"UTC\"\ntoken = \"t\"\n\n[[audience]]\n" + tt.keys, "ids.txt": tt.file}))
			problems := ProblemsIn(err)
			if len(problems) != len(tt.want) {
				t.Fatalf("%d problems: %v", len(problems), err)
			}
			for i, want := range tt.want {
				if !strings.Contains(problems[i].Error(), want) {
					t.Errorf("%v, want %s", problems[i], want)
				}
			}
		})
	}
}

func TestOfSeveralAccountsAnAudienceNamesOne(t *testing.T) {
	_, err := load(folder(t, map[string]string{"bot.toml": twoAccounts + "[[audience]]\nname = \"a\"\n"}))
	if err == nil || !strings.Contains(err.Error(), `bot.toml:9:3: audience "a": whose contacts are they? (account = "shop")`) {
		t.Error(err)
	}
}

func TestHowLongPeopleMayBeSilent(t *testing.T) {
	for keys, want := range map[string]string{
		`push_active_within = "90d"`: "",
		`push_active_within = "0s"`:  "",
		`push_active_within = "1h"`:  `bot.toml:4:22: account "shop": push_active_within: 1h0m0s is too short, at least 24h0m0s`,
		`push_active_within = "90"`:  `bot.toml:4:22: account "shop": push_active_within: "90" is not a duration`,
	} {
		_, err := load(folder(t, map[string]string{"bot.toml": people(keys)}))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", keys, err, want)
		}
	}
}
