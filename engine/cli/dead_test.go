package cli_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// letters are the ids of the dead letters by conversation, as programs read them.
func (s *scene) letters() map[string]string {
	s.t.Helper()
	code, out, complaints := s.bot("dead", "list", "-json")
	var all []struct {
		ID           uint64
		Conversation string
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 {
		s.t.Fatalf("dead list -json: exit %d, %q, %q: %v", code, out, complaints, err)
	}
	ids := make(map[string]string)
	for _, l := range all {
		ids[l.Conversation] = strconv.FormatUint(l.ID, 10)
	}
	return ids
}

func TestDeadLettersAreShownReplayedAndDropped(t *testing.T) {
	t.Parallel()
	var refusing atomic.Bool // the platform, every send, for good
	refusing.Store(true)
	s := newScene(t, stubPermanent(refusing.Load), realEcho)
	p := start(t, s.config)
	expect := func(args string, code int, out, complaint string) {
		t.Helper()
		got, o, e := s.bot(strings.Fields(args)...)
		said{got, o, e}.wants(t, code, out, complaint)
	}
	expect("dead list", 0, "no dead letters\n", "")
	if ids := s.letters(); len(ids) != 0 {
		t.Errorf("lists %v", ids)
	}
	for _, user := range []string{"u1", "u2", "u3"} {
		s.said(p, "m-"+user, user, "text of "+user)
	}
	s.until("three letters are dead", func() bool { return s.state(p).Dead == 3 })
	ids := s.letters()

	expect("dead list", 0, "send_text", "")
	_, table, _ := s.bot("dead", "list")
	if lines := strings.Split(strings.TrimSpace(table), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[0], "ID ") {
		t.Errorf("the table is\n%s", table)
	}
	for user, id := range ids {
		if !strings.Contains(table, id+" ") || !strings.Contains(table, " "+user+" ") || !strings.Contains(table, "not a friend") {
			t.Errorf("the table does not show %s of %s:\n%s", id, user, table)
		}
	}
	expect("dead show -json "+ids["u1"], 0, `"text": "text of u1"`, "")
	expect("dead show -json "+ids["u1"], 0, `"class": "permanent"`, "")
	expect("dead show "+ids["u1"], 0, "text of u1", "")
	expect("dead show 99999", 1, "", "dead letter 99999: it is not there")

	expect("dead drop "+ids["u1"], 0, "dropped: 1", "")
	expect("dead drop "+ids["u1"], 1, "", "dead letter "+ids["u1"]+": it is not there")

	// One that is not there keeps no other from being replayed.
	refusing.Store(false)
	expect("dead replay 99999 "+ids["u2"], 1, "", "dead letter 99999")
	s.until("the second is sent", func() bool { return len(s.told()["u2"]) == 1 })
	expect("dead replay -all", 0, "replayed: 1", "")
	s.until("the third is sent", func() bool { return len(s.told()["u3"]) == 1 })
	s.heard(map[string][]string{"u1": nil, "u2": {"text of u2"}, "u3": {"text of u3"}})
	expect("dead list", 0, "no dead letters\n", "")
	expect("dead list -json", 0, "[]\n", "")
	expect("dead replay -all", 0, "replayed: 0", "")
	expect("dead replay -json -all", 0, `"replayed": 0`, "")
}
