package wecomstub

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/stub"
)

// corp is a platform with a clock of its own.
type corp struct {
	*stub.Stub
	now   time.Time
	token string
}

func newCorp(t *testing.T, o stub.Options) *corp {
	t.Helper()
	w := &corp{now: noon}
	o.Now = func() time.Time { return w.now }
	if o.Account.CorpID == "" {
		o.Account = channel.Account{
			Form: o.Account.Form, CorpID: "ww1", AgentID: 1000002, Secret: "app-secret", Key: "robot-key",
			CallbackToken: "Token2026", EncodingAESKey: "wecomSyntheticVectorKeyNumberOne0123456789k",
		}
	}
	w.Stub = newStub(t, o)
	w.token, _ = w.get("gettoken", "corpid=ww1&corpsecret=app-secret")["access_token"].(string)
	return w
}

func (w *corp) do(r *http.Request) *http.Response {
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec.Result()
}

func (w *corp) get(path, query string) map[string]any {
	resp := w.do(httptest.NewRequest("GET", "/cgi-bin/"+path+"?"+query, nil))
	var m map[string]any
	json.NewDecoder(resp.Body).Decode(&m)
	return m
}

// post calls with the token and returns the answer.
func (w *corp) post(t *testing.T, path, body string) map[string]any {
	t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	resp := w.do(httptest.NewRequest("POST", "/cgi-bin/"+path+sep+"access_token="+w.token, strings.NewReader(body)))
	var m map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: status %d, %v", path, resp.StatusCode, err)
	}
	return m
}

// want posts and compares the errcode.
func (w *corp) want(t *testing.T, errcode int, path, body string) map[string]any {
	t.Helper()
	m := w.post(t, path, body)
	if m["errcode"] != float64(errcode) {
		t.Errorf("%s %s: got %v %v, want errcode %d", path, body, m["errcode"], m["errmsg"], errcode)
	}
	return m
}

// said makes the callback without making the call, so that what it promises is
// known to the platform.
func (w *corp) said(t *testing.T, s stub.Said) {
	t.Helper()
	if s.Time.IsZero() {
		s.Time = w.now
	}
	if s.Type == "" {
		s.Type = "text"
	}
	if _, err := w.Protocol().Callback("http://bot.example/cb", s, 0); err != nil {
		t.Fatal(err)
	}
}

func TestTokens(t *testing.T) {
	w := newCorp(t, stub.Options{})
	const text = `{"touser":"lina","agentid":1000002,"msgtype":"text","text":{"content":"hi"}}`
	for query, errcode := range map[string]float64{
		"corpid=ww2&corpsecret=app-secret": 40013, "corpid=ww1&corpsecret=guess": 40001, "corpid=ww1&corpsecret=app-secret": 0,
	} {
		if m := w.get("gettoken", query); m["errcode"] != errcode {
			t.Errorf("%s: got %v, want %v", query, m, errcode)
		}
	}
	w.want(t, 0, "message/send", text)
	w.now = w.now.Add(2 * time.Hour)
	w.want(t, 42001, "message/send", text)
	w.token = "made-up"
	w.want(t, 40014, "message/send", text)
	w.token = ""
	w.want(t, 41001, "message/send", text)
	m := w.get("gettoken", "corpid=ww1&corpsecret=app-secret")
	w.token = m["access_token"].(string)
	w.want(t, 301002, "message/send", strings.Replace(text, "1000002", "1000003", 1))
	Of(w.Stub).ExpireTokens()
	m = w.want(t, 40014, "message/send", text)
	if n := Of(w.Stub).Counts().Tokens; n != 3 || m["errmsg"] == "" || m["expires_in"] != nil {
		t.Errorf("%d tokens fetched, %v", n, m)
	}
}

func TestWhatAuthorizesACall(t *testing.T) {
	w := newCorp(t, stub.Options{})
	token := "?access_token=" + w.token
	last := func() bool { return w.Calls(nil)[len(w.Calls(nil))-1].Authorized }
	for _, tt := range []struct {
		method, target string
		want           bool
	}{
		{"GET", "gettoken?corpid=ww1&corpsecret=app-secret", true},
		{"GET", "gettoken?corpid=ww1&corpsecret=guess", false},
		{"POST", "message/send" + token, true},
		{"POST", "message/send?access_token=made-up", false},
		{"POST", "message/send", false},
		{"POST", "webhook/send?key=robot-key", true},
		{"POST", "webhook/send?key=guess", false},
		{"POST", "aibot/response?response_code=made-up", false},
	} {
		w.do(httptest.NewRequest(tt.method, "/cgi-bin/"+tt.target, strings.NewReader("{}")))
		if got := last(); got != tt.want {
			t.Errorf("%s: authorized %v, want %v", tt.target, got, tt.want)
		}
	}
	w.now = w.now.Add(2 * time.Hour)
	if w.do(httptest.NewRequest("POST", "/cgi-bin/message/send"+token, nil)); last() {
		t.Error("a token that has expired authorizes")
	}
}

func TestMessages(t *testing.T) {
	w := newCorp(t, stub.Options{})
	send := func(errcode int, body string) map[string]any {
		t.Helper()
		return w.want(t, errcode, "message/send", `{"agentid":1000002,`+body+`}`)
	}
	text := func(to, s string) string {
		return fmt.Sprintf(`"touser":%q,"msgtype":"text","text":{"content":%q}`, to, s)
	}
	send(82001, `"msgtype":"text","text":{"content":"hi"}`)
	send(40008, `"touser":"a","msgtype":"telegram"`)
	send(44004, text("a", ""))
	send(40007, `"touser":"a","msgtype":"image","image":{}`)
	send(40032, text(strings.Repeat("a|", 1001), "hi"))
	send(81013, text("nobody1|Nobody2", "hi"))
	if m := send(0, text("lina|Nobody2", "hi")); m["invaliduser"] != "nobody2" || m["msgid"] == "" {
		t.Errorf("some exist: got %v", m)
	}
	send(0, text("lina", strings.Repeat("界", 1000)))
	if calls := w.Calls(stub.Text("lina")); len(calls) != 1 || len(calls[0].Text) != 2046 {
		t.Errorf("what is too long was not cut to whole characters: %d calls", len(calls))
	}
	w.now = w.now.Add(time.Minute)
	for range 31 {
		send(0, text("lina", "hi"))
	}
	if n := Of(w.Stub).Counts().Dropped; n != 1 {
		t.Errorf("%d dropped, want the 31st within a minute", n)
	}
	w.want(t, 47001, "message/send", "hi")
	if m := w.get("message/send", "access_token="+w.token); m["errcode"] != 43001.0 {
		t.Errorf("a GET: %v", m)
	}
}

func TestDuplicateCheck(t *testing.T) {
	w := newCorp(t, stub.Options{})
	const body = `{"agentid":1000002,"touser":"lina","msgtype":"text","text":{"content":"hi"},"enable_duplicate_check":1,"duplicate_check_interval":120}`
	w.want(t, 0, "message/send", body)
	w.want(t, 0, "message/send", body)
	w.want(t, 0, "message/send", strings.Replace(body, "hi", "ho", 1))
	if n := Of(w.Stub).Counts().Suppressed; n != 1 {
		t.Errorf("%d suppressed, want 1", n)
	}
	if c := w.Counts(); c.Repeats != 1 {
		t.Errorf("counts %+v, want one repeat", c)
	}
	w.now = w.now.Add(2 * time.Minute)
	w.want(t, 0, "message/send", body)
	if n := Of(w.Stub).Counts().Suppressed; n != 1 {
		t.Errorf("%d suppressed, want the third delivered after the interval", n)
	}
}

func TestGroups(t *testing.T) {
	w := newCorp(t, stub.Options{})
	const send = `{"chatid":"c1","msgtype":"text","text":{"content":"hi"}}`
	w.want(t, 86003, "appchat/send", send)
	w.want(t, 40058, "appchat/create", `{"chatid":"c1","userlist":["a"]}`)
	w.want(t, 0, "appchat/create", `{"chatid":"c1","name":"g","userlist":["a","b"]}`)
	w.want(t, 86215, "appchat/create", `{"chatid":"c1","userlist":["a","b"]}`)
	w.want(t, 0, "appchat/send", send)
	w.want(t, 0, "appchat/update", `{"chatid":"c1","name":"h"}`)
	if calls := w.Calls(stub.Text("appchat/c1")); len(calls) != 1 {
		t.Errorf("%d texts, want the one that was not refused", len(calls))
	}
}

func TestWelcome(t *testing.T) {
	w := newCorp(t, stub.Options{})
	greet := func(errcode int, code string) {
		t.Helper()
		w.want(t, errcode, "externalcontact/send_welcome_msg", `{"welcome_code":"STUBWELCOME-`+code+`","text":{"content":"你好"}}`)
	}
	for _, id := range []string{"1", "2"} {
		w.said(t, stub.Said{Kind: engine.FriendAdded, ID: id, User: "wm" + id})
	}
	w.said(t, stub.Said{Kind: engine.FriendAdded, ID: "3", User: "wm3", Type: "begun"})
	w.now = w.now.Add(20 * time.Second)
	greet(0, "1")
	greet(41050, "1")
	greet(41051, "3")
	greet(41050, "made-up")
	w.now = w.now.Add(time.Second)
	greet(41050, "2")
	toFirst := func(c stub.Call) bool { return c.To == "wm1" && c.Action == engine.SendText }
	if calls := w.Calls(toFirst); len(calls) != 2 || calls[0].Refused || !calls[1].Refused {
		t.Errorf("welcomes to wm1: %+v, want the refused one as well", calls)
	}
	w.want(t, 44004, "externalcontact/send_welcome_msg", `{"welcome_code":"STUBWELCOME-1"}`)
	w.want(t, 0, "externalcontact/remark", `{"userid":"lina","external_userid":"wm1","remark":"x"}`)
	w.want(t, 84061, "externalcontact/mark_tag", `{"userid":"lina","external_userid":"lina"}`)
}

func TestRobot(t *testing.T) {
	w := newCorp(t, stub.Options{})
	const path = "webhook/send?key=robot-key"
	picture := []byte("\xff\xd8\xff picture")
	sum := md5.Sum(picture)
	image := func(sum string) string {
		return fmt.Sprintf(`{"msgtype":"image","image":{"base64":%q,"md5":%q}}`, base64.StdEncoding.EncodeToString(picture), sum)
	}
	w.want(t, 93000, "webhook/send?key=guess", `{"msgtype":"text","text":{"content":"hi"}}`)
	w.want(t, 0, path, `{"msgtype":"markdown","markdown":{"content":"**hi**"}}`)
	w.want(t, 45002, path, `{"msgtype":"text","text":{"content":"`+strings.Repeat("a", 2049)+`"}}`)
	w.want(t, 0, path, image(hex.EncodeToString(sum[:])))
	w.want(t, 40058, path, image("00"))
	w.want(t, 40007, path, `{"msgtype":"file","file":{"media_id":"none"}}`)
	w.want(t, 40008, path, `{"msgtype":"video","video":{}}`)
	for range 13 {
		w.want(t, 0, path, `{"msgtype":"text","text":{"content":"hi"}}`)
	}
	w.want(t, 0, path, `{"msgtype":"text","text":{"content":"the twentieth"}}`)
	w.want(t, 45009, path, `{"msgtype":"text","text":{"content":"hi"}}`)
	w.now = w.now.Add(time.Minute)
	w.want(t, 0, path, `{"msgtype":"text","text":{"content":"hi"}}`)
}

func TestFailures(t *testing.T) {
	w := newCorp(t, stub.Options{Throttle: engine.Rate{N: 1, Per: time.Hour}, Burst: 2})
	w.want(t, 0, "message/send", `{"agentid":1000002,"touser":"a","msgtype":"text","text":{"content":"hi"}}`)
	w.want(t, 45009, "message/send", `{"agentid":1000002,"touser":"a","msgtype":"text","text":{"content":"hi"}}`)
	x := 1.0
	broken := newCorp(t, stub.Options{Fail: 1, Chance: func() float64 { return x - 1 }})
	if resp := broken.do(httptest.NewRequest("POST", "/cgi-bin/message/send", strings.NewReader("{}"))); resp.StatusCode != 500 {
		t.Errorf("status %d, want 500", resp.StatusCode)
	}
	x = 2
	if resp := broken.do(httptest.NewRequest("POST", "/cgi-bin/nothing", strings.NewReader("{}"))); resp.StatusCode != 404 {
		t.Errorf("status %d, want 404", resp.StatusCode)
	}
}
