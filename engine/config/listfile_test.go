package config

import (
	"slices"
	"strings"
	"testing"

	"bot/engine"
)

// people is a configuration whose account has those keys.
func people(keys string) string {
	return "[[account]]\nname = \"shop\"\nchannel = \"generic\"\n" + keys + "\nbase_url = \"http://localhost\"\n"
}

func TestAListMayStandInAFileAndBesideIt(t *testing.T) {
	for name, tt := range map[string]struct {
		keys, file string
		want       engine.List
	}{
		"in its key":               {"blocked = [\"a\", \"b\"]", "", engine.List{"a", "b"}},
		"in a file":                {"blocked_file = \"b.txt\"", "\ufeffa\r\n\r\n# nobody\n  b c \n", engine.List{"a", "b c"}},
		"in both, the file behind": {"blocked_file = \"b.txt\"\nblocked = [\"z\"]", "a", engine.List{"z", "a"}},
		"nowhere":                  {"", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := load(folder(t, map[string]string{"bot.toml": people(tt.keys), "b.txt": tt.file}))
			if err != nil {
				t.Fatal(err)
			}
			if got := cfg.Accounts[0].Blocked; !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhatIsWrongWithAListOfPeople(t *testing.T) {
	for name, tt := range map[string]struct{ keys, file, want string }{
		"an empty list":       {"test_users = []", "", `bot.toml:4:14: account "shop": test_users is empty: leave it out (test_users = ["wxid_…", "12345@chatroom"])`},
		"an empty id":         {"blocked = [\"a\", \" \"]", "", `bot.toml:4:17: account "shop": blocked: an empty id is nobody's`},
		"not a list":          {"blocked = \"a\"", "", `bot.toml:4:11: account "shop": blocked: expected a list of strings, found the string "a" (write ["a"])`},
		"no file's name":      {"blocked_file = [\"a\"]", "", `bot.toml:4:16: account "shop": blocked_file: expected a string, found a list`},
		"a file that is none": {"blocked_file = \"none\"", "", `bot.toml:4:16: account "shop": blocked_file: cannot read "none": no such file or directory (one entry a line`},
		"a file of comments":  {"test_users_file = \"b.txt\"", "# a\n\n", `bot.toml:4:19: account "shop": test_users_file: there is nothing in "b.txt" (one entry a line`},
		"another encoding":    {"blocked_file = \"b.txt\"", "\xd6\xd0\xb9\xfa", `blocked_file: b.txt:1:1: file looks like GBK; save it as UTF-8`},
		"a mistyped file key": {"blocked_fil = \"b.txt\"", "", `unknown key "blocked_fil" (did you mean "blocked_file"?)`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(folder(t, map[string]string{"bot.toml": people(tt.keys), "b.txt": tt.file}))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
			if n := len(ProblemsIn(err)); n != 1 {
				t.Errorf("%d problems: %v", n, err)
			}
		})
	}
}

func TestIncludedFilesMayAddRowsOfRisk(t *testing.T) {
	cfg, err := load(folder(t, map[string]string{
		"bot.toml": "include = [\"more.toml\"]\n[[risk]]\nname = \"a\"\n", "more.toml": "[[risk]]\nname = \"b\"\n",
	}))
	if err != nil || len(cfg.Risk) != 2 || cfg.Risk[1].At("name") != "more.toml:2" {
		t.Errorf("%v, %v", cfg.Risk, err)
	}
	_, err = load(folder(t, map[string]string{"bot.toml": "[risk]\nname = \"a\"\n"}))
	if err == nil || !strings.Contains(err.Error(), "write [[risk]]") {
		t.Errorf("a single table: %v", err)
	}
}

func TestIncludedFilesMayAddSchedules(t *testing.T) {
	cfg, err := load(folder(t, map[string]string{
		"bot.toml": "include = [\"more.toml\"]\n[[schedule]]\nname = \"a\"\n", "more.toml": "[[schedule]]\nname = \"b\"\n",
	}))
	if err != nil || len(cfg.Schedules) != 2 || cfg.Schedules[1].At("name") != "more.toml:2" {
		t.Errorf("%v, %v", cfg.Schedules, err)
	}
	_, err = load(folder(t, map[string]string{"bot.toml": "[schedule]\nname = \"a\"\n"}))
	if err == nil || !strings.Contains(err.Error(), "write [[schedule]]") {
		t.Errorf("a single table: %v", err)
	}
}
