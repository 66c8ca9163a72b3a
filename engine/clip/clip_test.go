package clip

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	for _, tt := range []struct {
		name     string
		s        string
		n        int
		to, dots string
	}{
		{"nothing", "", 4, "", ""},
		{"what fits", "abcd", 4, "abcd", "abcd"},
		{"a byte too many", "abcde", 4, "abcd", "a…"},
		{"what fits to the last character", "你好", 6, "你好", "你好"},
		{"a cut between two characters", "你好吗", 6, "你好", "你…"},
		{"a cut behind the first byte of one", "你好吗", 7, "你好", "你…"},
		{"a cut before the last byte of one", "你好吗", 8, "你好", "你…"},
		{"a character of four bytes", "ab😀", 5, "ab", "ab…"},
		{"only the dots", "abcde", 3, "abc", "…"},
		{"no room for the dots", "abcde", 2, "ab", "ab"},
		{"no room for the first character", "你好", 2, "", ""},
		{"no room at all", "abc", 0, "", ""},
		{"less than that", "abc", -5, "", ""},
		{"nothing in no room", "", -5, "", ""},
		{"what is no text keeps its length", "\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80", "\x80\x80…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := To(tt.s, tt.n); got != tt.to {
				t.Errorf("To: %q, want %q", got, tt.to)
			}
			if got := Dots(tt.s, tt.n); got != tt.dots {
				t.Errorf("Dots: %q, want %q", got, tt.dots)
			}
		})
	}
}

// FuzzClip: never longer than asked, never anything but a beginning, of which at most
// one character is missing; and what was UTF-8 still is.
func FuzzClip(f *testing.F) {
	f.Add("你好", 4)
	f.Add("a😀", 3)
	f.Add("\xe4\xbd", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		to, with := To(s, n), Dots(s, n)
		beginning, cut := strings.CutSuffix(with, dots)
		for name, got := range map[string]string{"To": to, "Dots": with} {
			if len(got) > max(n, 0) || utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Errorf("%s of %q to %d: %q", name, s, n, got)
			}
		}
		if !strings.HasPrefix(s, to) || len(to) < min(len(s), n)-utf8.UTFMax+1 {
			t.Errorf("To of %q to %d: %q", s, n, to)
		}
		if fits := len(s) <= n; fits && with != s || !fits && n >= len(dots) && (!cut || !strings.HasPrefix(s, beginning)) {
			t.Errorf("Dots of %q to %d: %q", s, n, with)
		}
	})
}
