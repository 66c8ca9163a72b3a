package kind

import (
	"strings"

	"bot/skills/match"
)

// words prepares the words of a list. Two that are one to everybody who writes
// them are worth a warning.
func (d *Draft) words(key string, list []string, mode match.Mode) (all []match.Keyword) {
	first := make(map[string]string) // what was typed, by its form
	for i, typed := range list {
		at := Path(key, i)
		if typed == "" && !d.Lacks(at, true) {
			continue
		}
		k, err := d.World.Folding.NewKeyword(typed, mode)
		if err != nil {
			d.Problem(at, "%s", strings.Replace(err.Error(), emptyKeyword, emptyWord(key), 1))
			continue
		}
		if earlier, twice := first[k.Form]; twice {
			d.Warn(at, "%s is %s again: width, case and the like do not count", typed, earlier)
		} else {
			first[k.Form] = typed
		}
		all = append(all, k)
	}
	return all
}

// emptyKeyword is what is said of an empty one, which is not what it does
// everywhere.
const emptyKeyword = `an empty keyword would match everything (write match = "any" for what nothing else matched)`

func emptyWord(key string) string {
	switch key {
	case "all_of":
		return "an empty word is in every message and asks for nothing"
	case "not":
		return "an empty word is in every message, so this skill would never answer"
	}
	return emptyKeyword
}

// needsRule tells that nothing says, and nothing that could not be read may say,
// which messages the skill answers.
func (d *Draft) needsRule(bare bool) bool {
	for _, key := range []string{"keywords", "patterns", "any_of", "all_of"} {
		if !d.Lacks(key, bare) {
			return false
		}
	}
	return true
}

// conditions reads any_of, all_of and not.
func (d *Draft) conditions(rule *match.Rule, mode match.Mode) {
	for key, list := range map[string][]string{"any_of": d.AnyOf, "all_of": d.AllOf, "not": d.Not} {
		if d.Has(key) && d.Lacks(key, len(list) == 0) {
			d.Problem(key, `%s is empty: it names words (%s = ["发票"]), or is left out`, key, key)
		}
	}
	switch {
	case len(d.AnyOf) == 0:
	case len(d.Keywords) > 0:
		d.Problem("any_of", "any_of beside keywords: one word of either would do (keep one of them; all_of is for words that must be there besides)")
	case mode != match.Contains:
		d.Problem("any_of", `any_of is for words that are contained (leave match = %q out, or write keywords in place of any_of)`, d.Match)
	default:
		rule.Keywords = d.words("any_of", d.AnyOf, match.Contains)
	}
	rule.All = d.words("all_of", d.AllOf, match.Contains)
	rule.Not = d.words("not", d.Not, match.Contains)
}

// KeywordAt is the key that holds the i-th of the rule's keywords.
func (d *Draft) KeywordAt(i int) string {
	if len(d.AnyOf) > 0 {
		return Path("any_of", i)
	}
	return Path("keywords", i)
}

// impossible complains of what no message can be: to hold a word that holds
// another, without that other.
func (d *Draft) impossible(rule *match.Rule) {
	for i, n := range rule.Not {
		for _, a := range rule.All {
			if strings.Contains(a.Form, n.Form) {
				d.Problem(Path("not", i), "whatever holds %q (all_of) holds %q: this skill never answers", a.Typed, n.Typed)
			}
		}
	}
	dead := 0
	for i, k := range rule.Keywords {
		if reason := contradiction(rule, k); reason != "" {
			dead++
			d.Warn(d.KeywordAt(i), "keyword %s never fits: %s", k.Typed, reason)
		}
	}
	if dead > 0 && dead == len(rule.Keywords) && len(rule.Patterns) == 0 {
		d.Problem("", "no keyword of this skill can ever fit, because of its all_of and not")
	}
	for i, a := range rule.All {
		for j, b := range rule.All {
			if i != j && a.Form != b.Form && strings.Contains(b.Form, a.Form) {
				d.Warn(Path("all_of", i), "%s asks for nothing more: it is in %s", a.Typed, b.Typed)
			}
		}
	}
}

// contradiction is why a keyword cannot fit together with the rule's other
// words; "" where it can.
func contradiction(rule *match.Rule, k match.Keyword) string {
	for _, n := range rule.Not {
		if strings.Contains(k.Form, n.Form) {
			return "it holds " + n.Typed + " (not)"
		}
	}
	for _, a := range rule.All {
		// Nothing but punctuation is around an exact keyword.
		if k.Mode == match.Exact && !strings.Contains(k.Form, match.Trim(a.Form)) {
			return "it is the whole message, without " + a.Typed + " (all_of)"
		}
	}
	return ""
}
