package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine/stub"
)

// does runs a verb that must succeed, and returns what it prints.
func (s *scene) does(args ...string) string {
	s.t.Helper()
	code, out, complaints := s.bot(args...)
	if code != 0 {
		s.t.Fatalf("bot %q: exit %d: %s%s", args, code, out, complaints)
	}
	return out
}

// fails runs a verb that must not, and must say why.
func (s *scene) fails(want int, why string, args ...string) {
	s.t.Helper()
	code, out, complaints := s.bot(args...)
	if code != want || !strings.Contains(complaints, why) {
		s.t.Errorf("bot %q: exit %d: %s%s; want %d and %q", args, code, out, complaints, want, why)
	}
}

// counts is how many messages of each user were acknowledged.
func (c *crowd) counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.acked)
}

// TestABackupUnderAFloodRestoresHeld: everything acknowledged before a backup
// began is in it; a store that is restored sends nothing before it is told to, not
// even after a restart, and then sends it all.
func TestABackupUnderAFloodRestoresHeld(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	s.platformDown() // so that everything stays where a ledger can count it
	p := start(t, s.config)
	backup := filepath.Join(s.dir, "backups", "bot-1.db")
	if err := os.Mkdir(filepath.Dir(backup), 0o700); err != nil {
		t.Fatal(err)
	}
	crowd := s.crowd(p, 8)
	s.until("some were taken", func() bool { return crowd.total() > 100 })
	before := crowd.counts()
	out := s.does("backup", backup)
	if !strings.Contains(out, "checked") {
		t.Errorf("it says %q", out)
	}
	crowd.leave()
	s.fails(1, "is there already; -force replaces it", "backup", backup)
	s.does("backup", "-force", "-json", backup+"2")
	s.fails(1, "there is a store at", "restore", backup)
	s.fails(3, "is in use by process", "restore", "-force", backup)
	s.fails(3, "is in use by process", "compact")
	s.fails(3, "is no backup but a store in use", "restore", "-check", s.store())
	p.kill()

	s.fails(1, "there is a store at", "restore", backup)
	out = s.does("restore", "-force", backup)
	for _, want := range []string{"starts held", "bot resume -all", ".before-restore-"} {
		if !strings.Contains(out, want) {
			t.Errorf("it says %q, without %q", out, want)
		}
	}
	s.platformUp()
	for range 2 { // what holds outlives a restart
		p = start(t, s.config)
		s.until("all is handled", func() bool { return s.state(p).Events == 0 })
		time.Sleep(300 * time.Millisecond)
		if told := s.told(); len(told) != 0 {
			t.Fatalf("something was sent: %v", told)
		}
		if out := s.does("status"); !strings.Contains(out, "restored: from a backup of") || !strings.Contains(out, "bot resume -all") {
			t.Errorf("status says %q", out)
		}
		if p.wait(t, "restored from a backup: nothing is sent until `bot resume -all`; what was sent since the backup would be sent again", 0) == nil {
			t.Error("the log does not tell")
		}
		if code := p.stop(t); code != 0 {
			t.Errorf("stop: exit %d", code)
		}
	}
	p = start(t, s.config)
	s.does("resume", "-all")
	s.until("all has left", func() bool { return s.state(p).Commands == 0 })
	told := s.told()
	for user, n := range before {
		if len(told[user]) < n {
			t.Errorf("%s was acknowledged %d messages before the backup, and %d are answered", user, n, len(told[user]))
		}
	}
	if out := s.does("status"); strings.Contains(out, "restored") {
		t.Errorf("status still says %q", out)
	}
	if code := p.stop(t); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
	s.offline(backup)
}

// offline: the same verbs where no engine runs.
func (s *scene) offline(good string) {
	s.t.Helper()
	var sizes struct{ Before, After int64 }
	if err := json.Unmarshal([]byte(s.does("compact", "-json")), &sizes); err != nil || sizes.After > sizes.Before || sizes.After == 0 {
		s.t.Errorf("compact: %+v, %v", sizes, err)
	}
	copied := filepath.Join(s.dir, "stopped.db")
	s.does("backup", copied)
	if out := s.does("restore", "-check", copied); !strings.Contains(out, "is good") {
		s.t.Errorf("it says %q", out)
	}
	if left, _ := filepath.Glob(s.store() + "*"); len(left) == 0 || strings.Contains(strings.Join(left, " "), ".run") {
		s.t.Errorf("left: %v", left)
	}
	s.fails(2, "is the store itself", "backup", "-force", s.store())
	s.fails(1, "it is a folder", "backup", "-force", s.dir)
	s.fails(1, "no such file", "backup", filepath.Join(s.dir, "nowhere", "x.db"))
	s.fails(1, "no such file", "restore", "-force", good+".nowhere")
	s.fails(1, "not a bbolt file", "restore", "-force", s.config)
	if err := os.Remove(s.store()); err != nil {
		s.t.Fatal(err)
	}
	s.fails(1, "there is no store at", "backup", copied+"2")
	s.fails(1, "there is no store at", "compact")
	s.does("restore", good)
}

// TestAnAccountOfARestoredStoreMayBeLetGoAlone: the others stay held, and what was
// let go stays so.
func TestAnAccountOfARestoredStoreMayBeLetGoAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, `
[[account]]
name = "other"
channel = "generic"
path = "/other"
base_url = "http://PLATFORM"
`+realEcho)
	p := start(t, s.config)
	backup := filepath.Join(s.dir, "copy.db")
	s.does("backup", backup)
	p.stop(t)
	s.does("restore", "-force", backup)
	p = start(t, s.config)
	if out := s.does("resume", "-account", "shop", "-json"); out != `{"accounts":["shop"],"paused":false}`+"\n" {
		t.Errorf("it says %q", out)
	}
	if out := s.does("send", "-account", "shop", "-to", "u", "-text", "goes", "-wait"); !strings.HasSuffix(out, "\nsent\n") {
		t.Errorf("it says %q", out)
	}
	s.does("send", "-account", "other", "-to", "v", "-text", "stays", "-task", "t1")
	p.stop(t)
	p = start(t, s.config)
	s.does("send", "-account", "shop", "-to", "u", "-text", "goes again", "-wait")
	s.heard(map[string][]string{"u": {"goes", "goes again"}})
	if out := s.does("commands", "show", "t1"); !strings.Contains(out, "restored: from a backup") {
		t.Errorf("the command says %q", out)
	}
	p.stop(t)
}

func TestABackupGoesToStandardOutput(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	p := start(t, s.config)
	out := s.does("backup", "-")
	copied := write(t, s.dir, "copy.db", out)
	s.does("restore", "-check", copied)
	p.stop(t)
}

func TestSend(t *testing.T) {
	t.Parallel()
	var refuse atomic.Bool
	s := newScene(t, stubPermanent(refuse.Load), realEcho)
	p := start(t, s.config)
	id := strings.TrimSpace(s.does("send", "-account", "shop", "-to", "u", "-text", "hello"))
	s.until("it was sent", func() bool { return strings.Contains(s.does("commands", "show", id), "sent") })
	if out := s.does("send", "-account", "shop", "-to", "u", "-text", "mine", "-task", "t1", "-json"); !strings.Contains(out, `"task_id":"t1"`) {
		t.Errorf("it says %q", out)
	}
	code, out, complaints := s.bot("send", "-account", "shop", "-to", "u", "-text", "mine", "-task", "t1")
	if code != 0 || strings.TrimSpace(out) != "t1" || !strings.Contains(complaints, "no second one was made") {
		t.Errorf("exit %d: %s%s", code, out, complaints)
	}
	s.does("send", "-account", "shop", "-do", "send_text", "-params", `{"to":"u","content":"by params"}`, "-lane", "reply", "-wait")
	s.does("send", "-account", "shop", "-to", "u", "-text", "later", "-at", "1s", "-wait")
	s.does("send", "-account", "shop", "-to", "u", "-text", "tomorrow", "-at", "24h", "-task", "t2")
	s.does("commands", "cancel", "t2")
	s.heard(map[string][]string{"u": {"hello", "mine", "by params", "later"}})

	refuse.Store(true)
	code, out, _ = s.bot("send", "-account", "shop", "-to", "u", "-text", "no", "-wait")
	if code != 1 || !strings.Contains(out, "\ndead: ") {
		t.Errorf("exit %d: %s", code, out)
	}
	code, out, _ = s.bot("send", "-account", "shop", "-to", "u", "-text", "no", "-wait", "-json")
	var end struct{ State string }
	if err := json.Unmarshal([]byte(out), &end); code != 1 || err != nil || end.State != "dead" {
		t.Errorf("exit %d: %s (%v)", code, out, err)
	}

	s.fails(1, "account_id: there is no account \"shap\"", "send", "-account", "shap", "-to", "u", "-text", "x")
	s.fails(1, "params.content", "send", "-account", "shop", "-to", "u")
	s.fails(1, "there is no action", "send", "-account", "shop", "-do", "fly")
	s.fails(2, "-account NAME", "send", "-to", "u", "-text", "x", "-at", "soonish")
	s.fails(2, `-at "soonish" is no time`, "send", "-to", "u", "-text", "x", "-at", "soonish")
	s.fails(2, "-params is no JSON object", "send", "-account", "shop", "-params", "[1]")
	s.fails(2, "-to does not go with accept_friend", "send", "-account", "shop", "-do", "accept_friend", "-to", "u")
	s.fails(2, "-text does not go with send_image", "send", "-account", "shop", "-do", "send_image", "-to", "u", "-text", "x")
	p.stop(t)
}

// TestABackupIsNobodyElses: the endpoint hands out everything there is.
func TestABackupIsNobodyElses(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	text, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.dir, "bot.toml", strings.Replace(string(text), "[admin]", "[admin]\ntoken = \"a-secret-of-mine\"", 1))
	p := start(t, s.config)
	resp, err := s.client.Post(fmt.Sprintf("http://%s/api/v1/backup", p.admin), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || len(b) > 1<<10 {
		t.Errorf("status %d, %d bytes", resp.StatusCode, len(b))
	}
	copied := filepath.Join(s.dir, "copy.db")
	code, out, complaints := s.bot("backup", copied)
	if code != 0 || strings.Contains(out+complaints, "a-secret-of-mine") {
		t.Errorf("exit %d: %s%s", code, out, complaints)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	p.stop(t)
}
