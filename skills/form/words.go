package form

import (
	"bot/skills/kind"
	"bot/skills/match"
)

// words are said alone, in any width or case and with any punctuation.
type words struct {
	rule  match.Rule
	typed []string // as the operator wrote them

	folding match.Folding
}

// newWords reads the words at a key, each of which must be left with something.
func newWords(d *kind.Draft, key string, typed []string) words {
	w := words{typed: typed, folding: d.World.Folding}
	for i, one := range typed {
		if one == "" && !d.Lacks(kind.Path(key, i), true) {
			continue
		}
		k, err := w.folding.NewKeyword(one, match.Exact)
		if err != nil {
			d.Problem(kind.Path(key, i), "%v", err)
			continue
		}
		w.rule.Keywords = append(w.rule.Keywords, k)
	}
	return w
}

// wordsOr are the words at a key, or otherwise where there is no such key.
func wordsOr(d *kind.Draft, key string, typed, otherwise []string) words {
	if !d.Has(key) {
		typed = otherwise
	}
	if d.Lacks(key, len(typed) == 0) {
		d.Problem(key, "%s is empty: it lists the words that are understood, or is left out", key)
	}
	return newWords(d, key, typed)
}

func (w *words) none() bool { return len(w.typed) == 0 }

// said tells whether a message is one of the words.
func (w *words) said(t *match.Text) bool { return w.rule.Hits(t) }

// are tells the same of a text that no message has brought.
func (w *words) are(text string) bool { return w.said(w.folding.Read(text)) }
