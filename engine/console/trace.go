package console

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"bot/engine/trace"
)

// tracePage is the life of one message.
type tracePage struct {
	ID    string
	Steps []step
	More  bool
	// Why are the steps that say why something was not said.
	Why []step
}

// step is a step with the time since the one before.
type step struct {
	trace.Step
	After time.Duration
	First bool
}

func (c *console) trace(r *http.Request) (any, error) {
	p := tracePage{ID: strings.TrimSpace(r.URL.Query().Get("id"))}
	if p.ID == "" {
		return p, nil
	}
	steps, more, err := c.o.Desk.Trace(r.Context(), p.ID)
	if err != nil {
		return nil, err
	}
	p.More = more
	for i, s := range steps {
		row := step{Step: s, First: i == 0}
		if i > 0 {
			row.After = s.Time.Sub(steps[i-1].Time)
		}
		p.Steps = append(p.Steps, row)
		if row.Bad() && s.Note != "" {
			p.Why = append(p.Why, row)
		}
	}
	return p, nil
}

// Bad tells whether the step says why something was not said.
func (s step) Bad() bool {
	switch s.Step.Step {
	case trace.NoReply, trace.Refused, trace.Dead, trace.InDoubt, trace.Cancelled:
		return true
	}
	return false
}

// Note is what a step says for people. What a command says is nobody's reason.
func (w words) Note(s step) string {
	if s.Step.Step == trace.Command && strings.Contains(s.Step.Note, ": ") {
		return s.Step.Note
	}
	return w.Reason(s.Step.Note)
}

// tracePath is where the life of what an id names is shown.
func tracePath(id string) string { return "/trace?" + url.Values{"id": {id}}.Encode() }
