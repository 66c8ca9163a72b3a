package turn_test

import (
	"errors"
	"reflect"
	"testing"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

func TestWhatAnEventTellsOfAContactIsRememberedInItsAct(t *testing.T) {
	m := &memory{notes: map[string]string{"shop known/room": "1"}}
	e := message()
	e.IfKnown = engine.ContactChanged
	o := options(m, router{rules: []engine.Choice{{Skill: says("s", "hello")}}})
	note := engine.Note{Key: "contact/room", Value: "1"}
	asked := 0
	o.Contact = func(e *engine.Event) ([]engine.Note, error) {
		if asked++; e.Kind != engine.ContactChanged {
			t.Errorf("asked of a %s, not of what skills see", e.Kind)
		}
		return []engine.Note{note}, nil
	}
	moved := true
	m.refuse = func(store.Commit) error { // once: the turn is played anew
		if moved {
			moved = false
			return store.ErrConflict
		}
		return nil
	}
	if _, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: e}); err != nil {
		t.Fatal(err)
	}
	if got := m.commits[0].Learned; asked != 1 || !reflect.DeepEqual(got, []engine.Note{note}) {
		t.Errorf("asked %d times, learned %+v", asked, got)
	}
}

func TestADirectoryThatCannotBeReadFailsTheTurn(t *testing.T) {
	m, broken := &memory{}, errors.New("broken")
	o := options(m, router{})
	o.Contact = func(*engine.Event) ([]engine.Note, error) { return nil, broken }
	if _, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: message()}); !errors.Is(err, broken) || len(m.commits) > 0 {
		t.Errorf("%v, committed %+v", err, m.commits)
	}
}
