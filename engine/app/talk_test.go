package app_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bot/engine/console"
	"bot/engine/stub"
)

// talking is a shop and a sandbox, with a form and a hand-off.
const talking = shop + `
[[account]]
name = "sandbox"
channel = "sandbox"
[[skill]]
name = "bind"
keywords = ["绑定"]
done = "绑定成功"
[[skill.step]]
save = "phone"
ask = "请输入手机号"
[[skill.step]]
save = "code"
ask = "请输入验证码"
[[skill]]
name = "web"
keywords = ["天气"]
[skill.http]
url = "http://127.0.0.1:1/"
reply = "{{.Response.text}}"
fallback = "查不到"
[[skill]]
name = "staff"
keywords = ["人工"]
reply = "COMING"
[skill.handoff]
notify = {to = "staff-room"}
released_reply = "BACK"
`

// look is a page of the console.
func (r *rig) look(path string) string {
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
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// shows waits until a page shows all of these.
func (r *rig) shows(path string, wants ...string) {
	r.t.Helper()
	for _, want := range wants {
		r.until(path+" shows "+want, func() bool { return strings.Contains(r.look(path), want) })
	}
}

func (r *rig) press(path string, form url.Values) {
	r.t.Helper()
	resp, err := r.http.PostForm("http://"+r.life.at.Admin+path, form)
	if err != nil {
		r.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		r.t.Errorf("%s: %s", path, resp.Status)
	}
}

func TestANewcomerTalksToTheBotInTheBrowser(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, talking)
	r.press("/chat", url.Values{"account": {"sandbox"}, "as": {"me"}, "text": {"绑定"}, "back": {"/chat"}})
	r.shows("/chat", "<p>绑定</p>", "<p>请输入手机号</p>")
	r.press("/chat", url.Values{"account": {"sandbox"}, "as": {"you"}, "text": {"foo"}, "back": {"/chat"}})
	r.idle()
	page := r.look("/chat?as=you")
	_, link, _ := strings.Cut(page, `<p class="note"><a href="`)
	link, _, _ = strings.Cut(link, `"`)
	if page := r.look(link); !strings.Contains(page, "none of 3 skills answers") {
		t.Errorf("%s does not say why nothing was said: %s", link, page)
	}
}

func TestConversationsAreShownWithWhatWasSaidAndWhereTheyStand(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, talking)
	const odd = `u/1?x=#"<b>`
	at := console.ConversationPath("shop", odd)
	r.say("m1", odd, "绑定")
	r.texts(odd, 1)
	r.say("m2", odd, "13800001234")
	r.texts(odd, 2)
	r.shows(at, "<p>绑定</p>", "<p>请输入验证码</p>", "✓ sent", "bind · code", "••••34")
	if strings.Contains(r.look(at), "••••1234") || strings.Contains(r.look("/conversations"), "<b>\"") {
		t.Error("a value is shown, or an id is markup")
	}
	r.say("m3", odd, "123456")
	r.say("m4", odd, "foo")
	r.shows(at, "none of 3 skills answers")
	r.say("m5", odd, "人工")
	r.texts("staff-room", 1)
	r.shows(at, "handed over to people", "COMING")
	if strings.Contains(r.look(at), "to give it back to the bot, send:") {
		t.Error("what staff are told stands in the customer's conversation")
	}
	r.shows(console.ConversationPath("shop", "staff-room"), "to give it back to the bot, send:")
	r.press("/conversation/release", url.Values{"account": {"shop"}, "conversation": {odd}, "back": {"/"}})
	r.shows(at, "BACK", "served as usual")
	r.press("/conversation/block", url.Values{"account": {"shop"}, "conversation": {odd}, "back": {"/"}})
	r.say("m6", odd, "hello?")
	r.shows(at, "blocked: blocked by hand")
	r.shows("/conversations", "BACK", "staff-room")

	r.reborn()
	r.shows("/conversations", "staff-room", "before the start")
	r.shows(at, "<p>绑定</p>", "BACK")
}

func TestADryRunCallsNobodyAndKeepsNothing(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, talking)
	ask := func(text string, more ...string) string {
		q := url.Values{"account": {"shop"}, "text": {text}}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return r.look("/skills?" + q.Encode())
	}
	for range 2 { // the first leaves no state
		if page := ask("绑定"); !strings.Contains(page, "<p>请输入手机号</p>") || !strings.Contains(page, "✓ bind") {
			t.Error("the form does not begin")
		}
	}
	for _, c := range []struct{ what, page, want string }{
		{"another system is not called", ask("天气"), "<p>查不到</p>"},
		{"what begins with a slash is a text", ask("/event friend_added"), "Nothing would be said."},
		{"in a group without a mention", ask("绑定", "group", "yes"), "Nothing would be said."},
		{"an event", ask("", "kind", "friend_added"), "Nothing would be said."},
		{"an account that is not there", ask("x", "account", "nobody"), "there is no account &#34;nobody&#34;"},
	} {
		if !strings.Contains(c.page, c.want) {
			t.Errorf("%s: the page lacks %q", c.what, c.want)
		}
	}
	if page := r.look("/skills"); !strings.Contains(page, "phone") || !strings.Contains(page, "<pre") {
		t.Error("the form is not drawn")
	}
	if s := r.status(); s.Events+s.Commands != 0 {
		t.Errorf("it left %d events and %d commands", s.Events, s.Commands)
	}
}
