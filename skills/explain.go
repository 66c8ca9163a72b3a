package skills

import (
	"fmt"
	"strconv"
	"strings"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
)

// Skills lists all skills in the order of the files.
func (s *Set) Skills() []engine.SkillInfo {
	all := make([]engine.SkillInfo, len(s.entries))
	for i, e := range s.entries {
		all[i] = engine.SkillInfo{
			Name: e.draft.Name, Kind: e.kind.Name, On: e.draft.On, Rule: rule(e),
			Where: e.draft.At(""), Enabled: e.draft.Enabled, Concurrency: e.draft.Concurrency,
		}
	}
	return all
}

// rule puts a skill's rule in words.
func rule(e *entry) string {
	d := e.draft
	words := ""
	switch {
	case len(d.AnyOf) > 0:
		words = fmt.Sprintf("contains %q", d.AnyOf)
	case len(d.Keywords) > 0:
		words = fmt.Sprintf("%s %q", d.Match, d.Keywords)
	}
	switch {
	case len(d.Patterns) > 0 && words != "":
		words += fmt.Sprintf(" or regex %q", d.Patterns)
	case len(d.Patterns) > 0:
		words = fmt.Sprintf("regex %q", d.Patterns)
	}
	switch {
	case words != "" && len(d.AllOf) > 0:
		words += fmt.Sprintf(", and all of %q", d.AllOf)
	case len(d.AllOf) > 0:
		words = fmt.Sprintf("all of %q", d.AllOf)
	case words != "":
	case d.Rule.Bare == match.Any:
		words = "what nothing else matched"
	default:
		words = "every " + d.On
	}
	if len(d.Not) > 0 {
		words += fmt.Sprintf(", none of %q", d.Not)
	}
	if d.Hours != "" {
		words += "; " + within(d)
	}
	return words
}

// within puts in words when a skill answers.
func within(d *kind.Draft) string {
	name, outside := strings.CutPrefix(d.Hours, "!")
	if outside {
		return fmt.Sprintf("outside the hours %q", name)
	}
	return fmt.Sprintf("in the hours %q", name)
}

// because puts in words why a skill answers.
func because(e *entry, hit match.Hit) string {
	words := ""
	switch {
	case hit.Mode == match.Every:
		return "every " + e.draft.On
	case hit.Mode == match.Any:
		return "nothing else matched"
	case hit.By == "":
		return fmt.Sprintf("all of %q", e.draft.AllOf)
	case hit.Mode == match.Regex:
		words = "pattern " + strconv.Quote(hit.By)
	default:
		words = "keyword " + strconv.Quote(hit.By) + " (" + hit.Mode.String() + ")"
	}
	if len(e.draft.AllOf) > 0 {
		words += fmt.Sprintf(" and all of %q", e.draft.AllOf)
	}
	return words
}

// beats puts in words why a comes before b, of which both fit.
func beats(a, b candidate) string {
	x, y := a.entry.draft.Priority, b.entry.draft.Priority
	switch {
	case x != y:
		return fmt.Sprintf("its priority is %d to %d", x, y)
	case a.hit.Mode != b.hit.Mode:
		return fmt.Sprintf("%v comes before %v", a.hit.Mode, b.hit.Mode)
	case a.hit.Length != b.hit.Length:
		return fmt.Sprintf("the longer keyword, %d characters to %d", a.hit.Length, b.hit.Length)
	}
	return "it stands earlier in the file"
}

// Explain tells for every skill whether it answers an event and why: those
// that do first, in their order, then the others by the order of the files.
// Where a state chooses, it is the only verdict.
func (s *Set) Explain(e *engine.Event, sender, shared engine.State) []engine.Verdict {
	if c, ok := s.byState(e, sender, shared); ok {
		v := engine.Verdict{Skill: c.Skill.Name(), Won: true, Why: c.Why}
		if entry := s.byName[v.Skill]; entry != nil {
			v.Where = entry.draft.At("")
		}
		return []engine.Verdict{v}
	}
	if e.Self {
		return nil
	}
	if entry, _, ok := s.heard(e); ok {
		return []engine.Verdict{{Skill: entry.draft.Name, Where: entry.draft.At(""), Won: true, Why: heardIt}}
	}
	var all []engine.Verdict
	for _, c := range s.due(e) {
		all = append(all, engine.Verdict{Skill: c.Skill.Name(), Won: true, Why: c.Why})
	}
	shown := make(map[*entry]bool)
	candidates := s.contest(e)
	var winner *candidate // that stops
	for i, c := range candidates {
		shown[c.entry] = true
		v := engine.Verdict{Skill: c.entry.draft.Name, Where: c.entry.draft.At(""), Won: winner == nil, Why: because(c.entry, c.hit)}
		if winner != nil {
			v.Why += fmt.Sprintf(", beaten by %q: %s", winner.entry.draft.Name, beats(*winner, c))
		} else if c.entry.draft.Stop {
			winner = &candidates[i]
		}
		all = append(all, v)
	}
	text := s.folding.Read(e.Text)
	for _, entry := range s.entries {
		if shown[entry] {
			continue
		}
		v := engine.Verdict{Skill: entry.draft.Name, Where: entry.draft.At("")}
		if m := entry.bars(e); m != fits {
			v.Why, v.Near = m.words(entry, e), m != otherKind && names(&entry.draft.Rule, text)
		} else if v.Why = unlike(&entry.draft.Rule, text); v.Why == "" {
			v.Why = fmt.Sprintf("it answers only what nothing else matched, and %q did", candidates[0].entry.draft.Name)
		}
		all = append(all, v)
	}
	return all
}

// names tells whether a rule has words of its own that fit a text.
func names(r *match.Rule, text *match.Text) bool {
	hit, ok := r.Match(text)
	return ok && hit.Mode != match.Any && hit.Mode != match.Every
}

// unlike puts in words why a text does not fit a rule; "" where it does.
func unlike(r *match.Rule, text *match.Text) string {
	var reasons []string
	one := match.Rule{Bare: r.Bare, Keywords: r.Keywords, Patterns: r.Patterns}
	if _, ok := one.Match(text); !ok {
		reasons = append(reasons, "no keyword or pattern fits")
	}
	if words := r.Lacks(text); len(words) > 0 {
		reasons = append(reasons, fmt.Sprintf("the text lacks %q (all_of)", words))
	}
	if words := r.Holds(text); len(words) > 0 {
		reasons = append(reasons, fmt.Sprintf("the text holds %q (not)", words))
	}
	return strings.Join(reasons, "; ")
}

// words say why a skill does not answer an event.
func (m miss) words(e *entry, ev *engine.Event) string {
	switch m {
	case disabled:
		return "it is disabled"
	case otherKind:
		return fmt.Sprintf("it answers %s, this is %s", e.draft.On, ev.Kind)
	case otherAccount:
		return fmt.Sprintf("it is not for account %q", ev.Account)
	case notAmong:
		return fmt.Sprintf("%q is not among its conversations (in)", ev.Conversation)
	case shutOut:
		return fmt.Sprintf("it does not answer in %q (not_in)", ev.Conversation)
	case groupsOnly:
		return "it works in groups only"
	case privateOnly:
		return `it works in private chats only (set where = "any" or "group" to answer in groups)`
	case notMentioned:
		return "nobody mentions the bot (mention = false)"
	case notText:
		return fmt.Sprintf("its keywords are for texts, this is %q", ev.Type)
	case wrongTime:
		return fmt.Sprintf("it answers %s only, and this came on %s", within(e.draft), e.local(ev).Format("Mon 2006-01-02 15:04"))
	case tooDear:
		return fmt.Sprintf("it waits for other systems, and the risk row %q lets only those answer that do not", ev.Degraded)
	}
	return ""
}
