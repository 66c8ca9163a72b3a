package talk

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/trace"
)

// Side is where a line stands.
type Side string

// The sides.
const (
	In    Side = "in"    // came from the other side
	Out   Side = "out"   // went there
	Aside Side = "aside" // what the engine made of it
)

// Line is one line of a conversation.
type Line struct {
	Time time.Time
	Side Side
	Who  string // who said what came in
	What string // the kind of event, the type of message or the action, where it is no text
	Text string
	// Lost says that there may have been words, which are not kept any more.
	Lost  bool
	Step  string // the step of package trace at which it is; "" where there is no more to say
	Skill string
	Note  string
	ID    string // by which its trace is found
	Hand  bool   // a person said it on the account itself
}

// Silent tells whether the line says why nothing was said.
func (l *Line) Silent() bool {
	return l.Step == trace.NoReply || l.Step == trace.Refused
}

// Failed tells whether what the line speaks of has gone wrong.
func (l *Line) Failed() bool {
	return l.Step == trace.Dead || l.Step == trace.InDoubt || l.Step == trace.Retry
}

// Timeline puts a conversation together: of its trace, of events whose words are kept,
// and of events that still wait. It is in the order of time, the last most lines.
func Timeline(entries []trace.Entry, handled, waiting []*engine.Event, most int) []Line {
	t := timeline{in: make(map[string]*Line), out: make(map[string]*Line)}
	for _, e := range handled {
		t.event(e, "")
	}
	for _, e := range waiting {
		t.event(e, trace.Queued)
	}
	for i := range entries {
		t.entry(&entries[i])
	}
	slices.SortStableFunc(t.lines, func(a, b *Line) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(rank(a.Side), rank(b.Side)))
	})
	lines := make([]Line, 0, min(most, len(t.lines)))
	for _, l := range t.lines[max(0, len(t.lines)-most):] {
		lines = append(lines, *l)
	}
	return lines
}

// rank is the order of what happened at one time: something is heard, judged, answered.
func rank(s Side) int { return slices.Index([]Side{In, Aside, Out}, s) }

// timeline is a conversation that is being put together.
type timeline struct {
	lines []*Line
	in    map[string]*Line // by the event's id
	out   map[string]*Line // by the task id
}

func (t *timeline) add(l Line) *Line {
	t.lines = append(t.lines, &l)
	return &l
}

// event adds what came in, with its words.
func (t *timeline) event(e *engine.Event, step string) {
	if t.in[e.ID] != nil || e.Kind == engine.Confirmed || e.Kind == engine.Due {
		return
	}
	l := Line{Time: e.Received, Side: In, Who: cmp.Or(e.SenderName, e.Sender), Text: e.Text, Step: step, ID: e.ID}
	switch {
	case e.Kind != engine.Message:
		l.What = string(e.Kind)
	case !e.Spoken():
		l.What = e.Type
	}
	var files []string
	for _, m := range e.Media {
		files = append(files, cmp.Or(m.Name, m.Kind))
	}
	l.Text = strings.TrimSpace(l.Text + " " + strings.Join(files, ", "))
	if e.Self {
		l.Side, l.Who, l.Hand = Out, "", true
	}
	t.in[e.ID] = t.add(l)
}

// entry adds what the trace tells.
func (t *timeline) entry(e *trace.Entry) {
	for i := range e.Steps {
		s := &e.Steps[i]
		switch {
		case s.Account != e.Account: // done on another account
		case s.TaskID != "":
			t.command(s)
		case e.Event != "":
			t.step(e, s)
		}
	}
}

// step adds what became of an event.
func (t *timeline) step(e *trace.Entry, s *trace.Step) {
	l := t.in[e.Event]
	switch s.Step {
	case trace.Received:
		if l == nil && s.Note != string(engine.Confirmed) {
			what := s.Note
			if what == string(engine.Message) {
				what = ""
			}
			t.in[e.Event] = t.add(Line{Time: s.Time, Side: In, What: what, Lost: what == "", ID: e.Event})
		}
		return
	case trace.Queued, trace.Duplicate:
		return
	case trace.Handled, trace.NoReply:
		if s.Note == "" && s.Skill == "" {
			return
		}
	}
	if l != nil && l.Step == trace.Queued { // it was handled since it was looked for
		l.Step = ""
	}
	t.add(Line{Time: s.Time, Side: Aside, Step: s.Step, Skill: s.Skill, Note: s.Note, ID: e.Event})
}

// command adds something that was to be said, or tells how it fared.
func (t *timeline) command(s *trace.Step) {
	if s.Step == trace.Attempt || s.Step == trace.Duplicate {
		return
	}
	l := t.out[s.TaskID]
	if l == nil {
		l = t.add(Line{Time: s.Time, Side: Out, Lost: true, Step: s.Step, ID: s.TaskID})
		t.out[s.TaskID] = l
	}
	l.Skill = cmp.Or(s.Skill, l.Skill)
	if s.Step == trace.Command {
		if action, text, _ := strings.Cut(s.Note, ": "); knownAction(action) {
			l.Text, l.Lost, l.What = text, false, action
			if action == string(engine.SendText) {
				l.What = ""
			}
		}
		return
	}
	if s.Time.Before(l.Time) {
		return
	}
	l.Time, l.Step, l.Note = s.Time, s.Step, s.Note
}

func knownAction(s string) bool { return slices.Contains(engine.Actions(), engine.Action(s)) }
