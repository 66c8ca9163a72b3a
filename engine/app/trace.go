package app

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/ingress"
	"bot/engine/trace"
	"bot/engine/turn"
	"bot/store"
)

func (a *App) newTrace(cfg *config.Config) *trace.Recorder {
	return trace.New(trace.Options{
		Dir: trace.Dir(cfg.Store.Path), Now: a.store.Now, Log: a.o.Log,
		Limits: func() (time.Duration, int64) {
			t := &a.live.Load().Config.Trace
			return t.Keep.Std(), int64(t.MaxSize)
		},
		Lost: func(entries int) { a.metrics.Untraced.Add(float64(entries)) },
	})
}

// traceIntake tells what became of an event at the door.
func (a *App) traceIntake(e *engine.Event, outcome, reason string) {
	if !a.trace.On() {
		return
	}
	now := a.store.Now()
	steps := []trace.Step{{Time: now, Step: trace.Received, Note: string(e.Kind)}, {Time: now, Step: trace.Queued}}
	switch outcome {
	case ingress.Duplicate:
		steps[1] = trace.Step{Time: now, Step: trace.Duplicate, Note: "this id came before; it was answered as the first time"}
	case ingress.Refused:
		steps[1] = trace.Step{Time: now, Step: trace.Refused, Note: a.live.Load().refusal(e, reason)}
	}
	a.trace.Add(trace.Entry{Account: e.Account, Conversation: e.Conversation, Event: e.ID, Steps: steps})
}

// traceEvent tells of one step of an event that is in the log.
func (a *App) traceEvent(e *engine.Event, step, skill, note string) {
	if !a.trace.On() {
		return
	}
	a.trace.Add(trace.Entry{
		Account: e.Account, Conversation: e.Conversation, Event: e.ID, Ref: e.Ref(),
		Steps: []trace.Step{{Time: a.store.Now(), Step: step, Skill: skill, Note: note}},
	})
}

// traceFailed tells of an attempt at an event that will be followed by another.
func (a *App) traceFailed(e *engine.Event, tries store.Tries, wait time.Duration) {
	a.traceEvent(e, trace.Retry, "", fmt.Sprintf("attempt %d failed: %s; again in %v", tries.Count, tries.Error, wait.Round(time.Millisecond)))
}

// traceHandled tells what a turn came to, and of the commands that it made.
func (a *App) traceHandled(e *engine.Event, r turn.Report) {
	if !a.trace.On() {
		return
	}
	now := a.store.Now()
	entry := trace.Entry{Account: e.Account, Conversation: e.Conversation, Event: e.ID, Ref: e.Ref(), Steps: make([]trace.Step, 0, 1+len(r.Commands))}
	s := trace.Step{Time: now, Step: trace.Handled, Skill: strings.Join(r.Skills, ","), Note: joined(r.Why, r.States, r.Note)}
	switch {
	case r.Outcome == turn.Void:
		s.Step, s.Note = trace.NoReply, "it was told, or over, before"
	case len(r.Commands) == 0:
		s.Step = trace.NoReply
		if len(r.Skills) == 0 && r.Note == "" {
			s.Note = a.whyUnanswered(e)
		}
	}
	entry.Steps = append(entry.Steps, s)
	for i := range r.Commands {
		c := &r.Commands[i]
		command := trace.Step{Time: now, Step: trace.Command, Skill: c.Skill, TaskID: c.TaskID, Note: said(c)}
		if c.ConversationKey() != e.ConversationKey() { // it is part of another one's talk
			command.TaskID = ""
			a.addCommand(c, command)
			continue
		}
		entry.Steps = append(entry.Steps, command)
	}
	a.trace.Add(entry)
}

func joined(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "; ")
}

// said is what a command does, in a few words.
func said(c *engine.Command) string {
	s := string(c.Action)
	if c.Text != "" {
		s += ": " + c.Text
	}
	return s
}

// traceCommand tells of one step of a command.
func (a *App) traceCommand(c *engine.Command, step, note string) {
	if a.trace.On() {
		a.addCommand(c, trace.Step{Time: a.store.Now(), Step: step, Skill: c.Skill, Note: note})
	}
}

func (a *App) addCommand(c *engine.Command, steps ...trace.Step) {
	a.trace.Add(trace.Entry{
		Account: c.Account, Conversation: c.Conversation, Ref: c.Origin, Task: c.TaskID, Trace: c.TraceID, Steps: steps,
	})
}

// traceSettled tells how an attempt at a command ended.
func (a *App) traceSettled(c *engine.Command, s *store.Settlement) {
	if !a.trace.On() {
		return
	}
	p := s.Progress
	var steps []trace.Step
	end := trace.Step{Time: a.store.Now(), Skill: c.Skill, Note: p.Reason}
	if n := len(p.Tries); n > 0 && p.Tries[n-1].Class != "" {
		steps = append(steps, trace.Step{Time: p.Tries[n-1].Time, Step: trace.Attempt, Skill: c.Skill, Note: attempt(p.Tries[n-1], p.Attempts)})
		end.Note = cmp.Or(p.Reason, p.Tries[n-1].Note)
	}
	switch {
	case s.Final != "":
		end.Step = string(s.Final) // the words are the same
	case p.Phase == store.InDoubt:
		end.Step = trace.InDoubt
	case p.Phase == store.Unconfirmed:
		end.Step, end.Note = trace.Sent, joined(end.Note, "to be confirmed by the platform")
	case len(steps) == 0: // a mark that was taken back is nothing that happened
		return
	default:
		end.Step = trace.Retry
		if !p.NotBefore.IsZero() {
			end.Note = joined(end.Note, "again at "+p.NotBefore.In(a.live.Load().Config.Location()).Format(time.RFC3339))
		}
	}
	a.addCommand(c, append(steps, end)...)
}

func attempt(t store.Try, n int) string {
	s := "attempt " + strconv.Itoa(n)
	if t.Class != string(store.Sent) {
		s += ": " + t.Class
	}
	if t.Status != 0 {
		s += ", status " + strconv.Itoa(t.Status)
	}
	if t.Class != string(store.Sent) && t.Note != "" {
		s += ": " + t.Note
	}
	return s
}

// traceReplayed tells that a person put a dead letter back.
func (a *App) traceReplayed(l store.Letter) {
	const note = "replayed from the dead letters by hand"
	if l.Event != nil {
		a.traceEvent(l.Event, trace.Queued, "", note)
	} else {
		a.traceCommand(l.Command, trace.Command, note)
	}
}
