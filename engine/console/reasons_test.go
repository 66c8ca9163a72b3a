package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/egress"
	"bot/engine/health"
	"bot/engine/talk"
	"bot/engine/trace"
	"bot/store"
)

// tags are what is no text of a page; what they say to those who read by ear is not
// looked at either.
var tags = regexp.MustCompile(`(?s)<[^>]*>`)

// TestReasonsAreInThePagesLanguage fills every page with reasons and looks at what is
// left of them in Chinese.
func TestReasonsAreInThePagesLanguage(t *testing.T) {
	r := newRig(t)
	r.login()
	r.die(say("t1", "u1", "hello"))
	r.doubt(say("t2", "u2", "hello"))
	r.wait(say("t3", "u3", "hello"))
	r.options.Desk.Waits = func(store.Delivery) string { return "account held: platform unreachable: dial tcp: refused" }
	mark := &health.Mark{Time: r.now, Class: "timestamp", Note: "the credentials are refused: 40001"}
	r.overview.Accounts = []Account{{
		Row:  health.Row{Name: "shop", Channel: "generic", Health: health.Held, Held: "offline: its platform says so", LastRefused: mark, LastError: mark, Offline: mark, LastProbe: mark},
		Pace: egress.Pace{Pace: 1, State: egress.PaceFree},
	}}
	r.overview.NotReady = "the engine is starting or stopping"
	r.steps["m1"] = []trace.Step{
		{Time: r.now, Step: trace.Received, Note: "message"},
		{Time: r.now, Step: trace.NoReply, Note: `skill "coupon" (bot.toml:12:1) does not answer: no keyword or pattern fits`},
		{Time: r.now, Step: trace.Command, TaskID: "t9", Note: "send_text: done"},
	}
	r.talk = Talk{Lines: []talk.Line{{Time: r.now, Side: talk.Aside, Step: trace.Refused, Note: "blocked: the account lists them as blocked (bot.toml:7:1)", ID: "m2"}}}
	r.plans = somePlans(r.now)
	r.plans[0].Runs = []engine.Run{{Due: r.now.Add(-time.Minute), State: engine.RunSucceeded, Note: "nothing said: text came out empty"}}
	r.build()
	for path, want := range map[string]string{
		"/":            "掉线：平台这样说|平台拒绝了凭据：40001|时间戳不对|引擎正在启动或停止",
		"/dead":        "被平台拒绝，状态码 400：no such user",
		"/doubts":      "10s 之内没有应答",
		"/commands":    "账号暂不发送：连不上平台：dial tcp: refused",
		"/trace?id=m1": `技能 &#34;coupon&#34;（bot.toml:12:1）不回答：没有匹配的关键词或正则|send_text: done`,
		"/conversation?account=shop&conversation=u1": "已拉黑：账号的配置拉黑了对方 (bot.toml:7:1)",
		"/skills?text=x": "没有匹配的关键词或正则|包含 [&#34;领券&#34; &#34;优惠券&#34;]",
		"/schedules":     "什么也没说：内容为空",
	} {
		resp := r.send(http.MethodGet, path, nil, func(req *http.Request) { req.Header.Set("Accept-Language", "zh-CN") })
		page := tags.ReplaceAllString(text(t, resp), "")
		for _, each := range strings.Split(want, "|") {
			if !strings.Contains(page, each) {
				t.Errorf("%s lacks %q:\n%s", path, each, page)
			}
		}
	}
	resp := r.send(http.MethodPost, "/chat", typed("eve", "", "hi"), func(req *http.Request) { req.Header.Set("Accept-Language", "zh") })
	if resp.StatusCode != http.StatusSeeOther {
		t.Fatal(resp.Status)
	}
	if said := saidOn(r.page("/chat?" + url.Values{"as": {"eve"}}.Encode())); said != "没有受理：已拉黑：手动" {
		t.Errorf("the chat says %q", said)
	}
}
