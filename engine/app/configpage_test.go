package app_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"bot/engine/stub"
)

// configPage is what a page of the console shows.
func (r *rig) configPage(path string) string {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+r.life.at.Admin+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Accept-Language", "en")
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		r.t.Fatalf("GET %s: %s, %v: %s", path, resp.Status, err, b)
	}
	return string(b)
}

// showsConfig expects the configuration's page to show some things and others not.
func (r *rig) showsConfig(path string, want []string, not ...string) {
	r.t.Helper()
	page := r.configPage(path)
	for _, w := range want {
		if !strings.Contains(page, w) {
			r.t.Errorf("%s lacks %q: %s", path, w, page)
		}
	}
	for _, n := range not {
		if strings.Contains(page, n) {
			r.t.Errorf("%s shows %q: %s", path, n, page)
		}
	}
}

func TestThePageOfTheConfigurationTellsWhatRunsFromWhatIsOnDisk(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	r.showsConfig("/config?check=yes", []string{"The files on disk are those that run.", "not changed", "can be reloaded", "Configuration 1 since the start"})

	r.configure(shop + strings.Replace(echo, "match", "mutch", 1))
	r.showsConfig("/config?check=yes", []string{"nothing was changed", "bot.toml:", "mutch", "&#43;mutch", "-match", "Configuration 1 since the start"})

	r.configure(shop + "token = \"hush\"\n[[[\n" + echo) // which nobody can understand
	r.showsConfig("/config?check=yes", []string{"&#43;[[[", "nothing was changed"}, "hush")

	if err := os.Remove(r.file()); err != nil {
		t.Fatal(err)
	}
	r.showsConfig("/config", []string{"no such file", "gone, or cannot be read"})

	r.reloaded(shop + second + echo)
	r.showsConfig("/config", []string{"The files on disk are those that run.", "Configuration 2 since the start"})
	r.say("m1", "u1", "hi")
	if got := r.texts("u1", 1); fmt.Sprint(got) != "[hi]" {
		t.Errorf("after all that: %q", got)
	}
}

func TestAGoodCheckChangesNothing(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	r.configure(shop + strings.Replace(echo, "{{.Text}}", "new", 1))
	for range 3 {
		r.showsConfig("/config?check=yes", []string{"can be reloaded", "Files that differ from what runs: 1"})
	}
	r.say("m1", "u1", "old")
	if got := r.texts("u1", 1); fmt.Sprint(got) != "[old]" || r.status().Generation != 1 {
		t.Errorf("said %q", got)
	}
}
