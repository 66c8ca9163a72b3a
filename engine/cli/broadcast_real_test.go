package cli_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine/api"
	"bot/engine/stub"
)

var (
	castRecipients = flag.Int("broadcast.recipients", 2000, "recipients of the broadcast during which the program is killed")
	castKills      = flag.Int("broadcast.kills", 10, "how often it is killed meanwhile")
)

// recipients writes a file of them and returns its path.
func (s *scene) recipients(n int) string {
	var ids strings.Builder
	for i := range n {
		fmt.Fprintf(&ids, "wxid_%07d\n", i)
	}
	return write(s.t, s.dir, "ids.txt", ids.String())
}

func (s *scene) broadcast(id string) (b api.Broadcast) {
	s.t.Helper()
	code, out, complaints := s.bot("broadcast", "show", id, "-json")
	if code != 0 || json.Unmarshal([]byte(out), &b) != nil {
		s.t.Fatalf("show: exit %d, %s %s", code, out, complaints)
	}
	return b
}

// TestABroadcastOutlivesItsProcess kills the real program in the middle of a
// broadcast, time and again, and counts in the platform's own ledger: everybody
// was reached once. Requests of which nobody knows the end are repeated under
// their key, by which the platform knows them again.
func TestABroadcastOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	n, kills := *castRecipients, *castKills
	s := newScene(t, stub.Options{}, "on_doubt = \"resend\"\nlimit = {parallel = 32}\n"+realEcho)
	p := start(t, s.config)
	began := time.Now()
	code, out, complaints := s.bot("broadcast", "create", "-account", "shop", "-text", "致 {{.User}}", "-to", s.recipients(n),
		"-rate", fmt.Sprintf("%d/s", max(400, n/30)), "-start", "-json")
	var made api.Broadcast
	if code != 0 || json.Unmarshal([]byte(out), &made) != nil || made.State != "running" || made.Recipients != n {
		t.Fatalf("exit %d, %s %s", code, out, complaints)
	}
	wait := time.Duration(n/100)*time.Second + patience
	for i := range kills {
		due := n * (i + 1) / (kills + 1)
		for end := time.Now().Add(wait); s.platform.Counts().Done < due; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("only %d of %d are reached", s.platform.Counts().Done, due)
			}
		}
		p.kill()
		p = start(t, s.config)
	}
	var b api.Broadcast
	for end := time.Now().Add(wait); b.State != "done"; time.Sleep(50 * time.Millisecond) {
		if b = s.broadcast(made.ID); time.Now().After(end) {
			t.Fatalf("stands at %+v", b)
		}
	}
	took := time.Since(began)
	told := s.told()
	for i := range n {
		user := fmt.Sprintf("wxid_%07d", i)
		if got := told[user]; !slices.Equal(got, []string{"致 " + user}) {
			t.Fatalf("%s was told %q", user, got)
		}
	}
	if b.Sent != n || b.Dead+b.InDoubt+b.Skipped+b.Left+b.ByHand != 0 || len(told) != n {
		t.Errorf("%d were told something; stands at %+v", len(told), b)
	}
	c := s.platform.Counts()
	t.Logf("%d recipients, %d kills: %d reached once, %d requests repeated under their key, in %v", n, kills, c.Done, c.Repeats, took.Round(time.Millisecond))
	if code := p.stop(t); code != 0 {
		t.Errorf("exit %d", code)
	}
	checkFile(t, filepath.Join(s.dir, "bot.db"))
}

func TestBroadcastsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	start(t, s.config)
	file := s.recipients(120)
	bad := write(t, s.dir, "bad.txt", "a\n"+strings.Repeat("x", 600)+"\n")
	create := []string{"broadcast", "create", "-account", "shop", "-text", "hi"}
	id := ""
	for _, step := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"broadcast"}, 0, "there are no broadcasts", ""},
		{append(create, "-to", file, "-rate", "1/m", "-name", "sale"), 0, "120 recipients, 2 h at 1/m\nnot started: `bot broadcast start ID`", ""},
		{[]string{"broadcast", "list"}, 0, "sale  shop     ready  120         120", ""},
		{[]string{"broadcast", "show", "ID"}, 0, "the rest   2 h at 1/m\n", ""},
		{[]string{"broadcast", "start", "ID"}, 0, "started: 1\n", ""},
		{[]string{"broadcast", "start", "ID"}, 1, "", "broadcast ID: it is running and cannot be started"},
		{[]string{"broadcast", "pause", "ID"}, 0, "paused: 1\n", ""},
		{[]string{"broadcast", "resume", "ID"}, 0, "resumed: 1\n", ""},
		{[]string{"broadcast", "delete", "ID"}, 1, "", "it is running and cannot be deleted"},
		{[]string{"broadcast", "cancel", "ID"}, 0, "cancelled: 1\n", ""},
		{[]string{"broadcast", "results", "ID"}, 0, "ID cancelled: 120 recipients", ""},
		{[]string{"broadcast", "delete", "ID"}, 0, "deleted: 1\n", ""},
		{[]string{"broadcast", "show", "ID"}, 1, "", "there is no broadcast of that id"},
		{append(create, "-to", bad), 1, "", "to: line 2: an id has at most 512 bytes"},
		{append(create, "-to", file, "-rate", "0/s"), 1, "", "rate: \"0/s\" is not a rate above zero"},
		{append(create, "-to", file+".not"), 1, "", "no such file"},
		{append(create, "-audience", "vip"), 1, "", `audience: there is no audience "vip"`},
		{create, 2, "", "say whom it reaches"},
		{[]string{"broadcast", "create", "-to", file}, 2, "", "say which account sends"},
		{append(create, "-to", file, "-params", "{"), 2, "", "-params is no JSON object"},
		{[]string{"broadcast", "stop", "ID"}, 2, "", "usage: bot broadcast"},
	} {
		for i := range step.args {
			step.args[i] = strings.ReplaceAll(step.args[i], "ID", id)
		}
		code, out, complaints := s.bot(step.args...)
		if made, found := strings.CutPrefix(out, "broadcast "); found && step.args[1] == "create" {
			id, _, _ = strings.Cut(made, ":")
		}
		wantOut, wantErr := strings.ReplaceAll(step.out, "ID", id), strings.ReplaceAll(step.err, "ID", id)
		if code != step.code || !strings.Contains(out, wantOut) || !strings.Contains(complaints, wantErr) {
			t.Errorf("bot %s: exit %d, %q, %q; want %d, %q, %q", strings.Join(step.args, " "), code, out, complaints, step.code, wantOut, wantErr)
		}
	}
}
