package api

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// buryCommand makes a dead letter of a command.
func (r *rig) buryCommand(taskID string) uint64 {
	r.Helper()
	id := r.submit(taskID)
	r.settle(id, store.Dead, store.Progress{
		Attempts: 2, Reason: "not a friend",
		Tries: []store.Try{{Time: r.clock.Now(), Class: "permanent", Status: 200, Note: "not a friend"}},
	})
	return r.newest()
}

// buryEvent makes a dead letter of an event.
func (r *rig) buryEvent(msgID string) uint64 {
	r.Helper()
	e := &engine.Event{Account: "shop", Kind: engine.Message, Type: "text", ID: msgID, Conversation: "u1", Sender: "u1", Text: "领券", Raw: []byte("{}")}
	got, err := r.st.Append(r.Context(), []*engine.Event{e}, time.Hour)
	if err == nil {
		err = r.st.Fail(r.Context(), store.Failure{Seq: got.Seqs[0], Skill: "coupon", Bury: true, Tries: store.Tries{Count: 5, Error: "skill panicked"}})
	}
	if err != nil {
		r.Fatal(err)
	}
	return r.newest()
}

// newest is the id of the last letter.
func (r *rig) newest() uint64 {
	r.Helper()
	all, err := r.st.Letters(0, 1000)
	if err != nil || len(all) == 0 {
		r.Fatalf("no letter: %v", err)
	}
	return all[len(all)-1].ID
}

// dead lists one page after an id.
func (r *rig) dead(query string) []map[string]any {
	r.Helper()
	a := r.call("GET", "/api/v1/dead"+query, "")
	a.wants(r, http.StatusOK, "")
	list, ok := a.body["dead"].([]any)
	if !ok {
		r.Fatalf("no list: %s", a.text)
	}
	out := make([]map[string]any, len(list))
	for i, l := range list {
		out[i] = l.(map[string]any)
	}
	return out
}

func TestNoDeadLettersAreAnEmptyList(t *testing.T) {
	r := newRig(t)
	if got := r.dead(""); len(got) != 0 {
		t.Errorf("lists %v", got)
	}
}

func TestALetterTellsWhatWasGivenUpAndWhy(t *testing.T) {
	r := newRig(t)
	event, command := r.buryEvent("m1"), r.buryCommand("t1")
	list := r.dead("")
	if len(list) != 2 || list[0]["id"] != float64(event) || list[1]["id"] != float64(command) {
		t.Fatalf("lists %v", list)
	}
	for _, tt := range []struct {
		id   uint64
		want map[string]any
	}{
		{event, map[string]any{"what": "event", "account": "shop", "conversation": "u1", "kind": "message", "msg_id": "m1", "skill": "coupon", "text": "领券", "attempts": 5.0, "error": "skill panicked"}},
		{command, map[string]any{"what": "command", "account": "shop", "conversation": "u1", "task_id": "t1", "action": "send_text", "text": "hello", "attempts": 2.0, "error": "not a friend"}},
	} {
		a := r.call("GET", fmt.Sprintf("/api/v1/dead/%d", tt.id), "")
		a.wants(t, http.StatusOK, "")
		for k, v := range tt.want {
			if a.body[k] != v {
				t.Errorf("%s: %s is %v, want %v", tt.want["what"], k, a.body[k], v)
			}
		}
		if a.body["time"] == nil {
			t.Errorf("%s: no time", tt.want["what"])
		}
	}
	tries, _ := r.call("GET", fmt.Sprintf("/api/v1/dead/%d", command), "").body["tries"].([]any)
	if len(tries) != 1 || tries[0].(map[string]any)["class"] != "permanent" {
		t.Errorf("the attempts are %v", tries)
	}
}

func TestLettersAreListedByWhatIsAskedFor(t *testing.T) {
	r := newRig(t)
	for i := range 4 {
		r.buryCommand(fmt.Sprint("t", i))
	}
	for query, want := range map[string]int{"": 4, "?limit=3": 3, "?limit=1": 1, "?limit=1000": 4, "?account=shop": 4, "?account=shop&limit=3": 3, "?account=mute": 0} {
		if got := r.dead(query); len(got) != want {
			t.Errorf("%q lists %d, want %d", query, len(got), want)
		}
	}
	for query, code := range map[string]string{
		"?after=x": "after", "?limit=abc": "limit", "?limit=0": "limit", "?limit=-1": "limit", "?limit=1001": "limit",
	} {
		r.call("GET", "/api/v1/dead"+query, "").wants(t, http.StatusBadRequest, code)
	}
}

func TestLettersOfAnAccountAreFoundAmongOthers(t *testing.T) {
	r := newRig(t)
	var want []string
	for i := range 9 {
		account := []string{"shop", "mute", "shop"}[i%3]
		cmd := engine.Command{TaskID: fmt.Sprint("t", i), Account: account, Conversation: "u1", Action: engine.SendText, Text: "x", Created: r.clock.Now(), Submitted: true}
		if _, err := r.st.Submit(r.Context(), []engine.Command{cmd}, time.Minute); err != nil {
			t.Fatal(err)
		}
		d, _, err := r.st.Find(cmd.TaskID)
		if err != nil {
			t.Fatal(err)
		}
		r.settle(d.ID, store.Dead, store.Progress{})
		if account == "mute" {
			want = append(want, cmd.TaskID)
		}
	}
	var got []string
	for after := 0.0; ; {
		page := r.dead(fmt.Sprintf("?account=mute&limit=2&after=%.0f", after))
		for _, l := range page {
			got, after = append(got, l["task_id"].(string)), l["id"].(float64)
		}
		if len(page) < 2 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("lists %q, want %q", got, want)
	}
}

func TestLettersComePageAfterPage(t *testing.T) {
	r := newRig(t)
	const n = pageSize + 5
	var together sync.WaitGroup // one transaction for many
	for i := range n {
		cmd := engine.Command{TaskID: fmt.Sprint("t", i), Account: "shop", Conversation: "u1", Action: engine.SendText, Text: "x", Created: r.clock.Now(), Submitted: true}
		together.Go(func() {
			_, err := r.st.Submit(r.Context(), []engine.Command{cmd}, time.Minute)
			var d store.Delivery
			if err == nil {
				d, _, err = r.st.Find(cmd.TaskID)
			}
			if err == nil {
				err = r.st.Settle(r.Context(), store.Settlement{ID: d.ID, Final: store.Dead})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	first := r.dead("")
	if len(first) != pageSize {
		t.Fatalf("the first page has %d letters, want %d", len(first), pageSize)
	}
	last := uint64(first[pageSize-1]["id"].(float64))
	second := r.dead(fmt.Sprint("?after=", last))
	if len(second) != n-pageSize {
		t.Fatalf("the second page has %d letters, want %d", len(second), n-pageSize)
	}
	seen := make(map[any]bool)
	for _, l := range append(first, second...) {
		seen[l["task_id"]] = true
	}
	if len(seen) != n {
		t.Errorf("the pages show %d different letters, want %d", len(seen), n)
	}
	if rest := r.dead(fmt.Sprint("?after=", uint64(second[len(second)-1]["id"].(float64)))); len(rest) != 0 {
		t.Errorf("a page after the last one has %d letters", len(rest))
	}
	r.call("GET", "/api/v1/dead?after=x", "").wants(t, http.StatusBadRequest, "after")
}

func TestReplayPutsALetterBackAndTellsTheEngine(t *testing.T) {
	r := newRig(t)
	event, command := r.buryEvent("m1"), r.buryCommand("t1")
	for _, id := range []uint64{event, command} {
		a := r.call("POST", fmt.Sprintf("/api/v1/dead/%d/replay", id), "")
		a.wants(t, http.StatusOK, "")
		if a.body["status"] != "replayed" {
			t.Errorf("answers %s", a.text)
		}
	}
	if len(r.replayed) != 2 || r.replayed[0].Event == nil || r.replayed[1].Command == nil {
		t.Errorf("the engine was told of %+v", r.replayed)
	}
	if stats, err := r.st.Stats(); err != nil || stats.Letters != 0 || stats.Events != 1 || stats.Commands != 1 {
		t.Errorf("the store has %+v, %v", stats, err)
	}
	r.call("POST", fmt.Sprintf("/api/v1/dead/%d/replay", event), "").wants(t, http.StatusNotFound, "not_found")
	if len(r.replayed) != 2 {
		t.Error("the engine was told of a letter that was not there any more")
	}
}

func TestDropForgetsALetter(t *testing.T) {
	r := newRig(t)
	path := fmt.Sprintf("/api/v1/dead/%d", r.buryEvent("m1"))
	if a := r.call("DELETE", path, ""); a.code != http.StatusOK || a.body["status"] != "dropped" {
		t.Errorf("answers %d %s", a.code, a.text)
	}
	if stats, err := r.st.Stats(); err != nil || stats.Letters != 0 || stats.Events != 0 {
		t.Errorf("the store has %+v, %v", stats, err)
	}
	r.call("DELETE", path, "").wants(t, http.StatusNotFound, "not_found")
	if len(r.replayed) > 0 {
		t.Error("the engine was told of a replay")
	}
}

func TestLetterIDs(t *testing.T) {
	for _, tt := range []struct {
		name, id, code string
		status         int
	}{
		{"nobody has it", "12345", "not_found", 404},
		{"a word", "first", "id", 400},
		{"below zero", "-1", "id", 400},
		{"larger than any", "18446744073709551616", "id", 400},
		{"the largest of all", "18446744073709551615", "not_found", 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.call("GET", "/api/v1/dead/"+tt.id, "").wants(t, tt.status, tt.code)
			r.call("DELETE", "/api/v1/dead/"+tt.id, "").wants(t, tt.status, tt.code)
			r.call("POST", "/api/v1/dead/"+tt.id+"/replay", "").wants(t, tt.status, tt.code)
		})
	}
}
