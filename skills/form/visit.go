package form

import (
	"time"

	"bot/engine"
	"bot/skills/match"
	"bot/skills/render"
)

// visit is one turn of a form.
type visit struct {
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
	return v.open(0, "asked")
}

// answer takes a message as the answer to the open question.
func (v *visit) answer() (engine.Outcome, error) {
	i := v.form.find(v.state.Node)
	if i < 0 {
		return v.end(v.form.changed, "its step is gone", true)
	}
	s := &v.form.steps[i]
	if !v.turn.Event.Spoken() {
		// A sticker says nothing about the answer to come: no miss is counted.
		return v.say(engine.Outcome{Note: "not a text"}, s.invalid)
	}
	text := match.Read(v.turn.Event.Text)
	if v.form.exit.Hits(text) {
		return v.end(nil, "left", true)
	}
	if v.form.cancel.Hits(text) {
		return v.end(v.form.cancelReply, "cancelled", false)
	}
	answer := match.Answer(v.turn.Event.Text)
	if !s.fits(answer) {
		return v.miss(s)
	}
	v.state.Data[s.save] = answer
	if i+1 < len(v.form.steps) {
		return v.open(i+1, "answered "+s.save)
	}
	return v.finish()
}

// open asks a question, which gets the whole time limit for itself.
func (v *visit) open(i int, note string) (engine.Outcome, error) {
	s := &v.form.steps[i]
	v.state.Node, v.state.Misses = s.save, 0
	v.state.Expires = v.turn.Event.Received.Add(v.form.expires)
	v.state.Notify = v.form.expiredReply != nil
	return v.say(engine.Outcome{State: &v.state, Note: note}, s.ask)
}

// miss counts an answer that does not fit.
func (v *visit) miss(s *step) (engine.Outcome, error) {
	v.state.Misses++
	if v.state.Misses >= s.attempts {
		return v.end(v.form.tooMany, "too many misses", false)
	}
	return v.say(engine.Outcome{State: &v.state, Note: "invalid " + s.save}, s.invalid)
}

// finish ends the form with all answers collected; only here is a once-key taken.
func (v *visit) finish() (engine.Outcome, error) {
	out, granted, err := v.form.Guard(v.turn, v.due, v.data)
	if err != nil {
		return engine.Outcome{}, err
	}
	out.State = new(engine.State)
	if !granted {
		return out, nil
	}
	out.Note = "done"
	return v.say(out, v.form.done)
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

func (f *form) find(save string) int {
	for i := range f.steps {
		if f.steps[i].save == save {
			return i
		}
	}
	return -1
}

func (s *step) fits(answer string) bool {
	if s.pattern == nil {
		return answer != ""
	}
	return s.pattern.MatchString(answer)
}
