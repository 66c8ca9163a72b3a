package answer

import (
	"strconv"
	"strings"

	"bot/skills/match"
)

// Choices are the answers of which one is to be given. They never change.
type Choices struct {
	texts []string
	forms map[string]int // as compared → index

	folding match.Folding
}

// NewChoices prepares choices, in the order in which they are numbered.
func NewChoices(f match.Folding, texts []string) *Choices {
	c := &Choices{texts: texts, forms: make(map[string]int), folding: f}
	trimmed := func(s string) string { return match.Trim(f.Fold(s)) }
	for _, form := range []func(string) string{f.Fold, trimmed} {
		for i, text := range texts {
			if f := form(text); f != "" {
				if _, taken := c.forms[f]; !taken {
					c.forms[f] = i
				}
			}
		}
	}
	return c
}

// List puts them below each other with their numbers from 1.
func (c *Choices) List() string {
	var b strings.Builder
	for i, text := range c.texts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strconv.Itoa(i+1) + ". " + text)
	}
	return b.String()
}

// Texts are the choices as they are kept.
func (c *Choices) Texts() []string { return c.texts }

// Read finds the choice that is meant: by its words, whatever their case,
// width and the punctuation around them; else by its number, written 2, ２, 2.,
// ②, 二, 第二个 or 选2; else by both, as in the list. Words go before numbers.
func (c *Choices) Read(s string) (string, bool) {
	if len(s) > longest {
		return "", false
	}
	folded := c.folding.Fold(s)
	said := match.Trim(folded)
	for _, form := range []string{folded, said} {
		if i, ok := c.forms[form]; ok {
			return c.texts[i], true
		}
	}
	if i, ok := c.at(ordinal(said)); ok {
		return c.texts[i], true
	}
	digits := len(said) - len(strings.TrimLeft(said, "0123456789"))
	if i, ok := c.at(said[:digits]); ok && c.is(i, match.Trim(said[digits:])) {
		return c.texts[i], true
	}
	return "", false
}

// at is the index of the choice with that number in digits.
func (c *Choices) at(n string) (int, bool) {
	if n == "" || len(n) > 3 || strings.Trim(n, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.Atoi(n)
	return i - 1, err == nil && 1 <= i && i <= len(c.texts)
}

// is tells whether words are those of the choice i.
func (c *Choices) is(i int, words string) bool {
	j, ok := c.forms[words]
	return ok && i == j
}

// ordinal takes off what people say around a number, and puts it in digits.
func ordinal(said string) string {
	for _, before := range []string{"选择", "选", "第"} {
		said = strings.TrimPrefix(said, before)
	}
	for _, after := range []string{"个", "项", "号", "种", "条"} {
		said = strings.TrimSuffix(said, after)
	}
	said = strings.TrimSpace(said)
	if n, ok := chinese[said]; ok {
		return n
	}
	return said
}

var chinese = map[string]string{
	"一": "1", "二": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10",
}
