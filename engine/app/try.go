package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bot/engine"
	"bot/engine/console"
	"bot/engine/fetch"
	"bot/engine/trial"
)

// skillsShown is what people are shown of the skills, with drawings of those that are
// state machines.
func (a *App) skillsShown() ([]engine.SkillInfo, []string) {
	s := a.live.Load().Skills
	return s.Skills(), s.Graphs()
}

// try plays one event through the running skills and changes nothing: it has no
// store, the time is now, and other systems are not called.
func (a *App) try(ctx context.Context, q console.Question) (trial.Reply, error) {
	plan := a.live.Load()
	if _, known := plan.Setup.Accounts[q.Account]; !known {
		return trial.Reply{}, fmt.Errorf("there is no account %q", q.Account)
	}
	line, err := lineOf(q)
	if err != nil {
		return trial.Reply{}, err
	}
	o := plan.Trial(q.Account, q.Group)
	o.Start, o.Explain = a.store.Now().In(locationOf(plan, q.Account)), plan.Skills.Explain
	return trial.New(o).Do(fetch.Offline(ctx), line)
}

// lineOf is the question as a line of a dialogue.
func lineOf(q console.Question) (string, error) {
	text := strings.TrimSpace(q.Text)
	switch {
	case q.Kind != "" && q.Kind != engine.Message:
		return strings.TrimSpace("/event " + string(q.Kind) + " " + text), nil
	case text == "":
		return "", errors.New("say something")
	case q.Group && !q.Mention:
		return "/nomention " + text, nil
	case strings.HasPrefix(text, "/"):
		return "/" + text, nil // what begins with a slash is said with two
	}
	return text, nil
}
