package cli_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine/stub"
)

// TestAnEventThatKillsTheProcess takes the process down with it as often as it
// may, and then it is put aside. Those who were in hand with it are answered
// once and pay nothing.
func TestAnEventThatKillsTheProcess(t *testing.T) {
	t.Parallel()
	const attempts = 3
	s := newScene(t, stub.Options{}, fmt.Sprintf(`
[queue]
attempts = %d
[[skill]]
name = "odd"
match = "any"
poison = "die"
`, attempts))
	program := poisonProgram(t)
	p, ready := launchProgram(t, program, s.config)
	await(t, p, ready)

	var acked []string
	for i := range 12 {
		user := fmt.Sprint("before", i)
		if status, _ := s.say(p, "to "+user, user, "t1"); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		acked = append(acked, user)
	}
	s.say(p, "p1", "killer", "die") // whether it was acknowledged depends on who is faster
	s.say(p, "p2", "killer", "t1")  // behind the poison, in its conversation
	acked = append(acked, s.sayUntilDead(p)...)

	lives := 1
	for ; lives < 3*attempts; lives++ {
		p, ready = launchProgram(t, program, s.config)
		t.Cleanup(p.kill)
		if survived(p, ready) {
			break
		}
	}
	// One death uncharged, then as many as there are attempts.
	if lives != attempts+1 {
		t.Errorf("the process lived %d times before the event was put aside, want %d", lives, attempts+1)
	}
	s.said(p, "p3", "killer", "t2") // its conversation goes on
	s.idle(p)
	want := make(map[string][]string)
	for _, user := range acked {
		want[user] = []string{"t1"}
	}
	s.heard(want)
	if got := s.told()["killer"]; len(got) == 0 || got[len(got)-1] != "t2" {
		t.Errorf("the poison's conversation was told %q, want it to go on", got)
	}
	code, out, _ := s.bot("dead", "list")
	if code != 0 || strings.Count(out, "killer") != 1 || !strings.Contains(out, "died while handling") || strings.Contains(out, "before") {
		t.Errorf("bot dead list, exit %d: %s", code, out)
	}
	if code := p.stop(t); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
}

// sayUntilDead posts from ever new users until nobody answers, and returns
// those who were acknowledged.
func (s *scene) sayUntilDead(p *process) (acked []string) {
	for i := 0; ; i++ {
		user := fmt.Sprint("beside", i)
		select {
		case <-p.dead:
			return acked
		default:
		}
		if status, _ := s.say(p, "to "+user, user, "t1"); status == http.StatusOK {
			acked = append(acked, user)
		}
	}
}

// survived tells whether a life has put its log in order: it is ready, and
// nothing is left waiting. It is over when the process dies instead.
func survived(p *process, ready <-chan bool) bool {
	select {
	case ok := <-ready:
		if !ok {
			return false
		}
	case <-time.After(patience):
		return false
	}
	look := &scene{client: &http.Client{Timeout: time.Second}}
	defer look.client.CloseIdleConnections()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		select {
		case <-p.dead:
			return false
		default:
		}
		if st, err := look.peek(p); err == nil && st.Events == 0 {
			return true
		}
	}
	return false
}

// TestANeighbourInHandIsNotCharged: events that run beside the poison when it
// strikes are in hand too, whichever order they came in.
func TestANeighbourInHandIsNotCharged(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, "")
	gate := s.dir + "/go"
	s.configure(fmt.Sprintf(`
[queue]
attempts = 1
[[skill]]
name = "slow"
keywords = ["t"]
match = "prefix"
poison = "-"
until = %q
[[skill]]
name = "odd"
match = "any"
poison = "die"
`, gate))
	program := poisonProgram(t)
	p, ready := launchProgram(t, program, s.config)
	await(t, p, ready)
	want := make(map[string][]string)
	for i := range 8 {
		user := fmt.Sprint("u", i)
		want[user] = []string{"t1"}
		s.said(p, user, user, "t1")
	}
	s.say(p, "p1", "killer", "die")
	<-p.dead
	write(t, s.dir, "go", "")
	for range 4 {
		p, ready = launchProgram(t, program, s.config)
		t.Cleanup(p.kill)
		if survived(p, ready) {
			break
		}
	}
	s.idle(p)
	s.heard(want)
	code, out, _ := s.bot("dead", "list")
	if rows := slices.Collect(strings.Lines(out)); code != 0 || len(rows) != 2 || !strings.Contains(rows[1], "killer") {
		t.Errorf("bot dead list, exit %d: %s; want the killer alone", code, out)
	}
}
