package match

import (
	"regexp"
	"strings"
)

// Text is one message in the forms that rules compare. Make it once per
// message with Read. A form is made when the first rule asks for it, since many
// a set of rules needs one of them only; so a Text is not for several
// goroutines at once.
type Text struct {
	raw     string
	seen    string // what of raw is looked at
	folding Folding

	folded, trimmed  string
	plain, patterned string // as plain leaves it, and as patterns see that

	hasFolded, hasPlain bool
}

// looked is how many bytes of a text are looked at. People write a few
// thousand; what a gateway lets through beyond that must not cost seconds.
const looked = 64 << 10

// Read prepares a message's text. Of a very long one the beginning counts.
func (f Folding) Read(s string) *Text {
	t := &Text{raw: s, seen: s, folding: f}
	if len(s) > looked {
		t.seen = strings.ToValidUTF8(s[:looked], "")
	}
	return t
}

// fold returns the text as keywords see it, whole and without its edges.
func (t *Text) fold() (folded, trimmed string) {
	if !t.hasFolded {
		t.folded = t.folding.Fold(t.seen)
		t.trimmed, t.hasFolded = Trim(t.folded), true
	}
	return t.folded, t.trimmed
}

// forPatterns returns the text as patterns see it.
func (t *Text) forPatterns() string {
	if !t.hasPlain {
		t.plain, t.hasPlain = plain(t.seen), true
		t.patterned = t.folding.simpler.text(t.plain)
	}
	return t.patterned
}

// submatch is the match of a pattern and its groups, in the text's own
// characters where patterns see simpler ones.
func (t *Text) submatch(re *regexp.Regexp) []string {
	seen := t.forPatterns()
	if seen == t.plain {
		return re.FindStringSubmatch(seen)
	}
	at := re.FindStringSubmatchIndex(seen)
	if at == nil {
		return nil
	}
	m := make([]string, len(at)/2)
	for i := range m {
		if at[2*i] >= 0 {
			m[i] = t.plain[at[2*i]:at[2*i+1]]
		}
	}
	return m
}
