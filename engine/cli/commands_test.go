package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"bot/engine/stub"
)

// later answers in an hour, unless something is said meanwhile.
const later = `
[[skill]]
name = "later"
match = "any"
delay = "1h"
unless_keywords = ["stop"]
reply = "{{.Text}}"
`

func TestWhatWaitsIsListedShownAndCancelled(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, later)
	p := start(t, s.config)
	list := func(args ...string) map[string]string {
		t.Helper()
		code, out, complaints := s.bot(append([]string{"commands", "list", "-json"}, args...)...)
		var all []struct {
			TaskID       string `json:"task_id"`
			Conversation string `json:"conversation"`
		}
		if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 {
			t.Fatalf("commands list -json: exit %d, %q, %q: %v", code, out, complaints, err)
		}
		ids := make(map[string]string)
		for _, c := range all {
			ids[c.Conversation] = c.TaskID
		}
		return ids
	}
	expect := func(args string, code int, out, complaint string) {
		t.Helper()
		got, o, e := s.bot(strings.Fields(args)...)
		said{got, o, e}.wants(t, code, out, complaint)
	}
	expect("commands list", 0, "nothing waits\n", "")
	for _, user := range []string{"u1", "u2", "u3"} {
		s.said(p, "m-"+user, user, "text of "+user)
	}
	s.until("three commands wait", func() bool { return len(list()) == 3 })
	ids := list("-skill", "later", "-state", "waiting")
	if len(list("-conversation", "u2")) != 1 || len(list("-conversation", "nobody")) != 0 || len(ids) != 3 {
		t.Errorf("lists %v", ids)
	}
	expect("commands list -account nobody", 1, "", `there is no account "nobody"`)
	expect("in-doubt -account nobody", 1, "", `there is no account "nobody"`)
	expect("commands list -limit 2", 0, "send_text", "the first 2 are shown")
	expect("commands show "+ids["u1"], 0, "\nstate    waiting\n", "")
	expect("commands show -json "+ids["u1"], 0, `"state": "waiting"`, "")
	expect("commands cancel "+ids["u1"]+" "+ids["u2"], 0, "cancelled", "")
	if left := list(); len(left) != 1 || left["u3"] == "" {
		t.Errorf("left are %v", left)
	}
	expect("commands cancel nobody", 1, "", "nobody")
	expect("commands list -state sent", 1, "", "state is one of")
	expect("commands", 2, "", "usage: bot commands")
}
