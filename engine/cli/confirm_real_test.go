package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine/stub"
)

// confirming follows realHead: an account whose sends are confirmed, and held for a
// person where they are not.
const confirming = `
confirm = true
confirm_within = "LIMIT"
on_doubt = "hold"
`

// post makes any callback.
func (s *scene) post(p *process, body string) int {
	s.t.Helper()
	resp, err := s.client.Post("http://"+p.callback+"/in", "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// submit hands in a text under a task id.
func (s *scene) submit(p *process, task, to string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"task_id":%q,"account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":%q,"content":%q}}`, task, to, task)
	resp, err := s.client.Post("http://"+p.admin+"/api/v1/commands", "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		s.t.Fatalf("submit %s: %s", task, resp.Status)
	}
}

// command is the state of a command that was handed in.
func (s *scene) command(p *process, task string) string {
	s.t.Helper()
	resp, err := s.client.Get("http://" + p.admin + "/api/v1/commands/" + task)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var v struct{ State string }
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		s.t.Fatal(err)
	}
	return v.State
}

func result(task, status string) string {
	return fmt.Sprintf(`{"type":"COMMAND_RESULT","eventId":"r-%s-%s","taskId":%q,"status":%q}`, task, status, task, status)
}

func TestACommandIsConfirmedAfterItsProcessWasKilled(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, strings.Replace(confirming, "LIMIT", "1h", 1)+realEcho)
	p := start(t, s.config)
	s.submit(p, "t1", "u")
	s.submit(p, "t2", "u") // not held up by the first
	s.until("both are sent", func() bool { return s.command(p, "t1") == "sent" && s.command(p, "t2") == "sent" })
	p.kill()
	p = start(t, s.config)
	if st := s.state(p); st.Commands != 2 {
		t.Errorf("after the restart %+v", st)
	}
	for range 2 { // told twice
		if status := s.post(p, result("t1", "ok")); status != http.StatusOK {
			t.Errorf("the result was answered %d", status)
		}
	}
	s.until("it is confirmed", func() bool { return s.command(p, "t1") == "confirmed" })
	if got := s.command(p, "t2"); got != "sent" {
		t.Errorf("the other is %s", got)
	}
	s.post(p, result("t2", "ok"))
	s.idle(p)
	s.heard(map[string][]string{"u": {"t1", "t2"}})
	if n := s.platform.Counts(); n.Calls != 2 {
		t.Errorf("%d calls, want each sent once", n.Calls)
	}
}

// TestAResultThatIsInTheLogWhenTheProcessIsKilled is told after the restart, and
// so is one of a command whose answer was never read.
func TestAResultThatComesWithTheKill(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	s := newScene(t, stub.Options{Script: func(c stub.Call) *stub.Answer {
		<-hold // carried out, and not answered in this life
		return nil
	}}, strings.Replace(confirming, "LIMIT", "1h", 1)+realEcho)
	p := start(t, s.config)
	s.submit(p, "t1", "u")
	s.until("it is being sent", func() bool { return s.command(p, "t1") == "sending" })
	if status := s.post(p, result("t1", "ok")); status != http.StatusOK { // ahead of the answer
		t.Errorf("the result was answered %d", status)
	}
	p.kill()
	close(hold)
	p = start(t, s.config)
	s.until("it is confirmed", func() bool { return s.command(p, "t1") == "confirmed" })
	s.idle(p)
	if n := s.platform.Counts(); n.Calls > 1 {
		t.Errorf("%d calls", n.Calls)
	}
}

func TestDoubtsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, strings.Replace(confirming, "LIMIT", "300ms", 1)+realEcho)
	p := start(t, s.config)
	expect := func(args string, code int, out, complaint string) {
		t.Helper()
		got, o, e := s.bot(strings.Fields(args)...)
		said{got, o, e}.wants(t, code, out, complaint)
	}
	expect("in-doubt", 0, "nothing is in doubt\n", "")
	expect("in-doubt list -json", 0, "[]\n", "")
	tasks := []string{"t1", "bulk/2", "t3", "t4"}
	for _, task := range tasks {
		s.submit(p, task, "u-"+task)
	}
	s.until("all are in doubt", func() bool {
		for _, task := range tasks {
			if s.command(p, task) != "in_doubt" {
				return false
			}
		}
		return true
	})
	expect("in-doubt list -account shop", 0, "not confirmed within 300ms", "")
	expect("in-doubt list -account other", 1, "", `there is no account "other"`)
	expect("in-doubt delivered t1", 0, "delivered: 1", "")
	expect("in-doubt delivered t1", 1, "", "command t1: it is not in doubt (any more)")
	expect("in-doubt resend bulk/2", 0, "sent again: 1", "")
	expect("in-doubt resend nobody", 1, "", "command nobody: it is not there (any more)")
	if got := s.command(p, "t1"); got != "confirmed" {
		t.Errorf("delivered is %s", got)
	}
	s.until("it is sent again", func() bool {
		return len(s.platform.Calls(func(c stub.Call) bool { return c.Key == "bulk/2" })) == 2
	})
	s.post(p, result("bulk/2", "ok"))
	s.post(p, result("t3", "ok")) // late
	s.until("both are confirmed", func() bool { return s.command(p, "bulk/2") == "confirmed" && s.command(p, "t3") == "confirmed" })
	expect("in-doubt resend -all", 2, "", "-all needs -account")
	expect("in-doubt resend -all -account shop", 0, "sent again: 1", "")
	s.until("the last is in doubt once more", func() bool { return s.command(p, "t4") == "in_doubt" })
	for _, args := range []string{"in-doubt forget t1", "in-doubt delivered", "in-doubt resend", "in-doubt list t1", "in-doubt delivered t1 -all"} {
		expect(args, 2, "", "usage: bot in-doubt")
	}
}

func TestThePlatformOfTheStubConfirms(t *testing.T) {
	t.Parallel()
	var target = new(stub.Confirm)
	s := newScene(t, stub.Options{Confirm: target}, strings.Replace(confirming, "LIMIT", "1h", 1)+realEcho)
	p := start(t, s.config)
	target.Target, target.After = "http://"+p.callback+"/in", 20*time.Millisecond
	for i := range 20 {
		s.said(p, fmt.Sprint("m", i), fmt.Sprint("u", i%3), fmt.Sprint("text ", i))
	}
	s.idle(p)
	if n := s.platform.Counts(); n.Calls != 20 {
		t.Errorf("%d calls", n.Calls)
	}
}
