package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"bot/engine"
)

// Fault says how a skill failed.
type Fault string

// The ways in which skills fail.
const (
	Failed   Fault = "failed"
	Panicked Fault = "panicked"
	TimedOut Fault = "timed out"
)

// SkillError is the failure of one skill.
type SkillError struct {
	Skill string
	Fault Fault
	Err   error
	Stack []byte // of a panic
}

func (e *SkillError) Error() string {
	return fmt.Sprintf("skill %q %s: %v", e.Skill, e.Fault, e.Err)
}

func (e *SkillError) Unwrap() error { return e.Err }

var (
	errLate   = errors.New("no outcome within the time limit")
	errExited = errors.New("the handler ended its goroutine")
)

// answer is what one call of a skill came to.
type answer struct {
	outcome engine.Outcome
	err     error
}

// call runs the skill with a time limit. A skill that does not end in time is
// abandoned: what it returns later goes nowhere. Its error is a *SkillError,
// or ctx's own when ctx ended.
func (p *play) call(ctx context.Context, limit time.Duration, s engine.Skill, t *engine.Turn) (engine.Outcome, error) {
	name := s.Name()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answered := make(chan answer, 1) // room for an answer that nobody awaits any more
	run := func() { handle(limited, s, t, answered) }
	if p.Go == nil {
		go run()
	} else {
		p.Go(run)
	}

	var a answer
	select {
	case a = <-answered:
	case <-limited.Done():
		a.err = errLate
	}
	switch {
	case a.err == nil:
		return a.outcome, nil
	case ctx.Err() != nil:
		return engine.Outcome{}, ctx.Err()
	case limited.Err() != nil:
		return engine.Outcome{}, &SkillError{Skill: name, Fault: TimedOut, Err: fmt.Errorf("after %v: %w", limit, a.err)}
	}
	if p, ok := errors.AsType[*panicError](a.err); ok {
		return engine.Outcome{}, &SkillError{Skill: name, Fault: Panicked, Err: p, Stack: p.stack}
	}
	return engine.Outcome{}, &SkillError{Skill: name, Fault: Failed, Err: a.err}
}

// handle answers exactly once, whichever way the skill ends.
func handle(ctx context.Context, s engine.Skill, t *engine.Turn, answered chan<- answer) {
	a := answer{err: errExited} // stands when the skill calls runtime.Goexit
	defer func() {
		if v := recover(); v != nil {
			a.err = &panicError{v, debug.Stack()}
		}
		answered <- a
	}()
	a.outcome, a.err = s.Handle(ctx, t)
}

// panicError is a panic that was caught.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprint(e.value) }

// guarded asks the router, whose patterns are the operators' own, and turns a
// panic into an error.
func guarded(ask func() []engine.Choice) (choices []engine.Choice, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("route event: %w", &panicError{v, debug.Stack()})
		}
	}()
	return ask(), nil
}
