package answer

import (
	"fmt"
	"slices"
	"testing"

	"bot/skills/match"
)

func TestChoices(t *testing.T) {
	plain := NewChoices(match.Folding{}, []string{"个人", "公司", "Other C#", "三条"})
	numbers := NewChoices(match.Folding{}, []string{"3", "2", "10"})
	marks := NewChoices(match.Folding{}, []string{"好", "好！", "👍"})
	long := NewChoices(match.Folding{}, slices.Repeat([]string{"x"}, 12))
	for _, tt := range []struct {
		name string
		of   *Choices
		in   string
		want string // "": none of them
	}{
		{"its words", plain, "公司", "公司"},
		{"its words with a mark", plain, "公司。", "公司"},
		{"in another case and width", plain, "ｏｔｈｅｒ c#", "Other C#"},
		{"its number", plain, "2", "公司"},
		{"a full-width number", plain, "２", "公司"},
		{"a circled number", plain, "②", "公司"},
		{"a number in brackets", plain, "（2）", "公司"},
		{"a number as an emoji", plain, "2\ufe0f\u20e3", "公司"},
		{"a number with a point", plain, "2.", "公司"},
		{"a number with a Chinese comma", plain, "2、", "公司"},
		{"a number with a zero", plain, "02", "公司"},
		{"a Chinese number", plain, "二", "公司"},
		{"the second one", plain, "第二个", "公司"},
		{"I take 2", plain, "选2", "公司"},
		{"a line of the list", plain, "2. 公司", "公司"},
		{"words that look like an ordinal", plain, "三条", "三条"},
		{"a line of another list", plain, "2. 个人", ""},
		{"a number that there is not", plain, "5", ""},
		{"nought", plain, "0", ""},
		{"a sign", plain, "+1", ""},
		{"an enormous number", plain, "99999999999999999999", ""},
		{"other words", plain, "公司吧", ""},
		{"nothing", plain, "", ""},
		{"nothing but marks", plain, "？", ""},
		{"choices that are numbers: words first", numbers, "2", "2"},
		{"choices that are numbers: else by number", numbers, "1", "3"},
		{"choices that differ by a mark", marks, "好！", "好！"},
		{"the mark left out", marks, "好。", "好"},
		{"an emoji", marks, "👍", "👍"},
		{"two digits", long, "12", "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := tt.of.Read(tt.in); got != tt.want || ok != (tt.want != "") {
				t.Errorf("%q reads as %q, %v; want %q", tt.in, got, ok, tt.want)
			}
		})
	}
	if got := plain.List(); got != "1. 个人\n2. 公司\n3. Other C#\n4. 三条" {
		t.Errorf("the list is %q", got)
	}
}

// Each of them can be chosen by its own words, and by its number unless that is
// another's words.
func FuzzChoices(f *testing.F) {
	f.Add("个人", "公司", "2.")
	f.Add("2", "1", "第一")
	f.Add("", "\xff", "①")
	f.Add("Ａ", "a!", "１．ａ")
	f.Fuzz(func(t *testing.T, a, b, said string) {
		texts := []string{a, b}
		c := NewChoices(match.Folding{}, texts)
		if got, ok := c.Read(said); ok && !slices.Contains(texts, got) {
			t.Fatalf("of %q, %q reads as %q", texts, said, got)
		}
		for i, text := range texts {
			n := fmt.Sprint(i + 1)
			if got, ok := c.Read(n); (!ok || got != text) && !wordsOf(texts, n) {
				t.Errorf("of %q, number %s reads as %q, %v", texts, n, got, ok)
			}
			if _, ok := c.Read(text); !ok && len(text) <= longest && match.Trim(match.Fold(text)) != "" {
				t.Errorf("of %q, %q cannot be chosen", texts, text)
			}
		}
	})
}

func wordsOf(texts []string, n string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return match.Trim(match.Fold(s)) == n })
}

func TestChoicesFoldAsTheConfigurationDoes(t *testing.T) {
	c := NewChoices(match.NewFolding(true), []string{"个人", "企业"})
	if got, ok := c.Read("個人"); !ok || got != "个人" {
		t.Errorf("個人 reads as %q, %v", got, ok)
	}
	if got, ok := NewChoices(match.Folding{}, []string{"个人"}).Read("個人"); ok {
		t.Errorf("unasked, 個人 reads as %q", got)
	}
}
