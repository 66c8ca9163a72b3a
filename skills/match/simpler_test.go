package match

import (
	"slices"
	"strings"
	"testing"
)

func TestTraditionalCharactersCountAsSimplifiedOnes(t *testing.T) {
	f := NewFolding(true)
	for _, tt := range []struct {
		name          string
		keyword, text string
		folding       Folding
		want          bool
	}{
		{"a traditional text", "优惠券", "我要優惠券", f, true},
		{"a traditional keyword", "優惠券", "我要优惠券", f, true},
		{"each in its own mixture", "优惠發票", "優惠发票", f, true},
		{"another word", "优惠券", "優惠卡", f, false},
		{"only where it is asked for", "优惠券", "優惠券", Folding{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k, err := tt.folding.NewKeyword(tt.keyword, Contains)
			if err != nil {
				t.Fatal(err)
			}
			r := Rule{Keywords: []Keyword{k}}
			if _, ok := r.Match(tt.folding.Read(tt.text)); ok != tt.want {
				t.Errorf("%q in %q: %v", tt.keyword, tt.text, ok)
			}
		})
	}
}

func TestPatternsReadEitherCharactersAndQuoteTheText(t *testing.T) {
	f := NewFolding(true)
	for _, tt := range []struct {
		name, pattern, text string
		want                []string
	}{
		{"a simplified pattern", `^(\S+)的订单(\d+)?$`, "陳先生的訂單", []string{"陳先生的訂單", "陳先生", ""}},
		{"a traditional pattern", `^(\S+)的訂單`, "陈先生的订单", []string{"陈先生的订单", "陈先生"}},
		{"a range of characters stays one", `^[一-龥]+$`, "訂單", []string{"訂單"}},
		{"nothing traditional", `订单(\d)`, "订单1", []string{"订单1", "1"}},
		{"no match", `^x`, "訂單", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			re, err := f.NewPattern(tt.pattern)
			if err != nil {
				t.Fatal(err)
			}
			hit, ok := (&Rule{Patterns: patterns(t, re.String()).Patterns}).Match(f.Read(tt.text))
			if ok != (tt.want != nil) || !slices.Equal(hit.Match, tt.want) {
				t.Errorf("%s on %q = %q, want %q", tt.pattern, tt.text, hit.Match, tt.want)
			}
		})
	}
}

// Positions in a text stay what they are, and folding twice changes nothing more.
func TestTheTableIsSound(t *testing.T) {
	var chars []rune
	for line := range strings.Lines(pairs) {
		if !strings.HasPrefix(line, "#") {
			chars = append(chars, []rune(strings.TrimSpace(line))...)
			if len(chars)%2 != 0 {
				t.Fatalf("%q are no pairs", line)
			}
		}
	}
	if len(chars) < 5000 {
		t.Fatalf("%d characters are too few", len(chars))
	}
	s := newSimpler()
	seen := make(map[rune]bool)
	for i, r := range chars {
		if r < firstHan || r > lastHan {
			t.Errorf("%c is outside of the table", r)
		}
		if i%2 == 0 && seen[r] {
			t.Errorf("%c is there twice", r)
		}
		seen[r] = seen[r] || i%2 == 0
		if simple := s.rune(r); s.rune(simple) != simple {
			t.Errorf("%c becomes %c, which becomes %c", r, simple, s.rune(simple))
		}
	}
	if broken := "a\xff優\xe4"; s.text(broken) != "a\xff优\xe4" {
		t.Errorf("%q becomes %q", broken, s.text(broken))
	}
}
