package reference_test

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// testdata/promised.toml holds the blocks of the contract with operators.
func TestEveryPromisedKeyIsInTheReference(t *testing.T) {
	ref := describe(t)
	found := 0
	var doc map[string]any
	meta, err := toml.Decode(read(t, "engine/config/reference/testdata/promised.toml"), &doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range meta.Keys() {
		if _, known := ref.Key(path...); known {
			found++
		} else if !chosen(path) {
			t.Errorf("the reference has no %s", path)
		}
	}
	if found < 100 {
		t.Errorf("only %d keys were looked up", found)
	}
}

// chosen tells keys whose names are the operator's own.
func chosen(path toml.Key) bool {
	s := path.String()
	for _, above := range []string{"account.limit.action.", "skill.http.headers.", "skill.http.replies."} {
		if strings.HasPrefix(s, above) {
			return true
		}
	}
	return false
}
