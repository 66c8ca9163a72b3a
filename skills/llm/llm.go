// Package llm is the kind of skill that lets a language model answer: any
// endpoint that speaks OpenAI's chat completions. A model only ever yields a
// text to say. Nothing that users write, and nothing that the model does, changes
// a setting, a budget or what the skill does.
package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bot/engine"
	"bot/skills/breaker"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is a skill with a [skill.llm] table.
var Kind = kind.Kind{Key: "llm", Name: "model", Config: config{LLM: defaults()}, New: build}

// skill asks a model. Between turns it remembers no more than how the endpoint
// did lately; what it knows of people is in the store.
type skill struct {
	kind.Base
	model   model
	breaker *breaker.Breaker
	now     func() time.Time

	system     *render.Template // nil: none
	fallback   *render.Template // nil: nothing is said
	overBudget *render.Template

	timeout  time.Duration
	maxInput int // characters
	memory   memory
	budget   budget
	limit    int // of a text where its platform does not say, in bytes
}

// Handle implements engine.Skill. Whatever becomes of the model the turn has an
// outcome; the error is that of the engine's own parts, or of ctx when it ended.
func (s *skill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	due, data := s.Due(t), render.Of(t)
	instead := func(text *render.Template, note string) (engine.Outcome, error) {
		said, err := s.Say(due, text, data)
		return engine.Outcome{Commands: said, Note: note}, err
	}

	rested, granted, err := s.Guard(t, due, data) // it has no once-key
	if err != nil || !granted {
		return rested, err
	}
	question, cut := s.question(t.Event)
	if question == "" {
		return instead(s.fallback, "fallback: the message has no text")
	}
	over, err := s.budget.over(t, data.Now)
	if err != nil {
		return engine.Outcome{}, err
	}
	if over != "" {
		return instead(s.overBudget, over)
	}
	past, err := s.memory.recall(t)
	if err != nil {
		return engine.Outcome{}, err
	}
	question = s.memory.speaker(t.Event) + question
	messages, err := s.messages(data, past, question)
	if err != nil {
		return engine.Outcome{}, err
	}

	a, err := s.ask(ctx, t, messages)
	if ctx.Err() != nil {
		return engine.Outcome{}, ctx.Err() // the engine stops: the event is answered after its next start
	}
	var out engine.Outcome
	if err != nil {
		out, err = instead(s.fallback, "fallback: "+err.Error())
	} else {
		out.Commands = kind.Texts(a.text, data.Longest(s.limit))
		for i := range out.Commands {
			out.Commands[i].NotBefore = due
		}
		out.Notes = s.memory.keep(t.Event, past, exchange{question, a.text})
		out.Note = answered(a, cut, s.maxInput)
	}
	out.Once = rested.Once
	out.Counts = s.budget.spend(t, data.Now, s.now(), a.charged)
	return out, err
}

// question is what the sender said, as the model is to see it; cut says that
// there was more.
func (s *skill) question(e *engine.Event) (text string, cut bool) {
	if !e.Spoken() {
		return "", false
	}
	return shorten(clean(e.Text), s.maxInput)
}

// answered is the note on an answer.
func answered(a answer, cutInput bool, maxInput int) string {
	note := "answered by the model"
	if a.cut {
		note += ", cut off by max_tokens"
	}
	if cutInput {
		note += fmt.Sprintf(", of a text cut to %d characters", maxInput)
	}
	return note
}

// ask gets an answer, however many requests that takes. The error says in words
// for people why there is none, and tells nobody's secrets.
func (s *skill) ask(ctx context.Context, t *engine.Turn, messages []message) (answer, error) {
	if a, tried, err := canned(ctx); tried {
		return a, err
	}
	report, ok := s.breaker.Allow()
	if !ok {
		return answer{}, errors.New("the model failed too often of late and is left alone for a moment")
	}
	result := breaker.Void
	defer func() { report(result) }()

	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	a, err := s.attempts(limited, t, messages)
	var f *failure
	switch {
	case ctx.Err() != nil:
	case !errors.As(err, &f):
		result = breaker.Success
	case !f.void:
		result = breaker.Failure
	}
	return a, err
}

// attempts makes a request, and a second one where that may help and there is
// time for it.
func (s *skill) attempts(ctx context.Context, t *engine.Turn, messages []message) (answer, error) {
	show := s.interim(t)
	a, err := s.model.complete(ctx, messages, show)
	var f *failure
	if !errors.As(err, &f) || !f.again || !pause(ctx, f.pause(t.Chance())) {
		return a, err
	}
	charged := a.charged
	a, err = s.model.complete(ctx, messages, show)
	a.charged += charged
	return a, err
}

// showEvery is how often a growing answer is shown at most.
const showEvery = 300 * time.Millisecond

// interim shows an answer that is still growing, now and then.
func (s *skill) interim(t *engine.Turn) func(text string) {
	var last time.Time
	return func(text string) {
		now := s.now()
		if now.Sub(last) < showEvery {
			return
		}
		if text = growing(text); text != "" {
			last = now
			t.Progress(text)
		}
	}
}
