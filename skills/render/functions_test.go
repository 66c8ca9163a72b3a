package render

import "testing"

// A cut text is what its characters are one by one, those that stand for stray
// bytes among them.
func TestSliceCutsBetweenCharacters(t *testing.T) {
	clamp := func(n, most int) int { return min(max(n, 0), most) }
	for _, s := range []string{"", "a", "00000000042请问", "请问", "\xff", "请\xe4\xb8问\xff\xff", "\xe8\xaf"} {
		runes := []rune(s)
		for from := -1; from <= len(s)+1; from++ {
			if got, want := slice(s, from), string(runes[clamp(from, len(runes)):]); got != want {
				t.Errorf("slice %q %d = %q, want %q", s, from, got, want)
			}
			for to := -1; to <= len(s)+1; to++ {
				end := clamp(to, len(runes))
				if got, want := slice(s, from, to), string(runes[clamp(from, end):end]); got != want {
					t.Errorf("slice %q %d %d = %q, want %q", s, from, to, got, want)
				}
			}
		}
	}
}
