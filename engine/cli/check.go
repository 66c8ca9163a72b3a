package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"bot/engine/app"
)

// checkVerb says all that is wrong with a configuration: 0 nothing, 1
// something, 2 it cannot be read. Asked for, it draws the forms, also when their
// tests fail: a drawing may show why.
func checkVerb(ctx context.Context, c *call) int {
	only := c.flags.String("run", "", "run the tests of this `skill` alone")
	graph := c.flags.Bool("graph", false, "draw the forms as state machines")
	schedules := c.flags.Bool("schedules", false, "show when each schedule comes next")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	tests := 0
	var graphs []string
	var upcoming []app.Upcoming
	plan, err := c.plan()
	if err == nil && *graph {
		graphs = plan.Skills.Graphs()
	}
	if err == nil && (*schedules || c.json) {
		upcoming = plan.Upcoming(c.Now(), shownTimes)
	}
	switch {
	case err != nil:
	case *only != "":
		tests, err = plan.TestOnly(ctx, *only)
	default:
		tests, err = len(plan.Skills.Tests()), plan.Test(ctx)
	}
	var unread *fs.PathError
	if c.json && !errors.As(err, &unread) {
		return c.checkJSON(err, graphs, upcoming)
	}
	for _, g := range graphs {
		fmt.Fprintln(c.Out, g)
	}
	for _, u := range upcoming {
		fmt.Fprintln(c.Out, upcomingLine(u))
	}
	if plan != nil { // what is warned of may be why a test fails
		for _, w := range plan.Config.Warnings {
			fmt.Fprintln(c.Err, "warning: "+w.Error())
		}
	}
	if err != nil {
		return c.sayConfig(err, exitFailed)
	}
	rows := ""
	if n := plan.RiskRows(); n > 0 {
		rows = fmt.Sprintf(", risk rows: %d", n)
	}
	if n := len(plan.Skills.Schedules()); n > 0 {
		rows += fmt.Sprintf(", schedules: %d", n)
	}
	fmt.Fprintf(c.Out, "%s is fine (accounts: %d, skills: %d%s, tests passed: %d)\n",
		c.config, len(plan.Config.Accounts), plan.Skills.Len(), rows, tests)
	return exitOK
}

// shownTimes is how many times of each schedule are shown.
const shownTimes = 3

func upcomingLine(u app.Upcoming) string {
	times := make([]string, len(u.Next))
	for i, t := range u.Next {
		times[i] = t.Format("Mon 2006-01-02 15:04 -0700")
	}
	next := strings.Join(times, ", ")
	switch {
	case !u.Enabled:
		next = "disabled"
	case next == "":
		next = "never"
	}
	return fmt.Sprintf("schedule %q (%s; %s): %s", u.Name, u.When, u.Does, next)
}

func (c *call) checkJSON(err error, graphs []string, upcoming []app.Upcoming) int {
	problems := []string{}
	if err != nil {
		problems = strings.Split(err.Error(), "\n")
	}
	answer := map[string]any{"ok": err == nil, "problems": problems}
	if graphs != nil {
		answer["graphs"] = graphs
	}
	if len(upcoming) > 0 {
		answer["schedules"] = upcoming
	}
	json.NewEncoder(c.Out).Encode(answer)
	if err != nil {
		return exitFailed
	}
	return exitOK
}
