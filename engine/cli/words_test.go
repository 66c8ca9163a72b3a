package cli_test

import "testing"

func TestWordsShowsWhatBecomesOfAText(t *testing.T) {
	s := newShell(t)
	s.bot("init")
	s.bot("words", "微信").wants(t, 2, "", "there is no [words] in")
	s.write("words.txt", "# none of these\nweixin\n赌博\trefuse\n")
	file := s.write("words.toml", "[words]\nfiles = [\"words.txt\"]\nlist = [\"微信\"]\n")
	s.bot("words", "-config", file, "加微.信", "W e i x i n").wants(t, 0, "加*** ***********\n", "found: replace 2 (words.toml:3, words.txt:2)")
	s.bot("words", "-config", file, "天气不错").wants(t, 0, "天气不错\n", "")
	s.bot("words", "-config", file, "赌 博").wants(t, 1, "", "it would not be sent")
	s.bot("words", "-config", file, "-json", "赌 博").wants(t, 1, `"refused": true`, "")
	s.bot("words", "-config", file, "-json", "加微.信").wants(t, 0, `"text": "加***"`, "")
	s.bot("words", "-config", file).wants(t, 2, "", "usage: bot words")
	s.bot("words", "-config", s.write("bad.toml", "[words]\n"), "x").wants(t, 2, "", "bad.toml:1:2: words: there are no words")
}
