package console

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// keysIn are the texts that templates and code ask for. Those made of parts stand for
// all that begin as they do.
func keysIn(t *testing.T) (whole []string, begin []string) {
	t.Helper()
	inPage := regexp.MustCompile(`T "([a-z.]+)"`)
	made := regexp.MustCompile(`printf "([a-z.]+)%s"`)
	inCode := regexp.MustCompile(`"((?:said|login|chart|title|[a-z]+)(?:\.[a-z]+)*)"`)
	pages, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pages {
		b, err := pageFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inPage.FindAllStringSubmatch(string(b), -1) {
			whole = append(whole, m[1])
		}
		for _, m := range made.FindAllStringSubmatch(string(b), -1) {
			begin = append(begin, m[1])
		}
	}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inCode.FindAllStringSubmatch(string(b), -1) {
			if _, ok := texts()[m[1]]; ok || strings.HasPrefix(m[1], "said.") || strings.HasPrefix(m[1], "chart.") || strings.HasPrefix(m[1], "login.") {
				whole = append(whole, m[1])
			}
		}
	}
	return whole, begin
}

func TestEveryTextIsThereInBothLanguagesAndUsed(t *testing.T) {
	whole, begin := keysIn(t)
	for _, key := range whole {
		if texts()[key] == nil {
			t.Errorf("nobody has written %q", key)
		}
	}
	for page := range parsePages() {
		if texts()["title."+page] == nil {
			t.Errorf("the page %q has no title", page)
		}
	}
	verbs := regexp.MustCompile(`%[a-z%]`)
	for key, by := range texts() {
		if len(by) != 2 || by["zh"] == "" || by["en"] == "" {
			t.Errorf("%q is there as %v", key, by)
		}
		if zh, en := verbs.FindAllString(by["zh"], -1), verbs.FindAllString(by["en"], -1); !slices.Equal(zh, en) {
			t.Errorf("%q takes %q in Chinese and %q in English", key, zh, en)
		}
		used := slices.Contains(whole, key) || slices.ContainsFunc(begin, func(b string) bool { return strings.HasPrefix(key, b) }) ||
			slices.ContainsFunc(whole, func(w string) bool { return key == w+".all" })
		if !used {
			t.Errorf("nobody says %q", key)
		}
	}
}

func TestTimesAndNumbersForPeople(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	zh, en := words{"zh"}, words{"en"}
	for _, c := range []struct{ got, want string }{
		{en.Ago(now.Add(-90*time.Second), now), "1 min ago"}, {zh.Ago(now.Add(-90*time.Second), now), "1 分钟前"},
		{en.Ago(now.Add(3*time.Hour), now), "in 3 h"}, {en.Ago(now, now), "just now"}, {en.Ago(time.Time{}, now), "–"},
		{zh.Ago(now.Add(-50*time.Hour), now), "2 天前"}, {en.For(250 * time.Millisecond), "250 ms"},
		{en.Num(1234567), "1 234 567"}, {en.Num(999), "999"}, {en.Num(-1000), "-1 000"},
		{en.Bytes(2 << 20), "2 MiB"}, {en.Bytes(1536), "1.5 KiB"}, {en.Bytes(0), "0 B"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
