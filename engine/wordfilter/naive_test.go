package wordfilter

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The alphabet of the property: for each character what it is compared as; ""
// for what cannot be seen.
var alphabet = map[rune]string{
	'a': "a", 'b': "b", 'A': "a", 'ｂ': "b", '微': "微", '信': "信", '.': ".", ' ': " ", '　': " ", '\u200b': "", '\U0001d41a': "a", '＋': "+", '+': "+",
}

func texts(runes string, least, most int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune(runes)), least, most, -1)
}

// seen is a character of a text as it is compared.
type seen struct {
	form       string
	start, end int
}

func look(text string) (all []seen) {
	for i, r := range text {
		if form := alphabet[r]; form != "" {
			all = append(all, seen{form, i, i + utf8.RuneLen(r)})
		}
	}
	return all
}

func letter(form string) bool  { return !strings.Contains(". +", form) }
func chinese(form string) bool { return form == "微" || form == "信" }

// squeezed are the letters of a text, and between them the signs: signs[i] stand
// before letter i.
func squeezed(text []seen) (letters []seen, signs []string) {
	var between strings.Builder
	for _, s := range text {
		if !letter(s.form) {
			between.WriteString(s.form)
			continue
		}
		letters, signs = append(letters, s), append(signs, between.String())
		between.Reset()
	}
	return letters, signs
}

// standsAt tells by the rule as it is written whether letters from to to are one word.
func standsAt(letters []seen, signs []string, from, to int) bool {
	together, alone := false, false
	touches := func(i int) bool {
		return i > 0 && i < len(letters) && signs[i] == "" && !chinese(letters[i].form) && !chinese(letters[i-1].form)
	}
	for i := from + 1; i <= to; i++ {
		switch {
		case len(signs[i]) > maxGap:
			return false
		case chinese(letters[i].form) || chinese(letters[i-1].form):
		case signs[i] == "":
			together = true
		case strings.Trim(signs[i], signs[i][:1]) != "":
			return false // different signs
		default:
			alone = true
		}
	}
	return !alone || !together && !touches(from) && !touches(to+1)
}

// spans finds a word in a text by looking everywhere.
func spans(text, word string) (all [][2]int) {
	letters, signs := squeezed(look(text))
	own, ownSigns := squeezed(look(word))
	signed := len(own) != len(look(strings.TrimFunc(word, blank)))
	parted := false // letters, by signs
	for i := 1; i < len(own); i++ {
		parted = parted || ownSigns[i] != "" && !chinese(own[i].form) && !chinese(own[i-1].form)
	}
	mild := len(own) > 1 && slices.ContainsFunc(own, func(s seen) bool { return chinese(s.form) }) && !parted
	if len(own) == 0 || signed && !mild {
		return spansPlain(text, word)
	}
	for from := 0; from+len(own) <= len(letters); from++ {
		to := from + len(own) - 1
		same := slices.EqualFunc(letters[from:to+1], own, func(a, b seen) bool { return a.form == b.form })
		if same && standsAt(letters, signs, from, to) {
			all = append(all, [2]int{letters[from].start, letters[to].end})
		}
	}
	return all
}

func blank(r rune) bool { return alphabet[r] == " " || alphabet[r] == "" }

// spansPlain finds a word as it is written, runs of spaces being one.
func spansPlain(text, word string) (all [][2]int) {
	join := func(s []seen) (joined []seen) {
		for _, c := range s {
			if n := len(joined); c.form == " " && n > 0 && joined[n-1].form == " " {
				joined[n-1].end = c.end
				continue
			}
			joined = append(joined, c)
		}
		return joined
	}
	in, own := join(look(text)), join(look(strings.TrimFunc(word, blank)))
	for from := 0; from+len(own) <= len(in); from++ {
		if slices.EqualFunc(in[from:from+len(own)], own, func(a, b seen) bool { return a.form == b.form }) {
			all = append(all, [2]int{in[from].start, in[from+len(own)-1].end})
		}
	}
	return all
}

func TestFindIsWhatLookingEverywhereFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := texts("ab微信+. \u200b", 1, 5)
		o := Options{Mask: '*'}
		for _, w := range rapid.SliceOfN(word, 0, 6).Draw(t, "words") {
			o.Words = append(o.Words, Word{w, Replace, Place{w, 1}})
		}
		for _, w := range rapid.SliceOfN(texts("ab微信+. ", 2, 7), 0, 3).Draw(t, "except") {
			o.Except = append(o.Except, Word{Text: w})
		}
		f, problems := New(o)
		o.Words, o.Except = kept(o.Words, problems, false), kept(o.Except, problems, true)
		var runes []rune
		for r := range alphabet {
			runes = append(runes, r)
		}
		slices.Sort(runes)
		text := texts(string(runes), 0, 40).Draw(t, "text")

		var allowed [][2]int
		for _, w := range o.Except {
			allowed = append(allowed, spans(text, w.Text)...)
		}
		want := make(map[[2]int][]string)
		count := 0
		for _, w := range o.Words {
			for _, s := range spans(text, w.Text) {
				if !slices.ContainsFunc(allowed, func(a [2]int) bool { return a[0] <= s[0] && s[1] <= a[1] }) {
					want[s] = append(want[s], w.Text)
					count++
				}
			}
		}
		hits := f.Find(text)
		if len(hits) != count {
			t.Errorf("%q: found %+v, want %v", text, hits, want)
		}
		for _, h := range hits {
			if !slices.Contains(want[[2]int{h.Start, h.End}], h.Place.File) {
				t.Errorf("%q: found %q at %d to %d, want %v", text, h.Place.File, h.Start, h.End, want)
			}
		}
		if got, covered := f.Cover(text, hits), cover(text, hits); got != covered {
			t.Errorf("%q becomes %q, want %q", text, got, covered)
		}
	})
}

// kept are the words that New did not leave out.
func kept(words []Word, problems []Problem, except bool) (left []Word) {
	for i, w := range words {
		if !slices.ContainsFunc(problems, func(p Problem) bool {
			return p.Except == except && p.Index == i && !strings.HasSuffix(p.Text, "harmless texts have") && !strings.HasSuffix(p.Text, "no listed word")
		}) {
			left = append(left, w)
		}
	}
	return left
}

// cover masks one character after the other.
func cover(text string, hits []Hit) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case !slices.ContainsFunc(hits, func(h Hit) bool { return h.Start <= i && i < h.End }):
			b.WriteRune(r)
		case alphabet[r] != "":
			b.WriteByte('*')
		}
	}
	return b.String()
}

func FuzzClean(f *testing.F) {
	for _, s := range [][2]string{
		{"微信\nweixin\n18+", "微.信 W e i x i n 18+"}, {"a b\n\u200b\n\xff", "a\xff  b"}, {"㎏\nk", "㎏\u0301"}, {"🍃\n👍", "👍🏿🍃\ufe0f"}, {"한\nが", "か\u3099"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, list, text string) {
		o := Options{Mask: '*'}
		for i, w := range strings.Split(list, "\n") {
			o.Words = append(o.Words, Word{w, Replace, Place{"f", i}})
		}
		filter, _ := New(o)
		hits := filter.Find(text)
		last := 0
		for _, h := range hits {
			if h.Start < last || h.End <= h.Start || h.End > len(text) {
				t.Fatalf("%q: %+v", text, hits)
			}
			last = h.Start
		}
		cleaned := filter.Cover(text, hits)
		if (cleaned == text) != (len(hits) == 0) && strings.Trim(text, "*") != "" && !strings.Contains(list, "*") {
			t.Errorf("%q becomes %q by %+v", text, cleaned, hits)
		}
		if utf8.ValidString(text) && !utf8.ValidString(cleaned) {
			t.Errorf("%q becomes %q", text, cleaned)
		}
		for i, w := range o.Words {
			// A word by itself is found, unless there is nothing to be seen in it.
			form, _ := new(builder).form(w.Text)
			if form != "" && len(filter.Find(w.Text)) == 0 {
				t.Errorf("word %d, %q, is not found in itself", i, w.Text)
			}
		}
	})
}
