package service_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/fetch"
	"bot/engine/trial"
	"bot/engine/turn"
	"bot/skills"
	"bot/skills/skilltest"
)

// build makes skills that call a server, whose address SERVER stands for.
func build(t *testing.T, toml string, answer http.HandlerFunc) *skills.Set {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	var clients []*http.Client
	t.Cleanup(func() {
		for _, c := range clients {
			c.CloseIdleConnections()
		}
	})
	set, err := skills.Build(skilltest.Parse(t, strings.ReplaceAll(toml, "SERVER", server.URL)).Sections, skills.Options{
		Accounts: []string{"shop"},
		Fetch: func(allow func(string) bool) *http.Client {
			c := fetch.NewClient(allow)
			clients = append(clients, c)
			return c
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const order = `
[[skill]]
name = "order"
match = "regex"
patterns = ['^查订单\s*(\S+)$']
[skill.http]
url = "SERVER/orders/{{index .Match 1 | urlquery}}?token=hush"
headers = {Authorization = "Bearer hush"}
retries = 0
timeout = "200ms"
max_response = "1KiB"
reply = "订单 {{index .Match 1}}：{{.Response.status}}{{range .Response.items}}，{{.name}}×{{.n}}{{end}}"
replies = {"404" = "没有订单 {{index .Match 1}}", "4xx" = "不行：{{.Response.msg}}", "410" = ""}
fallback = "系统忙，{{.User}}"
`

// orders answers by the number that is asked for.
func orders(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("token") != "hush" || r.Header.Get("Authorization") != "Bearer hush" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	number := strings.TrimPrefix(r.URL.Path, "/orders/")
	var status int
	if _, err := fmt.Sscan(number, &status); err == nil {
		w.WriteHeader(status)
	}
	switch number {
	case "A1":
		_, _ = io.WriteString(w, `{"status":"已发货","items":[{"name":"茶","n":2},{"name":"杯子","n":10000000000000001}]}`)
	case "none":
		_, _ = io.WriteString(w, `{"status":null,"items":null}`)
	case "bare":
		_, _ = io.WriteString(w, `{"items":[]}`)
	case "page":
		_, _ = io.WriteString(w, `<html>hush</html>`)
	case "422":
		_, _ = io.WriteString(w, `{"msg":"已关闭"}`)
	case "long":
		_, _ = io.WriteString(w, `{"status":"`+strings.Repeat("x", 2000)+`"}`)
	case "late":
		<-r.Context().Done()
	}
}

func TestAnOrderIsLookedUp(t *testing.T) {
	set := build(t, order, orders)
	for _, tt := range []struct{ name, number, reply, note string }{
		{"an answer goes into the reply", "A1", "订单 A1：已发货，茶×2，杯子×10000000000000001", "answered 200"},
		{"what is null shows as nothing", "none", "订单 none：", "answered 200"},
		{"a field that is absent is no reply with a hole", "bare", "系统忙，u1", "fallback: fill in template: there is no value for {{.Response.status}}"},
		{"what is not JSON", "page", "系统忙，u1", "fallback: fill in template: there is no value for {{.Response.status}} (the answer is not JSON)"},
		{"a status with a reply of its own", "404", "没有订单 404", "answered 404"},
		{"a class of them, with the answer", "422", "不行：已关闭", "answered 422"},
		{"a reply whose answer says nothing", "400", "系统忙，u1", "fallback: fill in template: there is no value for {{.Response.msg}} (the answer is not JSON)"},
		{"a status that says nothing", "410", "", "answered 410"},
		{"a status without a reply", "500", "系统忙，u1", "fallback: status 500"},
		{"an answer too long", "long", "系统忙，u1", "fallback: the answer is longer than 1024 bytes"},
		{"no answer", "late", "系统忙，u1", "fallback: no answer within 200ms"},
		{"a number that leads elsewhere", "a/../b", "系统忙，u1", "fallback: not called: a part of the path came out empty or as a step up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chat := skilltest.NewChat(t, set)
			e := chat.Message("查订单 " + tt.number)
			c := set.Rules(e)[0]
			out, err := c.Skill.Handle(t.Context(), &engine.Turn{Event: e, Account: chat.Account, Match: c.Match})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(skilltest.Texts(out.Commands), "|"); got != tt.reply || out.Note != tt.note || strings.Contains(out.Note, "hush") {
				t.Errorf("said %q (%s), want %q (%s)", got, out.Note, tt.reply, tt.note)
			}
		})
	}
}

func TestWithoutAFallbackSomethingIsSaid(t *testing.T) {
	set := build(t, "[[skill]]\nname = 's'\nkeywords = ['x']\n[skill.http]\nurl = 'SERVER/'\n", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	if said := skilltest.NewChat(t, set).Say("x"); len(said) != 1 || !strings.Contains(said[0], "系统忙") || !strings.Contains(said[0], "try again later") {
		t.Errorf("said %q", said)
	}
	set = build(t, "[[skill]]\nname = 's'\nkeywords = ['x']\n[skill.http]\nurl = 'SERVER/'\nfallback = ''", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	if said := skilltest.NewChat(t, set).Say("x"); len(said) != 0 {
		t.Errorf("said %q", said)
	}
}

// ledger is a service that grants once for each key, as far as it can tell.
type ledger struct {
	mu     sync.Mutex
	calls  []string
	broken bool
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, r.Header.Get("Idempotency-Key"))
	if l.broken {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, `{"code":"C1"}`)
}

// grants are the keys that the service has seen, each once.
func (l *ledger) grants() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(l.calls)))
}

const grant = `
[[skill]]
name = "grant"
keywords = ["领券"]
once = "{{.User}}"
once_reply = "领过了"
[skill.http]
url = "SERVER/grants"
retries = 0
json = {user = "{{.User}}"}
reply = "您的券：{{.Response.code}}"
fallback = "系统忙"
`

func TestAGrantHasOneKeyForAllWhoAskForIt(t *testing.T) {
	l := &ledger{}
	set := build(t, grant, l.ServeHTTP)
	skilltest.NewChat(t, set).Play(`
		user 领券
		bot  您的券：C1
		user 领券
		bot  领过了
		as   u2
		user 领券
		bot  您的券：C1`)
	if n := len(l.grants()); n != 2 || len(l.calls) != 2 {
		t.Errorf("%d keys in %q; want one call for each user", n, l.calls)
	}
}

func TestWhoHeardThatTheSystemIsBusyMayAskAgain(t *testing.T) {
	l := &ledger{broken: true}
	set := build(t, grant, l.ServeHTTP)
	chat := skilltest.NewChat(t, set)
	if said := chat.Say("领券"); !slices.Equal(said, []string{"系统忙"}) {
		t.Errorf("said %q", said)
	}
	l.mu.Lock()
	l.broken = false
	l.mu.Unlock()
	if said := chat.Say("领券"); !slices.Equal(said, []string{"您的券：C1"}) {
		t.Errorf("said %q", said)
	}
	if n := len(l.grants()); n != 1 {
		t.Errorf("%q: the same grant has %d keys", l.calls, n)
	}
}

// The service may have granted; only the words for it are missing.
func TestAGrantWhoseAnswerLacksWhatIsSaidOfItIsNotMadeAgain(t *testing.T) {
	calls := 0
	set := build(t, grant, func(w http.ResponseWriter, _ *http.Request) { calls++; _, _ = io.WriteString(w, `{}`) })
	chat := skilltest.NewChat(t, set)
	e := chat.Message("领券")
	out, err := set.Rules(e)[0].Skill.Handle(t.Context(), &engine.Turn{Event: e, Account: chat.Account})
	want := "fallback: fill in template: there is no value for {{.Response.code}}; the service said yes, so the once-key is taken"
	if err != nil || out.Note != want || len(out.Once) != 1 {
		t.Errorf("%+v, %v; want the key and the note %q", out, err, want)
	}
	calls = 0
	chat.Play(`
		user 领券
		bot  系统忙
		user 领券
		bot  领过了`)
	if calls != 1 {
		t.Errorf("the service was called %d times", calls)
	}
}

// An event that is handled again after a crash is, for the service, the request it
// knows.
func TestARepeatOfAnEventSendsTheSameKey(t *testing.T) {
	l := &ledger{}
	const toml = "[[skill]]\nname = 's'\nkeywords = ['x']\n[skill.http]\nurl = 'SERVER/'\nmethod = 'POST'\nreply = 'ok'"
	set := build(t, toml, l.ServeHTTP)
	again := build(t, toml, l.ServeHTTP) // the skills of the next life
	chat := skilltest.NewChat(t, set)
	first, second := chat.Message("x"), chat.Message("x")
	chat.Do(first)
	chat.Router = again
	chat.Do(first)
	chat.Do(second)
	if len(l.calls) != 3 || l.calls[0] == "" || l.calls[0] != l.calls[1] || l.calls[1] == l.calls[2] {
		t.Errorf("the keys were %q", l.calls)
	}
}

func TestASkillThatWaitsIsBounded(t *testing.T) {
	set := build(t, order+"[[skill]]\nname = 'few'\nkeywords = ['x']\nconcurrency = 2\ntimeout = '3s'\n[skill.http]\nurl = 'SERVER/'", orders)
	chat := skilltest.NewChat(t, set)
	if c := set.Rules(chat.Message("查订单 1"))[0]; !c.Waits || c.Concurrency != 16 || c.Timeout < 200*time.Millisecond {
		t.Errorf("%+v", c)
	}
	if c := set.Rules(chat.Message("x"))[0]; !c.Waits || c.Concurrency != 2 || c.Timeout != 3*time.Second {
		t.Errorf("%+v", c)
	}
}

func TestDelayAndEvents(t *testing.T) {
	set := build(t, "[[skill]]\nname = 's'\non = 'friend_added'\ndelay = '2s'\n[skill.http]\nurl = 'SERVER/?u={{.User}}'\nreply = '{{.Response.hello}}'",
		func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"hello":"你好 `+r.URL.Query().Get("u")+`"}`)
		})
	chat := skilltest.NewChat(t, set)
	commands := chat.Do(chat.Event(engine.FriendAdded))
	if len(commands) != 1 || commands[0].Text != "你好 u1" || !commands[0].NotBefore.Equal(skilltest.Start.Add(2*time.Second)) {
		t.Errorf("%+v", commands)
	}
}

func TestTheOperatorsOwnTests(t *testing.T) {
	for _, tt := range []struct{ name, test, want string }{
		{"answers stand in for the service", `
			send = ["查订单 A1", "查订单 B", "查订单 C"]
			expect = ["已发货，茶×1", "没有订单 B", "系统忙"]
			answers = ['{"status":"已发货","items":[{"name":"茶","n":1}]}', {status = 404}, {status = 503}]`, ""},
		{"without one the service cannot be reached", `
			send = ["查订单 A1"]
			expect = ["系统忙"]`, ""},
		{"and a wrong expectation is told", `
			send = ["查订单 A1"]
			expect = ["已签收"]
			answers = ['{"status":"已发货"}']`, `expected "已签收", but the bot said "订单 A1：已发货"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := build(t, order+"[[skill.test]]\n"+tt.test, func(http.ResponseWriter, *http.Request) { t.Error("a test called the service") })
			err := trial.Run(t.Context(), trial.Options{
				Setup:   turn.Setup{Router: set, Accounts: map[string]engine.Account{"shop": {Name: "shop"}}},
				Account: "shop", Timeout: time.Second, Chance: func() float64 { return 0 },
			}, set.Tests()[0])
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
