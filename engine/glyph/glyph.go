// Package glyph sorts characters by what people see of them: the one notion of
// it that matching, the guard at the door and the word filter share.
package glyph

import "unicode"

// Unseen tells what takes no room in a text and can stand anywhere in it unseen:
// zero-width characters, variation selectors, fillers, and control characters
// that are no white space.
func Unseen(r rune) bool {
	return unicode.IsControl(r) && !unicode.IsSpace(r) ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Solid tells what words are made of, letters and digits, from what stands
// between them.
func Solid(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Tone tells the skin tones, which turn an emoji into a variant of itself.
func Tone(r rune) bool { return 0x1f3fb <= r && r <= 0x1f3ff } // 🏻…🏿
