package turn_test

import (
	"context"
	"errors"
	"testing"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

func confirmation(outcome string) *engine.Event {
	return &engine.Event{
		Account: "shop", Kind: engine.Confirmed, ID: "e1", Conversation: "t1", Received: received,
		Params: map[string]string{engine.ConfirmKey: "t1", engine.ConfirmOutcome: outcome, engine.ConfirmNote: "so it says"},
	}
}

func TestAConfirmationIsToldBeforeItsEventIsCommitted(t *testing.T) {
	for outcome, want := range map[string]bool{"ok": true, "failed": false} {
		m := &memory{}
		o := options(m, router{rules: []engine.Choice{{Skill: says("chatty", "no skill is asked")}}})
		told := 0
		o.Confirm = func(_ context.Context, account, key string, ok bool, note string) error {
			if told++; account != "shop" || key != "t1" || ok != want || note != "so it says" {
				t.Errorf("%s: told of %s %s %v %s", outcome, account, key, ok, note)
			}
			if len(m.commits) > 0 {
				t.Error("told after the commit")
			}
			return nil
		}
		r, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: confirmation(outcome)})
		if err != nil || told != 1 || len(m.commits) != 1 || len(r.Skills) > 0 || len(r.Commands) > 0 || r.Note != "confirmation: "+outcome {
			t.Errorf("%s: told %d times, %d commits, %+v, %v", outcome, told, len(m.commits), r, err)
		}
	}
}

func TestAnEventIsNotCommittedWhileItsConfirmationIsNotOnDisk(t *testing.T) {
	m := &memory{}
	o := options(m, router{})
	o.Confirm = func(context.Context, string, string, bool, string) error { return store.ErrFailed }
	if _, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: confirmation("ok")}); !errors.Is(err, store.ErrFailed) || len(m.commits) > 0 {
		t.Errorf("%d commits, %v", len(m.commits), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Confirm = func(ctx context.Context, _, _ string, _ bool, _ string) error { cancel(); return ctx.Err() }
	if _, err := turn.Play(ctx, o, store.Entry{Seq: 7, Event: confirmation("ok")}); !errors.Is(err, turn.ErrCancelled) || len(m.commits) > 0 {
		t.Errorf("stopped meanwhile: %d commits, %v", len(m.commits), err)
	}
}

func TestSoManyConfirmationsWaitAtOnce(t *testing.T) {
	m := &memory{}
	o := options(m, router{})
	var asked engine.Choice
	o.Enter = func(c engine.Choice) (func(), bool) { asked = c; return nil, false }
	o.Confirm = func(context.Context, string, string, bool, string) error { t.Error("told all the same"); return nil }
	_, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: confirmation("ok")})
	busy, ok := errors.AsType[*turn.BusyError](err)
	if !ok || !asked.Waits || busy.Most != asked.Concurrency || busy.Skill != asked.Skill.Name() {
		t.Errorf("asked for %+v, got %v", asked, err)
	}
}
