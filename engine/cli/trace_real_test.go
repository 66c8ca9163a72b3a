package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine/stub"
)

const traceSkills = `
blocked = ["villain"]
[trace]
keep = "24h"
[[skill]]
name = "echo"
keywords = ["hi"]
reply = "you said {{.Text}}"
`

// traced is what bot trace -json prints.
type traced struct {
	ID    string
	Steps []struct {
		Time                                time.Time
		Step, Account, Skill, Task_id, Note string
	}
}

func (tr traced) names() (names []string) {
	for _, s := range tr.Steps {
		names = append(names, s.Step)
	}
	return names
}

// trace asks until the steps are there.
func (s *scene) trace(id string, want ...string) (tr traced) {
	s.t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		code, out, complaints := s.bot("trace", "-json", id)
		tr = traced{}
		if code == 0 {
			if err := json.Unmarshal([]byte(out), &tr); err != nil {
				s.t.Fatalf("%v: %s", err, out)
			}
			if slices.Equal(tr.names(), want) {
				return tr
			}
		}
		if time.Now().After(until) {
			s.t.Fatalf("trace of %s: exit %d, %q, %s, want %q", id, code, tr.names(), complaints, want)
		}
	}
}

func TestOneIdTellsTheLifeOfAMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, traceSkills)
	p := start(t, s.config)
	post := func(id, sender, text string) {
		t.Helper()
		body := fmt.Sprintf(`{"msg_id":%q,"sender":%q,"content":%q}`, id, sender, text)
		resp, err := s.client.Post("http://"+p.callback+"/in", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d", resp.StatusCode)
		}
	}
	post("m1", "u1", "hi")
	life := []string{"received", "queued", "handled", "command", "attempt", "sent"}
	tr := s.trace("m1", life...)
	task := tr.Steps[3].Task_id
	if tr.Steps[2].Skill != "echo" || !strings.Contains(tr.Steps[2].Note, `keyword "hi"`) || task == "" || !strings.Contains(tr.Steps[3].Note, "you said hi") {
		t.Errorf("%+v", tr.Steps)
	}
	s.trace(task, life...)

	post("m2", "u1", "good day")
	if tr := s.trace("m2", "received", "queued", "no_reply"); !strings.Contains(tr.Steps[2].Note, `skill "echo" (bot.toml:`) {
		t.Errorf("why nothing was said: %q", tr.Steps[2].Note)
	}
	post("m3", "villain", "hi")
	if tr := s.trace("m3", "received", "refused"); !strings.Contains(tr.Steps[1].Note, "blocked: the account lists them as blocked (bot.toml:") {
		t.Errorf("why it was refused: %q", tr.Steps[1].Note)
	}
	post("m1", "u1", "hi")
	twice := append(slices.Clone(life), "received", "duplicate")
	s.trace("m1", twice...)

	// What has been answered has been written, whatever becomes of the process.
	for _, ext := range []string{"/api/v1/trace/m1", "/api/v1/trace/nobody's"} {
		resp, err := http.Get("http://" + p.admin + ext)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want := map[bool]int{true: 404, false: 200}[strings.Contains(ext, "nobody")]; resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", ext, resp.StatusCode, want)
		}
	}
	p.kill()
	start(t, s.config)
	s.trace("m1", twice...)
	if code, out, _ := s.bot("trace", "m1"); code != 0 || !strings.Contains(out, "you said hi") || strings.Count(out, "\n") != 9 {
		t.Errorf("for people: exit %d\n%s", code, out)
	}
	if info, err := os.Stat(s.store() + ".trace"); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", info, err)
	}
}
