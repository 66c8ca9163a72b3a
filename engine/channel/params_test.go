package channel

import (
	"encoding/json"
	"slices"
	"testing"

	"bot/engine"
)

// A name stands in the place of its id, whatever else is blank.
func TestMentionsPairNamesWithIDs(t *testing.T) {
	for _, tt := range []struct {
		name       string
		at, called any
		ids, shown []string
	}{
		{"all named", []string{"a", "b"}, []string{"甲", "乙"}, []string{"a", "b"}, []string{"甲", "乙"}},
		{"a blank name", []string{"a", "b", "c"}, []string{"甲", " ", "丙"}, []string{"a", "b", "c"}, []string{"甲", "b", "丙"}},
		{"a blank id", []any{"", "b"}, []any{"甲", "乙"}, []string{"b"}, []string{"乙"}},
		{"as texts", "a, b,c", "甲,,丙", []string{"a", "b", "c"}, []string{"甲", "b", "丙"}},
		{"fewer names", []any{"a", json.Number("9007199254740993")}, "甲", []string{"a", "9007199254740993"}, []string{"甲", "9007199254740993"}},
		{"more names", "a", "甲,乙", []string{"a"}, []string{"甲"}},
		{"everybody", "all,a", nil, []string{"all", "a"}, []string{"所有人", "a"}},
		{"everybody under another name", "all", "大家", []string{"all"}, []string{"大家"}},
		{"nobody", nil, "甲", nil, nil},
	} {
		c := &engine.Command{Params: map[string]any{"at": tt.at, "at_names": tt.called}}
		ids, shown := Mentions(c)
		if !slices.Equal(ids, tt.ids) || !slices.Equal(shown, tt.shown) {
			t.Errorf("%s: %q called %q", tt.name, ids, shown)
		}
	}
}

func TestListsLoseTheirBlanks(t *testing.T) {
	given := []string{"a", "", " b "}
	c := &engine.Command{Params: map[string]any{"l": given, "t": "a,, b"}}
	for _, name := range []string{"l", "t"} {
		if got := Params(c, "none", name); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if given[1] != "" || given[2] != " b " {
		t.Errorf("the command was changed: %q", given)
	}
}
