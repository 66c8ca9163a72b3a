package cli

import (
	"bytes"
	"testing"
)

func TestNothingThatOthersWrotePaintsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	c := &call{Parts: Parts{Out: &out}}
	printList(c, []string{"张三\x1b[2J\nroot", "\u009b31m李四"}, "", "NAME\tNOTE", func(s string) string { return s + "\t-" })
	if want := "NAME         NOTE\n张三 [2J root  -\n 31m李四       -\n"; out.String() != want {
		t.Errorf("printed\n%q, want\n%q", out.String(), want)
	}
}
