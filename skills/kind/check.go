package kind

import (
	"fmt"
	"slices"

	"bot/engine"
	"bot/engine/nearest"
	"bot/skills/match"
)

// check looks at the common keys, all but `accounts`, which only Build can judge.
func (d *Draft) check() {
	if d.Lacks("name", d.Name == "") {
		d.Problem("", `a skill needs a name (name = "coupon")`)
	}
	d.event()
	d.oneOf("where", d.Where, []string{Private, Group, Any})
	d.oneOf("scope", d.Scope, []string{"sender", "conversation"})
	d.place()
	d.hours()
	d.later()
	before := len(d.problems)
	d.Rule = d.rule()
	d.unsure = d.undecoded || len(d.problems) > before
	if d.Concurrency < 0 {
		d.Problem("concurrency", "concurrency cannot be below zero (0 = no limit of its own)")
	}
	if d.Has("sensitive_ask") && !d.Sensitive {
		d.Problem("sensitive_ask", "sensitive_ask does nothing without sensitive = true")
	}
	d.tests()
}

// event reads `on` into the kind's full name.
func (d *Draft) event() {
	k, ok := engine.ParseKind(d.On)
	if ok {
		d.On = string(k)
		return
	}
	d.oneOf("on", d.On, engine.KindNames())
}

// rule compiles keywords and patterns.
func (d *Draft) rule() match.Rule {
	mode, ok := match.ParseMode(d.Match)
	if !ok {
		d.oneOf("match", d.Match, match.Modes())
		mode = match.Contains
	}
	rule := match.Rule{Bare: match.Every}
	bare := len(d.Keywords)+len(d.Patterns)+len(d.AnyOf)+len(d.AllOf) == 0
	switch {
	case mode == match.Any:
		rule.Bare = match.Any
		if !bare {
			d.Problem("match", `match = "any" answers what nothing else matched and takes no keywords or patterns`)
			return rule
		}
		rule.Not = d.words("not", d.Not, match.Contains)
		return rule
	case mode == match.Regex && len(d.Keywords) > 0:
		d.Problem("keywords", `match = "regex" reads patterns, not keywords (patterns = ['…'])`)
	case mode == match.Regex && d.Lacks("patterns", len(d.Patterns) == 0):
		d.Problem("match", `match = "regex" needs patterns = ['…']`)
	case mode != match.Regex && d.On == string(engine.Message) && d.needsRule(bare):
		d.Problem("", `a skill that answers messages needs keywords, patterns or match = "any"`)
	}
	if mode != match.Regex {
		rule.Keywords = d.words("keywords", d.Keywords, mode)
	}
	d.conditions(&rule, mode)
	for i, expr := range d.Patterns {
		if expr == "" && !d.Lacks(Path("patterns", i), true) {
			continue
		}
		re, err := d.World.Folding.NewPattern(expr)
		if err != nil {
			d.Problem(Path("patterns", i), "%v", err)
			continue
		}
		if match.FitsAll(re) {
			d.Warn(Path("patterns", i), `pattern %q fits every text, and comes before keywords that are contained (match = "any" is for what nothing else matched)`, expr)
		}
		rule.Patterns = append(rule.Patterns, re)
	}
	d.impossible(&rule)
	return rule
}

func (d *Draft) oneOf(key, value string, known []string) {
	if slices.Contains(known, value) || !d.Lacks(key, true) && value == "" {
		return
	}
	hint := Hint(value, known)
	if meant := chinese[value]; slices.Contains(known, meant) {
		hint = fmt.Sprintf(" (write %q)", meant)
	}
	d.Problem(key, "unknown %s %q%s", key, value, hint)
}

// Hint is what to add to a complaint about a name: what was meant, all that are
// known, or where they stand.
func Hint(name string, known []string) string {
	if h := nearest.Hint(name, known); h != "" {
		return h
	}
	return " (docs/skills.md lists all)"
}
