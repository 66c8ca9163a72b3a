package engine

import (
	"encoding/json"
	"testing"
)

func TestBlankParamsAreAsGoodAsNotThere(t *testing.T) {
	for param, want := range map[string]bool{
		`null`: true, `""`: true, `" \t\n"`: true, `"\u3000"`: true, `[]`: true,
		`"x"`: false, `" x "`: false, `0`: false, `false`: false, `[""]`: false, `[null]`: false, `{}`: false,
	} {
		var v any
		if err := json.Unmarshal([]byte(param), &v); err != nil {
			t.Fatal(err)
		}
		if got := Blank(v); got != want {
			t.Errorf("%s: %v, want %v", param, got, want)
		}
	}
}
