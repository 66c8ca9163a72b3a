package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine/console/browsertest"
	"bot/engine/stub"
)

const consoleToken = "console-TOKEN-58b1"

// newcomer is a scene with the configuration that bot init writes, on free ports.
func newcomer(t testing.TB, manners stub.Options) *scene {
	t.Helper()
	s := newScene(t, manners, "")
	if err := os.Remove(s.config); err != nil {
		t.Fatal(err)
	}
	if code, out, complaints := s.bot("init"); code != 0 {
		t.Fatalf("bot init: exit %d: %s%s", code, out, complaints)
	}
	s.edit("127.0.0.1:8080", "127.0.0.1:0")
	s.edit(`listen = "127.0.0.1:8081"`, `listen = "127.0.0.1:0"`)
	s.edit("http://127.0.0.1:9090", "http://"+s.address)
	return s
}

// edit replaces a text of the configuration, which must be there, the first time it
// is.
func (s *scene) edit(old, now string) {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		s.t.Fatalf("the configuration has no %q", old)
	}
	next := write(s.t, s.dir, "bot.toml.next", strings.Replace(string(text), old, now, 1))
	if err := os.Rename(next, s.config); err != nil {
		s.t.Fatal(err)
	}
}

// startGuarded runs the program with a token that the environment names, as the
// configuration asks for.
func (s *scene) startGuarded() *process {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(path, "-config", s.config)
	cmd.Env = append(os.Environ(), "BOT_ADMIN_TOKEN="+consoleToken)
	p, ready := launchCommand(s.t, cmd)
	return await(s.t, p, ready)
}

// tell posts a message to the example's account.
func (s *scene) tell(p *process, id, user, text string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"msg_id": id, "sender": user, "content": text})
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.client.Post("http://"+p.callback+"/api/gateway/callback", "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("message %s: %s", id, resp.Status)
	}
}

// hears waits until somebody was told something that contains the text.
func (s *scene) hears(user, text string) {
	s.t.Helper()
	s.until(user+" hears "+text, func() bool {
		told := s.told()[user]
		return len(told) > 0 && strings.Contains(told[len(told)-1], text)
	})
}

// evil is what somebody writes, or is called, who wants it to run on a page.
const evil = `<script>document.title="owned"</script><img src=x onerror='document.title="owned"'>`

// chatsInTheSandbox talks to the bot on the console's own page, with no platform: an
// answer, a form's next question, what nobody may make the page run, and why nothing
// was said.
func chatsInTheSandbox(tab *browsertest.Tab, base string) {
	tab.Helper()
	tab.Go(base + "/chat")
	tab.Type(`input[name="text"]`, "营业时间\r")
	tab.Says(".bubble.in p", "营业时间")
	tab.Says(".bubble.out p", "9:00–21:00")
	tab.Type(`input[name="text"]`, "绑定\r") // the page stays, and the field is free again
	tab.Says(".bubble.out p", "请输入手机号")
	tab.Type(`input[name="text"]`, evil+"\r")
	tab.Says(".bubble.in p", evil)
	tab.Says(".bubble.out p", "手机号格式不对")
	tab.Click(`button[name="kind"][value="friend_request"]`)
	tab.Says(".bubble.out code", "accept_friend")
	tab.Go(base + "/chat?" + url.Values{"account": {"sandbox"}, "as": {evil}}.Encode())
	tab.Type(`input[name="text"]`, "营业时间\r")
	tab.Says(".bubble.in small", evil)
	tab.Says(".bubble.out p", "9:00–21:00")
	tab.Harmless("the chat")
	tab.Go(base + "/chat?" + url.Values{"account": {"sandbox"}, "as": {"frank"}, "in": {"a-group"}}.Encode())
	tab.Click(`input[name="mention"]`) // nobody speaks to the bot
	tab.Type(`input[name="text"]`, "营业时间\r")
	tab.Click(`.note a`)
	tab.Says(".said.bad", `none of 14 skills answers; the nearest, "hours" (bot.toml:`)
	tab.Click(`button[name="lang"]`)
	tab.Says(".said.bad", `14 个技能都不回答；最接近的是 "hours"（bot.toml:`)
	tab.Says(".said.bad", "它只在私聊里有效")
	tab.Click(`button[name="lang"]`)
	tab.Says("h1", "Trace")
}

// runsNothing looks at every page on which somebody's name and words are.
func runsNothing(tab *browsertest.Tab, base, by string) {
	tab.Helper()
	talk := url.Values{"account": {"shop"}, "conversation": {by}}.Encode()
	for _, path := range []string{
		"/dead", "/", "/conversations", "/conversation?" + talk, "/commands?" + talk, "/contacts", "/alerts",
		"/trace?id=m2", "/trace?" + url.Values{"id": {by}}.Encode(), "/skills?" + url.Values{"account": {"shop"}, "text": {by}}.Encode(),
	} {
		tab.Go(base + path)
		tab.Harmless(path)
	}
}

// TestANewcomerOperatesTheRealProgramInARealBrowser goes through the console as
// somebody does who has just begun: what runs is the program itself, configured by
// bot init, with a token.
func TestANewcomerOperatesTheRealProgramInARealBrowser(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	if _, err := binary(); err != nil { // else it would count as a part of the minute
		t.Fatal(err)
	}
	tab := browsertest.Open(t)
	began := time.Now()
	s := newcomer(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		if refuses.Load() {
			return &stub.Answer{Status: 400}
		}
		return nil
	}})
	p := s.startGuarded()
	base := "http://" + p.admin

	tab.Go(base + "/config")
	tab.Type(`input[name="token"]`, "a guess\r")
	tab.Says(".said.bad", "That is not the token.")
	tab.Type(`input[name="token"]`, consoleToken+"\r")
	tab.Says("h1", "Configuration") // where they wanted to go
	s.tell(p, "m1", "alice", "营业时间")
	s.hears("alice", "9:00–21:00")
	t.Logf("from bot init to the first answer: %v, a login in a browser included", time.Since(began).Round(time.Millisecond))

	chatsInTheSandbox(tab, base)

	// The overview lives: what comes in while it is open shows without a hand.
	tab.Go(base + "/")
	tab.Says(".card", "0 dead letters")
	refuses.Store(true)
	s.tell(p, "m2", evil, "营业时间 "+evil)
	tab.Says(".card.warn", "1 dead letters")

	// What was given up is replayed, and what people are called stays text.
	tab.Go(base + "/dead")
	tab.Says("td", evil)
	refuses.Store(false)
	tab.Click(`td form[action="/dead/replay"] button`)
	tab.Says(".said", "It was put back.")
	s.hears(evil, "9:00–21:00")
	runsNothing(tab, base, evil)

	// A faulty file is refused with its line, and what ran before answers on.
	s.edit("营业时间：每天 9:00–21:00\"", "营业时间：每天 10:00–22:00\"\nreplay = \"slip\"")
	tab.Go(base + "/config")
	tab.Says(".diff .add", "10:00–22:00")
	tab.Click(`form[method="get"] button[name="check"]`)
	tab.Says(".problems", "replay")
	if q := tab.Agree(`form[action="/config"][method="post"] button`); !strings.Contains(q, "Replace what runs") {
		t.Errorf("asks %q", q)
	}
	tab.Says(".said.bad", "It was refused")
	if told := tab.Text(".problems"); !strings.Contains(told, filepath.Base(s.config)+":") || !strings.Contains(told, "replay") {
		t.Errorf("the problems: %q", told)
	}
	s.tell(p, "m3", "bob", "营业时间")
	s.hears("bob", "9:00–21:00")

	// Tests beside a skill refuse it as well; mended it is applied whole.
	s.edit("\nreplay = \"slip\"", "")
	tab.Agree(`form[action="/config"][method="post"] button`)
	tab.Says(".problems", "10:00–22:00") // the dialogue beside it expects the old hours
	s.edit("10:00–22:00", "9:00–22:00")
	tab.Agree(`form[action="/config"][method="post"] button`)
	tab.Says(".said", "Reloaded.")
	tab.Says("main", "The files on disk are those that run.")
	s.tell(p, "m4", "carol", "营业时间")
	s.hears("carol", "9:00–22:00")

	// A broadcast of two steps, to its end.
	tab.Go(base + "/broadcasts/new")
	tab.Type(`textarea[name="text"]`, "hello {{.User}} "+evil)
	tab.Type(`textarea[name="to"]`, "dora\nemil")
	tab.Click(`form.page button`)
	tab.Says(".estimate", "2 people left")
	tab.Click(`.start input[type="checkbox"]`)
	tab.Click(`.start button`)
	s.hears("dora", "hello dora")
	s.hears("emil", "hello emil")
	tab.Says("#live .state", "done")
	tab.Harmless("a broadcast")

	tab.Click(`form[action="/logout"] button`)
	tab.See(`input[name="token"]`)
	tab.Go(base + "/broadcasts")
	tab.See(`input[name="token"]`)
}
