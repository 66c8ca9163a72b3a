package app_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"bot/engine/stub"
)

// What is in goes out while the disk is nearly full, so whoever wants it stopped
// must not be told to find room first.
func TestAnAccountIsPausedThoughTheDiskIsFull(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	r.configure(shop + echo)
	r.leaveNoRoom()
	r.begin()
	command := `{"task_id":"t","account_id":"shop","action":"send_text","timestamp":1790000000,"params":{"to":"u","content":"x"}}`
	if status := r.admin(http.MethodPost, "/api/v1/commands", command, nil); status != http.StatusServiceUnavailable {
		t.Fatalf("there is room: status %d", status)
	}
	for _, path := range []string{"/api/v1/pause", "/api/v1/resume"} {
		if status := r.admin(http.MethodPost, path, `{"account":"shop"}`, nil); status != http.StatusOK {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

// Whatever has less go on is written from what the store keeps for that.
func TestWhatHasLessGoOnIsWrittenThoughTheDiskIsFull(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	r.admin(http.MethodPost, "/api/v1/pause", `{"account":"shop"}`, nil)
	r.submit("t", "push", "u", "OFFER")
	r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"shop","text":"hi","rate":"1/h","start":true,"to":["u1","u2"]}`, nil)
	var id string
	r.until("it runs", func() bool {
		all := r.broadcasts()
		if len(all) == 1 {
			id = all[0].ID
		}
		return len(all) == 1 && all[0].State == "running"
	})
	r.end()
	r.leaveNoRoom()
	r.begin()
	for _, act := range []struct{ method, path, body string }{
		{http.MethodPut, "/api/v1/blocked/shop/u", ""},
		{http.MethodPut, "/api/v1/muted/shop/v", ""},
		{http.MethodDelete, "/api/v1/commands/t", ""},
		{http.MethodPost, "/api/v1/broadcasts/" + id + "/pause", ""},
		{http.MethodPost, "/api/v1/broadcasts/" + id + "/cancel", ""},
	} {
		if status := r.admin(act.method, act.path, act.body, nil); status != http.StatusOK {
			t.Errorf("%s %s: status %d", act.method, act.path, status)
		}
	}
}

// leaveNoRoom has the next start find the disk too full for anything that grows.
func (r *rig) leaveNoRoom() {
	r.t.Helper()
	text, err := os.ReadFile(r.file())
	if err != nil {
		r.t.Fatal(err)
	}
	noRoom := strings.Replace(string(text), `min_free = "0B"`, `min_free = "1000000GiB"`, 1)
	if err := os.WriteFile(r.file(), []byte(noRoom), 0o600); err != nil {
		r.t.Fatal(err)
	}
}
