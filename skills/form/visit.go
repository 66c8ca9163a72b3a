package form

import (
	"context"
	"time"

	"bot/engine"
	"bot/skills/match"
	"bot/skills/render"
	"bot/skills/webcall"
)

// visit is one turn of a form. It lives no longer than the call that ctx is for.
type visit struct {
	ctx   context.Context
	form  *form
	turn  *engine.Turn
	state engine.State
	data  *render.Data
	due   time.Time
}

// begin opens the form with its first question.
func (v *visit) begin() (engine.Outcome, error) {
	v.state = engine.State{Skill: v.form.Name(), Data: make(map[string]string)}
	v.data.Data = v.state.Data
	return v.proceed(0, "asked")
}

// answer takes a message as the answer to the open question.
func (v *visit) answer() (engine.Outcome, error) {
	i := v.form.open(v.state.Node)
	if i < 0 {
		return v.end(v.form.changed, "its step is gone", true)
	}
	e := v.turn.Event
	if i < len(v.form.steps) && v.form.steps[i].wants.medium != "" {
		if kept, ok := v.form.steps[i].wants.attached(e); ok {
			return v.keep(i, kept)
		}
	}
	if !e.Spoken() {
		// A sticker says nothing about the answer to come: no miss is counted.
		return v.say(engine.Outcome{Note: "not a text"}, v.form.notText(i))
	}
	text := v.form.folding.Read(e.Text)
	switch f := v.form; {
	case f.exit.said(text):
		return v.end(nil, "left", true)
	case f.cancel.said(text):
		return v.end(f.cancelReply, "cancelled", false)
	case f.back.said(text):
		return v.goBack(i)
	case i == len(f.steps):
		return v.confirmed(text)
	}
	return v.judge(i, text)
}

// maxAnswer is the longest answer that a form keeps, in bytes: a state holds all
// of them, and what is said at the end may show them all.
const maxAnswer = 4 << 10

// judge compares words with what the step wants.
func (v *visit) judge(i int, text *match.Text) (engine.Outcome, error) {
	s := &v.form.steps[i]
	if s.optional && s.skip.said(text) {
		return v.keep(i, "")
	}
	if s.wants.medium == "" && len(v.turn.Event.Text) <= maxAnswer {
		if kept, ok := s.wants.read(v.turn.Event.Text, v.data.Now); ok {
			return v.keep(i, kept)
		}
	}
	return v.miss(s.save, s.attempts, s.invalid)
}

// keep saves an answer and goes where it leads.
func (v *visit) keep(i int, kept string) (engine.Outcome, error) {
	s := &v.form.steps[i]
	v.state.Data[s.save] = kept
	return v.proceed(s.after(kept), "answered "+s.save)
}

// goBack asks the question before again; both answers are forgotten. At the
// first one it repeats what is open.
func (v *visit) goBack(open int) (engine.Outcome, error) {
	last := v.form.before(open, v.state.Data)
	if last < 0 {
		return v.say(engine.Outcome{Note: "nothing to go back to"}, v.form.question(open))
	}
	if open < len(v.form.steps) {
		delete(v.state.Data, v.form.steps[open].save)
	}
	delete(v.state.Data, v.form.steps[last].save)
	return v.open(last, "back")
}

// proceed asks the first question from i on that is to be asked, at the end
// whether all is right; else it finishes.
func (v *visit) proceed(i int, note string) (engine.Outcome, error) {
	i = v.form.from(i, v.state.Data)
	if i == len(v.form.steps) && v.form.confirm == nil {
		return v.finish()
	}
	return v.open(i, note)
}

// open asks a question, which gets the whole time limit for itself.
func (v *visit) open(i int, note string) (engine.Outcome, error) {
	v.state.Node, v.state.Misses = v.form.node(i), 0
	v.state.Expires = v.turn.Event.Received.Add(v.form.expires)
	v.state.Notify = v.form.expiredReply != nil
	return v.say(engine.Outcome{State: &v.state, Note: note}, v.form.question(i))
}

// miss counts an answer that does not fit.
func (v *visit) miss(node string, attempts int, invalid *render.Template) (engine.Outcome, error) {
	v.state.Misses++
	if v.state.Misses >= attempts {
		return v.end(v.form.tooMany, "too many misses", false)
	}
	return v.say(engine.Outcome{State: &v.state, Note: "invalid " + node}, invalid)
}

// finish ends the form with all answers collected; only here is a once-key
// taken, and only with it is anything done.
func (v *visit) finish() (engine.Outcome, error) {
	out, granted, err := v.form.Guard(v.turn, v.due, v.data)
	if err != nil {
		return engine.Outcome{}, err
	}
	out.State = new(engine.State)
	if !granted {
		return out, nil
	}
	if c := v.form.call; c != nil {
		why, err := c.make(v.ctx, v.data, webcall.KeyOf(v.turn, &v.form.Base, out))
		if err != nil {
			return engine.Outcome{}, err
		}
		if why != "" {
			return v.end(c.failed, "not done: "+why, false)
		}
	}
	done, err := v.done(out)
	if err != nil && v.form.call != nil {
		// It is done, and only the words for it are missing: to say that it failed
		// would have people do it again.
		out.Note = "done, but what was answered lacks what is to be said of it: " + err.Error()
		return v.say(out, v.form.call.thanks)
	}
	return done, err
}

// done says so and does the rest.
func (v *visit) done(out engine.Outcome) (engine.Outcome, error) {
	var err error
	out.Note = "done"
	if out, err = v.say(out, v.form.done); err != nil {
		return engine.Outcome{}, err
	}
	for _, d := range v.form.then {
		commands, note, err := d.Do(v.ctx, v.turn, v.data)
		if err != nil {
			return engine.Outcome{}, err
		}
		for i := range commands {
			commands[i].NotBefore = v.due
		}
		out.Commands = append(out.Commands, commands...)
		if note != "" {
			out.Note += "; " + note
		}
	}
	if len(out.Commands) == 0 && v.form.call == nil { // nothing was given away
		out.Once = nil
	}
	return out, nil
}

// end closes the form without a result; pass lets the rules see the event.
func (v *visit) end(text *render.Template, note string, pass bool) (engine.Outcome, error) {
	return v.say(engine.Outcome{State: new(engine.State), Note: note, Pass: pass}, text)
}

// say completes an outcome with the commands that send the text.
func (v *visit) say(out engine.Outcome, text *render.Template) (engine.Outcome, error) {
	var err error
	if out.Commands, err = v.form.Say(v.due, text, v.data); err != nil {
		return engine.Outcome{}, err
	}
	return out, nil
}
