package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// in lists the words that a text contains, in the order of the list.
func in(l *List, words []string, text string) []string {
	found := l.In(text)
	var all []string
	for i, w := range words {
		if found.Has(int32(i)) {
			all = append(all, w)
		}
	}
	if len(all) != len(found.All()) {
		return append(all, "and some of them twice")
	}
	return all
}

func TestWordsInAText(t *testing.T) {
	words := []string{"he", "she", "his", "hers", "券", "优惠券", "优惠", "惠", ""}
	l := New(words)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"none", "x", nil},
		{"no text", "", nil},
		{"words within each other", "ushers", []string{"he", "she", "hers"}},
		{"a word that is the end of one that breaks off", "优惠卷", []string{"优惠", "惠"}},
		{"characters of several bytes", "我要优惠券", []string{"券", "优惠券", "优惠", "惠"}},
		{"often is once", "券券券", []string{"券"}},
		{"a character that no word has breaks it", "优x惠券", []string{"券", "惠"}},
		{"broken text", "\xe5\x88券", []string{"券"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := in(l, words, tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("in %q: %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestWordsWhateverTheirCase(t *testing.T) {
	words := []string{Caseless("Order"), Caseless("ſtreet"), Caseless("K")}
	l := NewCaseless(words)
	for text, want := range map[string]int{"oRDER": 1, "STREET": 1, "\u212a": 1, "k": 1, "ordre": 0} {
		if got := in(l, words, text); len(got) != want {
			t.Errorf("in %q: %q, want %d of them", text, got, want)
		}
	}
}

func TestHeads(t *testing.T) {
	l := New([]string{"查", "查订单", "订单", "查订单号码", "c"})
	for text, want := range map[string]string{
		"查订单1": "0 1", "查订单": "0 1!", "查": "0!", "订单": "2!", "我查": "", "": "", "查订单号": "0 1", "\xe6": "",
	} {
		var got []string
		l.Heads(text, func(word int32, whole bool) {
			s := fmt.Sprint(word)
			if whole {
				s += "!"
			}
			got = append(got, s)
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%q begins with %q, want %q", text, got, want)
		}
	}
}

// text draws short texts of few characters, so that they overlap.
func text() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("abA领券优惠\U0001f600")), 0, 12, -1)
}

func TestEveryWordIsFoundWhereItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(text(), 0, 30, rapid.ID).Draw(t, "words")
		within := text().Draw(t, "text")
		l := New(words)
		found := l.In(within)
		heads := make(map[int32]bool)
		l.Heads(within, func(w int32, whole bool) {
			if whole != (words[w] == within) {
				t.Errorf("%q is all of %q: %v", words[w], within, whole)
			}
			heads[w] = true
		})
		for i, w := range words {
			if want := w != "" && strings.Contains(within, w); found.Has(int32(i)) != want {
				t.Errorf("%q in %q: %v", w, within, !want)
			}
			if want := w != "" && strings.HasPrefix(within, w); heads[int32(i)] != want {
				t.Errorf("%q begins with %q: %v", within, w, !want)
			}
		}
		if any := len(found.All()) > 0; l.Any([]byte(within)) != any {
			t.Errorf("any in %q: %v", within, !any)
		}
	})
}

func TestEveryWordIsFoundWhereItEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(text(), 0, 30, rapid.ID).Draw(t, "words")
		within := text().Draw(t, "text")
		l := New(words)
		at := At(0)
		for i, r := range within {
			at = l.Step(at, r)
			so := within[:i+utf8.RuneLen(r)]
			var want, got []string
			for _, w := range words {
				if w != "" && strings.HasSuffix(so, w) {
					want = append(want, w)
				}
			}
			slices.SortFunc(want, func(a, b string) int { return len(b) - len(a) })
			for w := l.Ends(at); w != None; w = l.Shorter(w) {
				got = append(got, words[w])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q ends with %q, want %q", so, got, want)
			}
		}
	})
}

func TestMoreThanAFewWordsInAText(t *testing.T) {
	words := many(500)
	l := New(words)
	if got := in(l, words, strings.Join(words[:100], " ")+words[0]); len(got) < 100 || !slices.Equal(got[:100], words[:100]) {
		t.Errorf("%d are found: %q", len(got), got)
	}
}

func FuzzIn(f *testing.F) {
	f.Add("he she his hers", "ushers")
	f.Add("优惠券 惠 \xff", "优惠\xff券")
	f.Fuzz(func(t *testing.T, list, text string) {
		words := strings.Fields(strings.ToValidUTF8(list, "?"))
		slices.Sort(words)
		words = slices.Compact(words)
		text = strings.ToValidUTF8(text, "?")
		found := New(words).In(text)
		for i, w := range words {
			if want := strings.Contains(text, w); found.Has(int32(i)) != want {
				t.Errorf("%q in %q: %v", w, text, !want)
			}
		}
	})
}

// many makes n different words of two to five Chinese characters.
func many(n int) []string {
	words := make([]string, n)
	state := uint64(1)
	next := func(of uint64) uint64 {
		state = state*6364136223846793005 + 1442695040888963407
		return (state >> 33) % of
	}
	seen := make(map[string]bool, n)
	for i := 0; i < n; {
		var b strings.Builder
		for range 2 + next(4) {
			b.WriteRune(rune(0x4e00 + next(3500)))
		}
		if w := b.String(); !seen[w] {
			seen[w], words[i] = true, w
			i++
		}
	}
	return words
}

func TestAListIsSmall(t *testing.T) {
	words := many(20_000)
	if perWord := New(words).Size() / len(words); perWord > 80 {
		t.Errorf("%d bytes for a word", perWord)
	}
}

func BenchmarkNew100000(b *testing.B) {
	words := many(100_000)
	b.ReportAllocs()
	for b.Loop() {
		l := New(words)
		b.ReportMetric(float64(l.Size())/float64(len(words)), "B/word")
	}
}

func BenchmarkIn(b *testing.B) {
	text := strings.Repeat("请问今天的优惠券在哪里领取", 5)
	for _, n := range []int{10, 1000, 100_000} {
		l := New(many(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.In(text)
			}
		})
	}
}
