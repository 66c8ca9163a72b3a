package skills

import (
	"fmt"
	"strconv"
	"strings"

	"bot/engine"
	"bot/skills/match"
)

// Info is what people are shown of a skill.
type Info struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	On          string `json:"on"`
	Rule        string `json:"rule"`
	Where       string `json:"where"` // file:line
	Enabled     bool   `json:"enabled"`
	Concurrency int    `json:"concurrency,omitempty"` // 0: no limit of its own
}

// Skills lists all skills in the order of the files.
func (s *Set) Skills() []Info {
	all := make([]Info, len(s.entries))
	for i, e := range s.entries {
		all[i] = Info{
			Name: e.draft.Name, Kind: e.kind.Name, On: e.draft.On, Rule: rule(e),
			Where: e.draft.At(""), Enabled: e.draft.Enabled, Concurrency: e.draft.Concurrency,
		}
	}
	return all
}

// rule puts a skill's rule in words.
func rule(e *entry) string {
	d := e.draft
	var parts []string
	if len(d.Keywords) > 0 {
		parts = append(parts, fmt.Sprintf("%s %q", d.Match, d.Keywords))
	}
	if len(d.Patterns) > 0 {
		parts = append(parts, fmt.Sprintf("regex %q", d.Patterns))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " or ")
	case d.Rule.Bare == match.Any:
		return "what nothing else matched"
	default:
		return "every " + d.On
	}
}

// because puts in words why a skill answers.
func because(e *entry, hit match.Hit) string {
	switch hit.Mode {
	case match.Every:
		return "every " + e.draft.On
	case match.Any:
		return "nothing else matched"
	case match.Regex:
		return "pattern " + strconv.Quote(hit.By)
	default:
		return "keyword " + strconv.Quote(hit.By) + " (" + hit.Mode.String() + ")"
	}
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
	var all []engine.Verdict
	shown := make(map[*entry]bool)
	stopper := ""
	for _, c := range contest(s.byKind[e.Kind], e) {
		shown[c.entry] = true
		v := engine.Verdict{Skill: c.entry.draft.Name, Where: c.entry.draft.At(""), Won: stopper == "", Why: because(c.entry, c.hit)}
		if !v.Won {
			v.Why += fmt.Sprintf(", but %q comes first and stops", stopper)
		}
		if v.Won && c.entry.draft.Stop {
			stopper = v.Skill
		}
		all = append(all, v)
	}
	text := match.Read(e.Text)
	for _, entry := range s.entries {
		if !shown[entry] {
			_, m := entry.fit(e, text)
			all = append(all, engine.Verdict{Skill: entry.draft.Name, Where: entry.draft.At(""), Why: m.words(entry, e)})
		}
	}
	return all
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
	case noMatch:
		return "no keyword or pattern fits"
	default: // it does fit, and was left out for all that
		return "it answers only what nothing else matched"
	}
}
