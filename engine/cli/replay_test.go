package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bot/engine/stub"
)

// hours is a skill that people ask, and a form.
const hours = `
[[skill]]
name = "hours"
keywords = ["几点"]
reply = "9 点开门"
[[skill]]
name = "bind"
keywords = ["绑定"]
match = "exact"
expires = "10m"
done = "好"
[[skill.step]]
save = "phone"
ask = "手机号？"
[[skill]]
name = "accept"
on = "friend_request"
do = "accept_friend"
`

// asked is a scene whose engine has answered some messages, and its process.
func asked(t *testing.T) (*scene, *process) {
	t.Helper()
	s := newScene(t, stub.Options{}, hours)
	p := start(t, s.config)
	s.said(p, "m1", "a", "几点")
	s.said(p, "m2", "b", "绑定")
	s.said(p, "m3", "b", "13800000000")
	s.said(p, "m4", "c", "天气")
	s.posted(p, `{"type":"FRIEND_REQUEST","eventId":"e1","appId":"wx","fromUser":"d","scene":"7","content":"你好"}`)
	s.idle(p)
	return s, p
}

// posted sends a callback as it is.
func (s *scene) posted(p *process, body string) {
	s.t.Helper()
	resp, err := s.client.Post("http://"+p.callback+"/in", "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		s.t.Errorf("%s is answered %s", body, resp.Status)
	}
}

// edited writes another file beside the one that runs.
func (s *scene) edited(old, replacement string) (path string) {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	return write(s.t, s.dir, "new.toml", strings.ReplaceAll(string(text), old, replacement))
}

// replay runs the verb with an edited file.
func (s *scene) replay(config string, args ...string) said {
	s.t.Helper()
	sh := &shell{TB: s.t, dir: s.dir, env: []string{}}
	return sh.bot(append([]string{"replay", "-config", config}, args...)...)
}

func TestAReplayShowsWhichRepliesWouldChange(t *testing.T) {
	t.Parallel()
	s, p := asked(t)
	edited := s.edited("9 点", "8 点")
	// While the engine runs: what it was told a second ago is on disk.
	s.until("the intake is written", func() bool { return strings.Contains(s.replay(edited).out, "5 events, 1 reply changes") })
	got := s.replay(edited)
	got.wants(t, 1, " shop a: 几点\n  - 9 点开门\n  + 8 点开门\n5 events, 1 reply changes\n", "")
	if n := strings.Count(got.out, "\n"); n != 4 {
		t.Errorf("prints %d lines:\n%s", n, got.out)
	}
	calls := len(s.platform.Calls(stub.Text("")))
	s.replay(s.edited("手机号？", "你的手机号？")).wants(t, 1, "shop b: 绑定\n  - 手机号？\n  + 你的手机号？\n5 events, 1 reply changes\n", "")
	s.replay(s.edited(`keywords = ["几点"]`, `keywords = ["几时"]`)).wants(t, 1, "  - 9 点开门\n  + (no reply)\n", "")
	s.replay(s.edited(`do = "accept_friend"`, `reply = "请稍候"`)).wants(t, 1, " shop d: (friend_request) 你好\n  - accept_friend scene=7\n  + 请稍候\n", "")
	s.replay(s.edited("", "")).wants(t, 0, "5 events, no reply changes\n", "")
	s.replay(s.edited("9 点", "8 点"), "-account", "shop", "-since", "1h").wants(t, 1, "5 events, 1 reply changes", "")
	s.replay(edited, "-since", "0s").wants(t, 0, "0 events, no reply changes\n", "")
	if n := len(s.platform.Calls(stub.Text(""))); n != calls {
		t.Errorf("a replay made %d calls of the platform", n-calls)
	}

	p.stop(t)
	s.replay(edited).wants(t, 1, "5 events, 1 reply changes\n", "")
}

func TestAReplayAnswersProgramsInJSON(t *testing.T) {
	t.Parallel()
	s, p := asked(t)
	p.stop(t)
	got := s.replay(s.edited("9 点", "8 点"), "-json")
	var answer struct {
		Events, Changed int
		LeftOut         map[string]int `json:"left_out"`
		Changes         []struct {
			Time, Account, Conversation, ID, Kind, Text string
			Old, New                                    []string
		}
	}
	if err := json.Unmarshal([]byte(got.out), &answer); err != nil || got.code != 1 || got.err != "" {
		t.Fatalf("exit %d: %v, %s%s", got.code, err, got.out, got.err)
	}
	if answer.Events != 5 || answer.Changed != 1 || answer.LeftOut == nil || len(answer.Changes) != 1 {
		t.Fatalf("answers %s", got.out)
	}
	if c := answer.Changes[0]; c.ID != "m1" || c.Account != "shop" || c.Conversation != "a" || c.Kind != "message" || c.Text != "几点" ||
		strings.Join(c.Old, "|") != "9 点开门" || strings.Join(c.New, "|") != "8 点开门" || c.Time == "" {
		t.Errorf("answers %+v", c)
	}
	got = s.replay(s.edited("", ""), "-json")
	if !strings.Contains(got.out, `"changes": []`) || got.code != 0 {
		t.Errorf("exit %d, answers %s", got.code, got.out)
	}
}

func TestAReplayLeavesOutAccountsThatAreNotInBothFiles(t *testing.T) {
	t.Parallel()
	s, p := asked(t)
	p.stop(t)
	got := s.replay(s.edited(`"shop"`, `"store"`))
	got.wants(t, 0, "0 events, no reply changes\n", `note: account "shop" is not in both files; its 5 events are left out`)
}

func TestAReplayThatCannotBeginSaysWhy(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+hello)
	s.write("new.toml", plain+strings.Replace(hello, "您好", "你好", 2))
	s.write("bad.toml", plain+"[[skill]]\nname = \"x\"\n")
	s.write("off.toml", plain+hello+"[replay]\nkeep = \"0s\"\n")
	if err := os.Mkdir(s.path("sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.path("bot.toml"), s.path("link.toml")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, says string }{
		{"", "-config and -against are both bot.toml: edit a copy"},
		{"-config link.toml", "are both link.toml"},
		{"-config new.toml", "there is no recent intake at "},
		{"-config new.toml -against off.toml", `there is no recent intake: off.toml says replay.keep = "0s"`},
		{"-config new.toml -against gone.toml", "gone.toml"},
		{"-config gone.toml", "gone.toml"},
		{"-config bad.toml", "bad.toml:10:"},
		{"-config new.toml -against bad.toml", "bad.toml:10:"},
		{"-config new.toml -account shpo", `there is no account "shpo" in bot.toml (did you mean "shop"?)`},
		{"-config new.toml -since yesterday", `"yesterday" is not a duration`},
	} {
		s.bot(append([]string{"replay"}, strings.Fields(tt.args)...)...).wants(t, 2, "", tt.says)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "bot.db.recent")); !os.IsNotExist(err) {
		t.Errorf("a replay made the folder: %v", err)
	}
}
