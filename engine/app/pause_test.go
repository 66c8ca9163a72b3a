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
	text, err := os.ReadFile(r.file())
	if err != nil {
		t.Fatal(err)
	}
	noRoom := strings.Replace(string(text), `min_free = "0B"`, `min_free = "1000000GiB"`, 1)
	if err := os.WriteFile(r.file(), []byte(noRoom), 0o600); err != nil {
		t.Fatal(err)
	}
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
