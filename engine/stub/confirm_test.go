package stub

import (
	"reflect"
	"testing"
	"time"
)

func TestParseConfirm(t *testing.T) {
	const failed = "the platform could not do it"
	for text, want := range map[string]*Confirm{
		"never": nil, "ok": {}, "200ms": {After: 200 * time.Millisecond}, "ok:2s": {After: 2 * time.Second},
		"failed": {Failed: failed}, "failed:1m": {After: time.Minute, Failed: failed},
	} {
		if got, err := ParseConfirm(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "maybe", "ok:soon", "-1s", "ok:-1s", "never:1s"} {
		if got, err := ParseConfirm(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, got)
		}
	}
}
