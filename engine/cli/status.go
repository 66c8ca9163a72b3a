package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"text/tabwriter"

	"bot/engine/app"
	"bot/engine/health"
)

// statusVerb shows how the running engine and its accounts are: 0 all is well, 1
// the engine is not ready, or cannot be asked.
func statusVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	var raw json.RawMessage
	var s app.Status
	err := a.do(ctx, http.MethodGet, "/api/v1/status", nil, &raw)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		c.say(err)
		return exitFailed
	}
	if c.json {
		fmt.Fprintf(c.Out, "%s\n", raw)
	} else {
		c.printStatus(&s)
	}
	if !s.Ready {
		return exitFailed
	}
	return exitOK
}

func (c *call) printStatus(s *app.Status) {
	ready := "ready"
	if !s.Ready {
		ready = "NOT READY"
	}
	fmt.Fprintf(c.Out, "bot %s, %s, configuration %d, %d skills\n", s.Version, ready, s.Generation, s.Skills)
	fmt.Fprintf(c.Out, "waiting: %d events, %d commands; in doubt: %d; dead letters: %d\n\n", s.Events, s.Commands, s.InDoubt, s.Dead)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ACCOUNT\tCHANNEL\tHEALTH\tLAST CALLBACK\tLAST SENT\tNOTE")
	for _, r := range s.Accounts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.Channel, r.Health, c.moment(r.LastCallback), c.moment(r.LastSent), c.accountNote(s, &r))
	}
	w.Flush()
}

// accountNote is the one thing about an account that is most worth knowing: what
// keeps it from sending, else whose limit slows it down.
func (c *call) accountNote(s *app.Status, r *health.Row) string {
	pace, pushes := s.Pace[r.Name], s.Pushes[r.Name]
	_, counted := s.Pushes[r.Name]
	switch {
	case r.Held != "":
		return r.Held
	case r.Health == health.Failing:
		return r.LastError.Class + ": " + r.LastError.Note
	case r.LastCallback.IsZero() && r.LastRefused != nil:
		return "a callback was refused at " + c.moment(r.LastRefused.Time) + ": " + r.LastRefused.Class
	case pace.WaitsFor != "":
		return "waits for " + pace.WaitsFor
	case pace.Pace > 0 && pace.Pace < 1:
		return fmt.Sprintf("throttled by its platform: %.0f %% of its usual pace", pace.Pace*100)
	case counted && pushes.Left == 0:
		return fmt.Sprintf("today's pushes are used up: %d (push_per_day)", pushes.Used)
	}
	return "-"
}
