package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/ingress"
)

// explained is how many times a second it is looked into why nothing is said. That
// looks at every skill; in a flood the trace names the others by their kind only.
const explained = 20

// refusal says in one sentence why an event was not taken in, with the line of the
// configuration that is responsible, where one is.
func (p *Plan) refusal(e *engine.Event, reason string) string {
	at := func(key string) string {
		for i := range p.Config.Accounts {
			if a := &p.Config.Accounts[i]; a.Name == e.Account {
				return " (" + a.At(key) + ")"
			}
		}
		return ""
	}
	row, isRow := strings.CutPrefix(reason, "risk_")
	switch {
	case isRow:
		action, name, _ := strings.Cut(row, ":")
		return fmt.Sprintf("%s: the risk row %q says %s%s", reason, name, action, p.riskAt(name))
	case reason == blocked && (p.people[e.Account].blocked[e.Sender] || p.people[e.Account].blocked[e.Conversation]):
		return reason + ": the account lists them as blocked" + at("blocked")
	case reason == blocked:
		return reason + ": blocked by hand (bot block; bot unblock takes it back)"
	case reason == unsubscribed:
		return reason + ": they wrote that they want nothing more, so only their messages are heard"
	case reason == notTestUser:
		return reason + ": only test_users are served" + at("test_users")
	case reason == ingress.Self:
		return reason + ": the account said it itself"
	case reason == "age":
		return fmt.Sprintf("%s: sent at %s, older than max_age%s", reason, e.Time.In(p.Config.Location()).Format(time.RFC3339), at("max_age"))
	case reason == "backlog":
		return reason + ": too many events wait (queue.backlog); the sender was asked to come back"
	case reason == "commit_wait":
		return reason + ": the disk is too slow (queue.max_commit_wait); the sender was asked to come back"
	case reason == "full":
		return reason + ": the disk is full; the sender was asked to come back"
	}
	return reason
}

// riskAt is where a row of the risk matrix stands.
func (p *Plan) riskAt(name string) string {
	i := slices.IndexFunc(p.Config.Risk, func(s *config.Section) bool {
		var row struct {
			Name string `toml:"name"`
		}
		s.Decode(&row) // its other keys are not known to this one
		return row.Name == name
	})
	if i < 0 {
		return ""
	}
	return " (" + p.Config.Risk[i].At("") + ")"
}

// whyUnanswered says in one sentence why no skill answers an event: which came nearest,
// and what kept it.
func (a *App) whyUnanswered(e *engine.Event) string {
	plan := a.live.Load()
	switch {
	case e.Mute != "":
		return "nothing can be said in answer: " + e.Mute
	case plan.Skills.Len() == 0:
		return "there are no skills"
	case !a.explain.Allow():
		return "no skill answers this " + string(e.Kind)
	}
	return nearestVerdict(plan.Skills.Explain(e, engine.State{}, engine.State{}), e)
}

// nearestVerdict says in one sentence which of the skills came nearest.
func nearestVerdict(verdicts []engine.Verdict, e *engine.Event) string {
	var best *engine.Verdict
	others := 0
	for i := range verdicts {
		v := &verdicts[i]
		if v.Won || strings.HasPrefix(v.Why, "it answers") && !strings.Contains(v.Why, " only, and this came on ") { // other kinds of event
			continue
		}
		others++
		if best == nil || nearness(v) > nearness(best) {
			best = v
		}
	}
	switch {
	case best == nil:
		return "no skill answers " + string(e.Kind)
	case others == 1:
		return fmt.Sprintf("skill %q (%s) does not answer: %s", best.Skill, best.Where, best.Why)
	}
	return fmt.Sprintf("none of %d skills answers; the nearest, %q (%s): %s", others, best.Skill, best.Where, best.Why)
}

// nearness is how near a skill came to answering: one whose words fit is nearest, one
// whose words do not is farthest.
func nearness(v *engine.Verdict) int {
	switch {
	case v.Near:
		return 1
	case strings.Contains(v.Why, "no keyword or pattern fits"):
		return -1
	}
	return 0
}
