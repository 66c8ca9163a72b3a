package act

import (
	"slices"
	"testing"

	"bot/engine"
)

func TestNamesAreActionsOfTheEngine(t *testing.T) {
	names := names()
	if len(names) == 0 {
		t.Fatal("there are none")
	}
	for _, name := range names {
		if !slices.Contains(engine.Actions(), engine.Action(name)) {
			t.Errorf("the engine has no action %q", name)
		}
		if slices.Contains(replies, engine.Action(name)) {
			t.Errorf("%q is what a reply does", name)
		}
	}
}
