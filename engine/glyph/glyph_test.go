package glyph

import "testing"

func TestWhatIsSeenOfACharacter(t *testing.T) {
	for _, tt := range []struct {
		r                   rune
		unseen, solid, tone bool
	}{
		{'a', false, true, false},
		{'7', false, true, false},
		{'微', false, true, false},
		{'é', false, true, false},
		{'.', false, false, false},
		{' ', false, false, false},
		{'\n', false, false, false},
		{'　', false, false, false},
		{'👍', false, false, false},
		{'🏿', false, false, true},
		{'\u200b', true, false, false}, // zero-width space
		{'\u2060', true, false, false}, // word joiner
		{'\u00ad', true, false, false}, // soft hyphen
		{'\ufe0f', true, false, false}, // emoji variant
		{'\u3164', true, true, false},  // Hangul filler: a letter by its name
		{0, true, false, false},
	} {
		if Unseen(tt.r) != tt.unseen || Solid(tt.r) != tt.solid || Tone(tt.r) != tt.tone {
			t.Errorf("%U: unseen %v, solid %v, tone %v", tt.r, Unseen(tt.r), Solid(tt.r), Tone(tt.r))
		}
	}
}
