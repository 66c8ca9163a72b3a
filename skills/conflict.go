package skills

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/words"
	"bot/skills/kind"
	"bot/skills/match"
)

// claim is one of the ways to get to a skill: a keyword, a pattern, all_of
// alone, or nothing in particular.
type claim struct {
	candidate // the skill, and the hit that the claim alone would be
	key       string
	form      string // of the keyword or the pattern; "" for neither
	typed     string
	holds     []string // what every text that meets the claim contains
}

// conflicts warns of claims that can never win, since another skill comes first
// and ends the matter wherever they are met. Only what can be proved is said;
// the warning stands at the claim and names the other skill.
func conflicts(entries []*entry, accounts []string) {
	var all []claim
	for _, e := range entries {
		if e.draft.Enabled {
			all = append(all, claims(e)...)
		}
	}
	rivals := newRivals(all)
	for i := range all {
		b := &all[i]
		for _, n := range rivals.of(b) {
			if a := &all[n]; a.entry != b.entry && a.precedes(b, n < i) && a.impliedBy(b) && covers(a.entry.draft, b.entry.draft, accounts) {
				b.entry.draft.Warn(b.key, "%s: %q at %s %s", b.complaint(), a.entry.draft.Name, a.entry.draft.At(""), a.against(b))
				break
			}
		}
	}
}

// claims lists all ways to a skill, in the order of writing.
func claims(e *entry) (all []claim) {
	r := &e.draft.Rule
	var holds []string
	length := 0
	for _, k := range r.All {
		holds = append(holds, k.Form)
		length += k.Length()
	}
	for i, k := range r.Keywords {
		all = append(all, claim{
			candidate: candidate{e, match.Hit{Mode: k.Mode, Length: k.Length() + length}},
			key:       e.draft.KeywordAt(i), form: k.Form, typed: k.Typed, holds: append(holds[:len(holds):len(holds)], k.Form),
		})
	}
	for i, p := range r.Patterns {
		all = append(all, claim{
			candidate: candidate{e, match.Hit{Mode: match.Regex, Length: length}},
			key:       kind.Path("patterns", i), form: p.String(), typed: p.String(), holds: holds,
		})
	}
	switch {
	case len(all) > 0:
		return all
	case len(r.All) > 0:
		return []claim{{candidate: candidate{e, match.Hit{Mode: match.Contains, Length: length}}, key: "all_of", holds: holds}}
	}
	return []claim{{candidate: candidate{e, match.Hit{Mode: r.Bare}}}}
}

// precedes tells whether a skill that is hit by a comes before one whose
// strongest hit is b. earlier says that a stands earlier in the files.
func (a *claim) precedes(b *claim, earlier bool) bool {
	order := cmp.Or(
		cmp.Compare(b.entry.draft.Priority, a.entry.draft.Priority),
		match.Compare(a.hit, b.hit))
	return order < 0 || order == 0 && earlier
}

// impliedBy tells whether every text that meets b meets a.
func (a *claim) impliedBy(b *claim) bool {
	r := &a.entry.draft.Rule
	for _, k := range r.All {
		if !b.contains(k.Form) {
			return false
		}
	}
	for _, k := range r.Not {
		if !b.excludes(k.Form) {
			return false
		}
	}
	switch a.hit.Mode {
	case match.Any:
		return b.hit.Mode == match.Any
	case match.Every:
		return true
	case match.Contains:
		return a.form == "" || b.contains(a.form)
	case match.Prefix:
		return (b.hit.Mode == match.Exact || b.hit.Mode == match.Prefix) && strings.HasPrefix(b.form, a.form)
	default: // exact, regex
		return a.hit.Mode == b.hit.Mode && a.form == b.form
	}
}

// contains tells whether every text that meets the claim contains a word.
func (a *claim) contains(word string) bool {
	return slices.ContainsFunc(a.holds, func(held string) bool { return strings.Contains(held, word) })
}

// excludes tells whether no text that meets the claim contains a word.
func (a *claim) excludes(word string) bool {
	return slices.ContainsFunc(a.entry.draft.Rule.Not, func(k match.Keyword) bool { return strings.Contains(word, k.Form) })
}

func (a *claim) complaint() string {
	switch {
	case a.form == "":
		return "this skill never answers"
	case a.hit.Mode == match.Regex:
		return "pattern " + a.typed + " never gets to this skill"
	}
	return "keyword " + a.typed + " never gets to this skill"
}

// against says why a comes first.
func (a *claim) against(b *claim) string {
	same := a.hit.Mode == b.hit.Mode && a.form == b.form && a.entry.draft.Priority == b.entry.draft.Priority
	switch {
	case same && a.typed != b.typed:
		return fmt.Sprintf("has the same rule and comes first (%s is %s: width, case and the like do not count)", b.typed, a.typed)
	case same:
		return "has the same rule and comes first"
	}
	return fmt.Sprintf("answers %s, and %s", a.scope(), beats(a.candidate, b.candidate))
}

// scope is which texts meet the claim, in words.
func (a *claim) scope() string {
	switch a.hit.Mode {
	case match.Every:
		return "every " + a.entry.draft.On
	case match.Any:
		return "whatever nothing else matched"
	case match.Regex:
		return "what fits " + a.typed
	case match.Prefix:
		return "whatever begins with " + a.typed
	case match.Exact:
		return a.typed
	}
	if a.form == "" {
		return fmt.Sprintf("whatever holds all of %q", a.entry.draft.AllOf)
	}
	return "whatever holds " + a.typed
}

// rivals finds the claims that a claim may imply, without comparing each with all.
type rivals struct {
	list  *words.List
	holds [][]int // the claims that need a text to hold the word
	rest  map[string][]int
}

func newRivals(all []claim) *rivals {
	r := &rivals{rest: make(map[string][]int)}
	var texts []string
	number := make(map[string]int)
	for i := range all {
		word := all[i].needs()
		if word == "" {
			r.rest[all[i].otherwise()] = append(r.rest[all[i].otherwise()], i)
			continue
		}
		n, known := number[word]
		if !known {
			n = len(texts)
			number[word] = n
			texts = append(texts, word)
			r.holds = append(r.holds, nil)
		}
		r.holds[n] = append(r.holds[n], i)
	}
	r.list = words.New(texts)
	return r
}

// needs is a word without which no text meets the claim, "" where none is known.
func (a *claim) needs() string {
	switch {
	case a.hit.Mode == match.Regex || len(a.holds) == 0:
		return ""
	case a.form != "":
		return a.form
	}
	return a.holds[0]
}

// otherwise groups the claims that need no word.
func (a *claim) otherwise() string { return a.hit.Mode.String() + " " + a.form }

// of lists the rivals of a claim in the order of the files.
func (r *rivals) of(b *claim) (all []int) {
	all = append(all, r.rest[b.otherwise()]...)
	if every := (&claim{candidate: candidate{hit: match.Hit{Mode: match.Every}}}).otherwise(); b.otherwise() != every {
		all = append(all, r.rest[every]...)
	}
	for _, text := range b.holds {
		found := r.list.In(text)
		for _, w := range found.All() {
			all = append(all, r.holds[w]...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// covers tells whether the skill a, if it is hit, ends the matter wherever and
// whenever b would answer.
func covers(a, b *kind.Draft, accounts []string) bool {
	return a.Stop && a.On == b.On && coversAccounts(a.Accounts, b.Accounts, accounts) && coversPlaces(a, b) &&
		a.Spans(&b.Keys) && (a.Hours == "" || a.Hours == b.Hours)
}

// coversAccounts tells whether a has all accounts that b has, of which an empty
// list is all there are.
func coversAccounts(a, b, all []string) bool {
	if len(b) == 0 {
		b = all
	}
	return len(a) == 0 || len(b) > 0 && !slices.ContainsFunc(b, func(name string) bool { return !slices.Contains(a, name) })
}

// coversPlaces tells apart a skill that wants to be mentioned from one that does
// not care: the second still gets what mentions nobody.
func coversPlaces(a, b *kind.Draft) bool {
	if a.Where != kind.Any && a.Where != b.Where {
		return false
	}
	return b.Where == kind.Private || b.On != string(engine.Message) || !a.Mention || b.Mention
}
