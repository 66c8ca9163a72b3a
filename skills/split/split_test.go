package split

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name  string
		text  string
		limit int
		want  []string
	}{
		{"a short text is one part", "你好", 10, []string{"你好"}},
		{"a text of just the limit is one part", "0123456789", 10, []string{"0123456789"}},
		{"nothing is one empty part", "", 10, []string{""}},
		{"after the last line that fits", "11111\n22222\n333", 14, []string{"11111\n22222\n", "333"}},
		{"a line that ends too early is no place to cut", "1\n234567890", 10, []string{"1\n23456789", "0"}},
		{"between words", "alpha beta gamma", 12, []string{"alpha beta ", "gamma"}},
		{"between Chinese characters, not inside", "一二三四", 10, []string{"一二三", "四"}},
		{"no comma at the beginning of a part", "一二三，四", 9, []string{"一二", "三，四"}},
		{"a family is one character", "一二👨‍👩‍👧", 20, []string{"一二", "👨‍👩‍👧"}},
		{"a flag is one character", "ab🇨🇳🇩🇪", 12, []string{"ab🇨🇳", "🇩🇪"}},
		{"a URL goes to the next part whole", "see https://a.example/x", 20, []string{"see ", "https://a.example/x"}},
		{"Chinese after a URL does not belong to it", "https://a.example/券到了", 19, []string{"https://a.example/", "券到了"}},
		{"a URL longer than the limit is cut", "https://a.example/123456", 10, []string{"https://", "a.example/", "123456"}},
		{"a line's end of two bytes stays together", "12345678\r\n9", 9, []string{"12345678", "\r\n9"}},
		{"a limit below one character", "一二", 1, []string{"一", "二"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.text, tt.limit); !slices.Equal(got, tt.want) {
				t.Errorf("Text(%q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
			}
		})
	}
}

func TestACharacterLongerThanTheLimitIsCutBetweenCodePoints(t *testing.T) {
	s := "e" + strings.Repeat("\u0301", 100)
	parts := Text(s, 21)
	if strings.Join(parts, "") != s {
		t.Fatal("the parts are not the text")
	}
	for _, p := range parts {
		if !utf8.ValidString(p) || len(p) > 21 {
			t.Errorf("part %q of %d bytes", p, len(p))
		}
	}
}

// Scenario 34: three thousand characters, emoji, and URLs of which one is
// longer than a part.
func TestALongReply(t *testing.T) {
	short := "https://example.com/" + strings.Repeat("a", 1900)
	long := "https://example.com/" + strings.Repeat("b", 2080)
	s := strings.Repeat("券", 1000) + "👨‍👩‍👧" + short + strings.Repeat("好", 2000) + "👍🏽\n" + long
	parts := Text(s, Bytes)
	check(t, s, parts, Bytes)
	if !slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(p, short) }) {
		t.Error("the URL that fits is not whole in any part")
	}
	if len(parts) > 8 {
		t.Errorf("%d parts of %d bytes", len(parts), len(s))
	}
}

func check(t *testing.T, s string, parts []string, limit int) {
	t.Helper()
	if got := strings.Join(parts, ""); got != s {
		t.Fatalf("the parts of %q make %q", s, got)
	}
	for i, p := range parts {
		if len(p) > limit {
			t.Errorf("part %d has %d bytes, more than %d", i, len(p), limit)
		}
		if p == "" && len(parts) > 1 {
			t.Errorf("part %d is empty", i)
		}
		if utf8.ValidString(s) && !utf8.ValidString(p) {
			t.Errorf("part %d is not UTF-8: %q", i, p)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("一二三，四\nhttps://a.example/x 👨‍👩‍👧", 9)
	f.Add(strings.Repeat("e\u0301", 20), 5)
	f.Add("\xff\xfe\xfd\xfc\xfb\xfa", 4)
	f.Add("🇨🇳🇨🇳🇨", 8)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 4 + (limit&0xff+0x100)&0xff
		parts := Text(s, limit)
		check(t, s, parts, limit)
		if len(s) > 1<<12 || !utf8.ValidString(s) {
			return
		}
		// Between parts there is a boundary of characters, or of one that is
		// longer than a part.
		at, boundary := 0, boundaries(s)
		for _, p := range parts[:len(parts)-1] {
			if at += len(p); !boundary[at] && uniseg.GraphemeClusterCount(p) > 1 {
				t.Errorf("%q is cut inside a character after %q", s, p)
			}
		}
	})
}

func boundaries(s string) map[int]bool {
	at := make(map[int]bool)
	for g := uniseg.NewGraphemes(s); g.Next(); {
		_, end := g.Positions()
		at[end] = true
	}
	return at
}
