package config

import (
	"slices"
	"strings"
	"testing"
)

func TestWordsStandInTheTableAndInFiles(t *testing.T) {
	cfg, err := load(folder(t, map[string]string{
		"bot.toml":    oneAccount + "[words]\nfiles = [\"lists/a.txt\", \"b.txt\"]\naction = \"alert\"\nlist = [\"微信\",\n  \"vx\"]\nexcept = [\"微信支付\"]\nexcept_file = \"ok.txt\"\n",
		"lists/a.txt": "\ufeff# bad words\r\n\r\n赌 博 \t refuse\r\n  办证\n", "b.txt": "刷单\treplace", "ok.txt": "vxworks\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		text, action, file string
		line               int
	}
	rows := func(words []Word) (all []row) {
		for _, w := range words {
			all = append(all, row{w.Text, w.Action, w.File(), w.Line()})
		}
		return all
	}
	if got, want := rows(cfg.Words.Listed), []row{
		{"微信", "alert", "bot.toml", 8}, {"vx", "alert", "bot.toml", 9},
		{"赌 博", "refuse", "lists/a.txt", 3}, {"办证", "alert", "lists/a.txt", 4}, {"刷单", "replace", "b.txt", 1},
	}; !slices.Equal(got, want) {
		t.Errorf("listed\n%v, want\n%v", got, want)
	}
	if got, want := rows(cfg.Words.Exempt), []row{{"微信支付", "", "bot.toml", 10}, {"vxworks", "", "bot.toml", 11}}; !slices.Equal(got, want) {
		t.Errorf("exempt\n%v, want\n%v", got, want)
	}
}

func TestWithoutATableThereAreNoWords(t *testing.T) {
	cfg, err := load(folder(t, map[string]string{"bot.toml": oneAccount}))
	if err != nil || len(cfg.Words.Listed) != 0 {
		t.Errorf("%v, %v", cfg.Words, err)
	}
}

func TestWhatIsWrongWithWords(t *testing.T) {
	for name, tt := range map[string]struct {
		table, file string
		want        []string
	}{
		"no words":           {"action = \"refuse\"", "", []string{`bot.toml:5:2: words: there are no words (files = ["words.txt"], or list = ["…"])`}},
		"empty lists":        {"files = []\nlist = []", "", []string{`bot.toml:5:2: words: there are no words`}},
		"no such file":       {"files = [\"none.txt\"]", "", []string{`bot.toml:6:10: words.files: cannot read "none.txt": no such file or directory (one word a line`}},
		"one file of two":    {"files = [\"w.txt\", \"none.txt\"]", "a", []string{`bot.toml:6:19: words.files: cannot read "none.txt"`}},
		"a file of comments": {"files = [\"w.txt\"]", "# a\n\n", []string{`bot.toml:6:10: words.files: there is nothing in "w.txt" (one word a line`}},
		"another encoding":   {"files = [\"w.txt\"]", "ok\n\xd6\xd0\xb9\xfa", []string{`bot.toml:6:10: words.files: w.txt:2:1: file looks like GBK; save it as UTF-8`}},
		"an unknown action":  {"list = [\"a\"]\naction = \"reject\"", "", []string{`bot.toml:7:10: words.action: there is no "reject" (known: replace, refuse, alert)`}},
		"one in a file":      {"files = [\"w.txt\"]", "# w\n微信\treplac\nb\tdrop", []string{`w.txt:2:1: words: there is no action "replac" (did you mean "replace"?)`, `w.txt:3:1: words: there is no action "drop" (known: replace, refuse, alert)`}},
		"many in a file": {"files = [\"w.txt\"]", strings.Repeat("a\t12\n", 8), []string{
			`w.txt:1:1: words: 3 more lines have no action behind their tab`, `w.txt:1:1: words: there is no action "12"`,
			`w.txt:2:1:`, `w.txt:3:1:`, `w.txt:4:1:`, `w.txt:5:1:`,
		}},
		"no mask":             {"list = [\"a\"]\nmask = \"\"", "", []string{`bot.toml:7:8: words.mask: "" is not one sign that can be seen (like "*"`}},
		"a mask of two":       {"list = [\"a\"]\nmask = \"**\"", "", []string{`words.mask: "**" is not one sign`}},
		"a letter for a mask": {"list = [\"a\"]\nmask = \"某\"", "", []string{`words.mask: "某" is not one sign`}},
		"an unseen mask":      {"list = [\"a\"]\nmask = \"\\u200b\"", "", []string{`words.mask: `}},
		"a number":            {"list = [12]", "", []string{`bot.toml:6:9: words.list 1: expected a string, found the integer 12`}},
		"a mistyped key":      {"lists = [\"a\"]", "", []string{`unknown key "lists" (did you mean "list"?)`}},
		"a list of tables":    {"list = \"a\"", "", []string{`bot.toml:6:8: words.list: expected a list of strings, found the string "a" (write ["a"])`}},
		"no exceptions":       {"list = [\"a\"]\nexcept_file = \"w.txt\"", "#", []string{`bot.toml:7:15: words.except_file: there is nothing in "w.txt"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(folder(t, map[string]string{"bot.toml": oneAccount + "[words]\n" + tt.table, "w.txt": tt.file}))
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
