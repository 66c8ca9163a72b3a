package match

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"bot/engine/glyph"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"capitals", "HeLLo", "hello"},
		{"full width digits", "０６２７", "0627"},
		{"full and half width mixed", "06２７", "0627"},
		{"full width letters", "ＡＢｃ", "abc"},
		{"half width katakana", "ｶﾞｲﾄﾞ", "ガイド"},
		{"ideographic space at the edges", "　领券　", "领券"},
		{"runs of space inside", "a \t\n b", "a b"},
		{"a no-break space inside", "a\u00a0b", "a b"},
		{"zero-width space inside", "06\u200b27", "0627"},
		{"zero-width joiner and byte order mark", "\ufeff领\u200d券", "领券"},
		{"direction marks of a copied number", "\u202d138\u202c", "138"},
		{"variation selector after an emoji", "❤\ufe0f", "❤"},
		{"keycap digit", "1\ufe0f\u20e3", "1"},
		{"keycap sign, full-width digit and its keycap", "＃\ufe0f\u20e3２\u20e3", "#2"},
		{"an emoji asked to look like text", "☎\ufe0e", "☎"},
		{"a skin tone", "👍🏽", "👍"},
		{"skin tones inside an emoji of several", "👩🏻‍🤝‍👨🏿", "👩🤝👨"},
		{"a soft hyphen", "优\u00ad惠", "优惠"},
		{"a Hangul filler", "领\u3164券", "领券"},
		{"a mark of left to right", "\u200e领券\u200f", "领券"},
		{"control characters", "a\x00b\x1b", "ab"},
		{"composed and decomposed accents are one", "cafe\u0301", "caf\u00e9"},
		{"sharp s", "STRASSE ß", "strasse ss"},
		{"circled digits", "①", "1"},
		{"punctuation keeps its place", "领券。", "领券。"},
		{"nothing", "", ""},
		{"nothing but what cannot be seen", "\u200b\ufeff \t", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Fold(tt.in); got != tt.want {
				t.Errorf("Fold(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTrim(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a full stop", "领券。", "领券"},
		{"marks on both sides", "【领券】！！", "领券"},
		{"a wave", "领券~~", "领券"},
		{"an emoji with a skin tone", "领券👍🏽", "领券"},
		{"an emoji made of several", "👨‍👩‍👧领券", "领券"},
		{"punctuation inside stays", "a,b.", "a,b"},
		{"a command keeps its slash", "/help", "/help"},
		{"a name keeps its sign", "C#.", "c#"},
		{"plus is no punctuation", "C++", "c++"},
		{"nothing but punctuation", "？！", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Trim(Fold(tt.in)); got != tt.want {
				t.Errorf("Trim(Fold(%q)) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"the width is folded", "查订单　ＡＢ１２", "查订单 AB12"},
		{"the case is kept", "Order AbC", "Order AbC"},
		{"edges are trimmed", "  查订单 12。", "查订单 12"},
		{"what cannot be seen is gone", "查订单\u200b12", "查订单12"},
		{"what only NFKC would change is kept", "①x", "①x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plain(tt.in); got != tt.want {
				t.Errorf("Plain(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"the width is folded", "１３８００００００００", "13800000000"},
		{"spaces at the edges go", " 　Li Lei\n", "Li Lei"},
		{"direction marks around a copied number go", "\u202d13800000000\u202c", "13800000000"},
		{"spaces inside stay", "138 0000", "138 0000"},
		{"the case stays", "AbC", "AbC"},
		{"punctuation stays", "好。", "好。"},
		{"an emoji stays", "👍", "👍"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Answer(tt.in); got != tt.want {
				t.Errorf("Answer(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// Two runes of each side by side, since neighbours may compose, and next to others.
func TestCommonTextsFoldAsTheTablesSay(t *testing.T) {
	for r := rune(0); r <= 0x1ffff; r++ {
		for _, s := range []string{string(r), "一" + string(r) + string(r) + "Ａ", "a" + string(r) + " 👍\t" + string(r)} {
			if _, ok := common(s); !ok {
				continue
			}
			if fast, slow := Fold(s), foldByTables(s); fast != slow {
				t.Fatalf("%q (%U): fast %q, tables %q", s, r, fast, slow)
			}
			if fast, slow := plain(s), strings.TrimFunc(width.Fold.String(visible(s)), edge); fast != slow {
				t.Fatalf("%q (%U): fast %q, tables %q", s, r, fast, slow)
			}
			if fast, _ := common(s); fast != width.Fold.String(s) {
				t.Fatalf("%q (%U): fast %q, tables %q", s, r, fast, width.Fold.String(s))
			}
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "０６２７", "领券👍🏽。", "ß\u0345\u1e9e", "e\u200b\u0301", "\xff\xfe", "\u00a8", "ﷺ", "İ", "ｶﾞ", "\u1e9b\u0323", "ΑΙ\u0345", "👍🏽 Ａ\r\n\tb　", "👨‍👩‍👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if slow := foldByTables(s); folded != slow {
			t.Errorf("Fold(%q) = %q, by the tables %q", s, folded, slow)
		}
		if slow := strings.TrimFunc(width.Fold.String(visible(s)), edge); plain(s) != slow {
			t.Errorf("Plain(%q) = %q, by the tables %q", s, plain(s), slow)
		}
		if fast, ok := common(s); ok && fast != width.Fold.String(s) {
			t.Errorf("%q is %q in common widths, by the tables %q", s, fast, width.Fold.String(s))
		}
		if !utf8.ValidString(folded) {
			t.Fatalf("Fold(%q) = %q is not UTF-8", s, folded)
		}
		if again := Fold(folded); again != folded {
			t.Errorf("Fold(%q) = %q, folded again %q", s, folded, again)
		}
		if utf8.ValidString(s) && !norm.NFKC.IsNormalString(folded) {
			t.Errorf("Fold(%q) = %q is not NFKC", s, folded)
		}
		if strings.ContainsFunc(folded, invisible) || strings.ContainsFunc(folded, glyph.Tone) {
			t.Errorf("Fold(%q) = %q holds what cannot be seen", s, folded)
		}
		if trimmed := Trim(folded); trimmed != "" {
			first, _ := utf8.DecodeRuneInString(trimmed)
			last, _ := utf8.DecodeLastRuneInString(trimmed)
			if unicode.IsSpace(first) || edge(first) || edge(last) {
				t.Errorf("Trim(%q) = %q still has an edge", folded, trimmed)
			}
		}
	})
}
