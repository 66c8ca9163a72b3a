package turn_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

func TestASkillThatFails(t *testing.T) {
	broken := errors.New("broken")
	ends := func(err error) func(context.Context) (engine.Outcome, error) {
		return func(context.Context) (engine.Outcome, error) { return text1("lost"), err }
	}
	for name, tc := range map[string]struct {
		handle func(ctx context.Context) (engine.Outcome, error)
		fault  turn.Fault
		is     error
		took   time.Duration
	}{
		"returns an error": {ends(broken), turn.Failed, broken, 0},
		"blames a context of its own": {
			ends(context.Canceled), turn.Failed, context.Canceled, 0,
		},
		"panics": {
			func(context.Context) (engine.Outcome, error) { panic("boom") }, turn.Panicked, nil, 0,
		},
		"ends its goroutine": {
			func(context.Context) (engine.Outcome, error) { runtime.Goexit(); return engine.Outcome{}, nil }, turn.Failed, nil, 0,
		},
		"obeys its time limit": {
			func(ctx context.Context) (engine.Outcome, error) { <-ctx.Done(); return engine.Outcome{}, ctx.Err() },
			turn.TimedOut, nil, 2 * time.Second,
		},
		"ignores its time limit": {
			func(context.Context) (engine.Outcome, error) { time.Sleep(time.Hour); return text1("late"), nil },
			turn.TimedOut, nil, 2 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := skill{"s", func(ctx context.Context, _ *engine.Turn) (engine.Outcome, error) { return tc.handle(ctx) }}
				m := &memory{}
				start := time.Now()
				_, err := play(t, m, router{rules: []engine.Choice{{Skill: s, Timeout: 2 * time.Second}}}, message())
				se, ok := errors.AsType[*turn.SkillError](err)
				if !ok || se.Skill != "s" || se.Fault != tc.fault || tc.is != nil && !errors.Is(err, tc.is) {
					t.Errorf("error %v (%+v), want fault %q", err, se, tc.fault)
				}
				if errors.Is(err, turn.ErrCancelled) {
					t.Error("the failure passes for a cancelled turn")
				}
				if took := time.Since(start); took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
				time.Sleep(2 * time.Hour) // the one that ignored its limit comes back meanwhile
				if len(m.commits) != 0 {
					t.Errorf("committed %+v", m.commits)
				}
			})
		})
	}
}

func TestAPanicKeepsItsStack(t *testing.T) {
	s := skill{"s", func(context.Context, *engine.Turn) (engine.Outcome, error) { panic("boom") }}
	_, err := play(t, &memory{}, router{rules: []engine.Choice{{Skill: s}}}, message())
	if se, ok := errors.AsType[*turn.SkillError](err); !ok || len(se.Stack) == 0 || se.Error() != `skill "s" panicked: boom` {
		t.Errorf("error %v", err)
	}
}

func TestTheDefaultLimitHoldsWhereAChoiceSetsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := skill{"s", func(ctx context.Context, _ *engine.Turn) (engine.Outcome, error) {
			<-ctx.Done()
			return engine.Outcome{}, ctx.Err()
		}}
		start := time.Now()
		_, err := play(t, &memory{}, router{rules: []engine.Choice{{Skill: s}}}, message())
		if took := time.Since(start); err == nil || took != 5*time.Second {
			t.Errorf("error %v after %v, want a time-out after 5s", err, took)
		}
	})
}

func TestACancelledTurnBlamesNobody(t *testing.T) {
	for name, handle := range map[string]func(ctx context.Context) (engine.Outcome, error){
		"skill that obeys": func(ctx context.Context) (engine.Outcome, error) {
			<-ctx.Done()
			return engine.Outcome{}, errors.New("stopped")
		},
		"skill that ignores": func(context.Context) (engine.Outcome, error) { time.Sleep(time.Hour); return text1("late"), nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				s := skill{"s", func(ctx context.Context, _ *engine.Turn) (engine.Outcome, error) { return handle(ctx) }}
				m := &memory{}
				_, err := turn.Play(ctx, options(m, router{rules: []engine.Choice{{Skill: s}}}), store.Entry{Seq: 1, Event: message()})
				if !errors.Is(err, turn.ErrCancelled) {
					t.Errorf("error %v, want ErrCancelled", err)
				}
				if _, ok := errors.AsType[*turn.SkillError](err); ok {
					t.Errorf("error %v blames the skill", err)
				}
				time.Sleep(2 * time.Hour)
				if len(m.commits) != 0 {
					t.Errorf("committed %+v", m.commits)
				}
			})
		})
	}
}

func TestACancelledTurnStartsNoSkill(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := skill{"s", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		t.Error("the skill ran")
		return engine.Outcome{}, nil
	}}
	_, err := turn.Play(ctx, options(&memory{}, router{rules: []engine.Choice{{Skill: s}}}), store.Entry{Event: message()})
	if !errors.Is(err, turn.ErrCancelled) {
		t.Errorf("error %v, want ErrCancelled", err)
	}
}
