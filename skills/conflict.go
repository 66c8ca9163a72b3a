package skills

import (
	"slices"

	"bot/skills/kind"
	"bot/skills/match"
)

// sameness identifies what a rule asks of a text: two rules that share one
// match the same texts with equal strength.
type sameness struct {
	mode match.Mode
	form string // keyword as compared, or pattern
}

// conflicts warns of rules that can never win because an earlier skill has the
// same one. The warning stands at the later skill and names the earlier.
func conflicts(entries []*entry) {
	seen := make(map[sameness][]*entry)
	for _, later := range entries {
		claim := func(s sameness, key, complaint string) {
			for _, earlier := range seen[s] {
				if covers(earlier.draft, later.draft) {
					later.draft.Warn(key, "%s: %q at %s has the same rule and comes first",
						complaint, earlier.draft.Name, earlier.draft.At(""))
					break
				}
			}
			seen[s] = append(seen[s], later)
		}
		claims(later.draft, claim)
	}
}

// claims goes through what a rule asks for, each with the key that asks and
// what to say if an earlier skill has it.
func claims(d *kind.Draft, claim func(s sameness, key, complaint string)) {
	if d.Rule.IsBare() {
		claim(sameness{mode: d.Rule.Bare}, "", "this skill never answers")
	}
	for i, k := range d.Rule.Keywords {
		claim(sameness{k.Mode, k.Form}, kind.Path("keywords", i), "keyword "+k.Typed+" never gets to this skill")
	}
	for i, p := range d.Rule.Patterns {
		claim(sameness{match.Regex, p.String()}, kind.Path("patterns", i), "pattern "+p.String()+" never gets to this skill")
	}
}

// covers tells whether, given the same rule, the earlier skill a goes first and
// ends the matter at some place where b would answer.
func covers(a, b *kind.Draft) bool {
	return a != b && a.Enabled && b.Enabled && a.Stop &&
		a.On == b.On && a.Priority == b.Priority &&
		shareAccount(a.Accounts, b.Accounts) && sharePlace(a, b) && a.Spans(&b.Keys)
}

// shareAccount compares two lists of accounts, of which an empty one is all.
func shareAccount(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 ||
		slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// sharePlace tells apart a skill that wants to be mentioned from one that does
// not care: the second still gets what mentions nobody.
func sharePlace(a, b *kind.Draft) bool {
	private := a.Where != kind.Group && b.Where != kind.Group
	group := a.Where != kind.Private && b.Where != kind.Private
	return private || group && (!a.Mention || b.Mention)
}
