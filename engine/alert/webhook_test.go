package alert

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine/fetch"
)

const key = "KEY-recognisable-91c2"

var storm = Message{
	Time: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC), Language: Both, Location: time.UTC, Omitted: 2,
	Lines: []Line{
		{Kind: Offline, Account: "shop", Level: Serious, State: Firing, Text: `<at user_id="all">kicked`, TextZH: "被踢下线 & <b>", Count: 1},
		{Kind: DeadLetter, Account: "shop", Subject: "permanent", Level: Warning, State: Firing, Text: "no such user", Count: 12, Since: time.Date(2026, 3, 2, 9, 50, 0, 0, time.UTC)},
		{Kind: Breaker, Account: "club", Level: Serious, State: Recovered, Since: time.Unix(0, 0), Latest: time.Unix(750, 0)},
	},
}

const stormText = "bot 告警 / bot alert\n" +
	"【严重】shop: 账号离线，待发内容已暂存：被踢下线 & <b>\n" +
	"[serious] shop: the account is offline; what it has to send is held: <at user_id=\"all\">kicked\n" +
	"【注意】shop (permanent): 有事件或消息被放弃（死信）：no such user（09:50:00 起 12 次）\n" +
	"[warning] shop (permanent): given up (dead letter): no such user (12 times since 09:50:00)\n" +
	"【恢复】club: 平台没有响应，暂停发送，持续 13m\n" +
	"[recovered] club: the platform does not answer; sending is paused, after 13m\n" +
	"另有 2 条未列出\n2 more are left out"

func TestAMessageReadsInBothLanguages(t *testing.T) {
	if got := storm.Render(0); got != stormText {
		t.Errorf("got\n%s\nwant\n%s", got, stormText)
	}
}

func TestDetailsOfOurOwnAreChineseInTheChinesePart(t *testing.T) {
	m := Message{Language: Both, Lines: []Line{{Kind: DeadLetter, Account: "shop", Level: Warning, State: Firing, Text: "send_text → u: permanent, status 400: no such user"}}}
	zh, en, _ := strings.Cut(m.Render(0), "no such user\n")
	if !strings.HasSuffix(zh, "send_text → u: 被平台拒绝，状态码 400：") || !strings.Contains(en, "send_text → u: permanent, status 400: no such user") {
		t.Errorf("%s", m.Render(0))
	}
}

func TestAMessageFitsTheLimit(t *testing.T) {
	long := storm
	for range 40 {
		long.Lines = append(long.Lines, Line{Kind: Words, Account: "店铺", Text: strings.Repeat("很长", 500), State: Firing, Level: Warning})
	}
	for _, language := range Languages() {
		long.Language = language
		for limit := 120; limit < 6000; limit += 7 {
			text := long.Render(limit)
			if len(text) > limit || !strings.Contains(text, "\n") || strings.ContainsRune(text, '�') {
				t.Fatalf("%s in %d bytes: %d bytes: %q", language, limit, len(text), text)
			}
			if language == Chinese && !strings.Contains(text, "条未列出") {
				t.Fatalf("in %d bytes it is not said that more is left out: %q", limit, text)
			}
		}
	}
}

// posted serves one answer and gives what was posted.
func posted(t *testing.T, formatName string, answer http.HandlerFunc) (body map[string]any, err error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") || r.URL.Query().Get("key") != key {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		if err := json.Unmarshal(b, &body); err != nil {
			t.Errorf("%v in %s", err, b)
		}
		answer(w, r)
	}))
	defer s.Close()
	client := fetch.NewClient(func(string) bool { return true })
	defer client.CloseIdleConnections()
	return body, NewWebhook(s.URL+"/hook?key="+key, formatName, client).Tell(t.Context(), &storm)
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

func TestEachFormat(t *testing.T) {
	for _, tt := range []struct {
		format, takes, refuses string
		at                     []string
		escape                 *strings.Replacer
	}{
		{WeCom, `{"errcode":0,"errmsg":"ok"}`, `{"errcode":93000,"errmsg":"invalid key ` + key + `"}`, []string{"text", "content"}, strings.NewReplacer()},
		{DingTalk, `{"errcode":0,"errmsg":"ok"}`, `{"errcode":310000,"errmsg":"keywords not in content"}`, []string{"text", "content"}, strings.NewReplacer()},
		{Feishu, `{"code":0,"msg":"success"}`, `{"code":19024,"msg":"Key Words Not Found"}`, []string{"content", "text"}, strings.NewReplacer("<", "＜")},
		{Feishu, `{"StatusCode":0,"StatusMessage":"success"}`, `{"code":9499}`, []string{"content", "text"}, strings.NewReplacer("<", "＜")},
		{Slack, "ok", "", []string{"text"}, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")},
		{JSON, "", "", []string{"text"}, strings.NewReplacer()},
	} {
		t.Run(tt.format, func(t *testing.T) {
			body, err := posted(t, tt.format, says(tt.takes))
			if err != nil {
				t.Fatal(err)
			}
			var v any = body
			for _, field := range tt.at {
				v = v.(map[string]any)[field]
			}
			if want := tt.escape.Replace(stormText); v != want {
				t.Errorf("%v holds\n%v\nwant\n%s", tt.at, v, want)
			}
			if tt.refuses == "" {
				return
			}
			_, err = posted(t, tt.format, says(tt.refuses))
			if err == nil || !strings.Contains(err.Error(), "refused with") || strings.Contains(err.Error(), key) {
				t.Errorf("a refusal in the body: %v", err)
			}
		})
	}
}

func TestTheJSONBody(t *testing.T) {
	body, err := posted(t, JSON, says(""))
	if err != nil {
		t.Fatal(err)
	}
	first := body["alerts"].([]any)[0].(map[string]any)
	if body["source"] != "bot" || body["omitted"] != 2.0 || body["time"] != "2026-03-02T10:00:00Z" ||
		first["kind"] != "offline" || first["account"] != "shop" || first["level"] != "serious" || first["state"] != "firing" ||
		first["text_zh"] != "被踢下线 & <b>" || first["count"] != 1.0 {
		t.Errorf("%v", body)
	}
}

func TestTheFormatIsGuessedFromTheHost(t *testing.T) {
	for address, want := range map[string]string{
		"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=k":  WeCom,
		"https://open.feishu.cn/open-apis/bot/v2/hook/k":          Feishu,
		"https://open.larksuite.com/open-apis/bot/v2/hook/k":      Feishu,
		"https://OAPI.dingtalk.com:443/robot/send?access_token=k": DingTalk,
		"https://hooks.slack.com/services/T/B/k":                  Slack,
		"https://alerts.example.com/qyapi.weixin.qq.com":          JSON,
		"https://qyapi.weixin.qq.com.example.com/":                JSON,
		"::": JSON,
	} {
		if got := GuessFormat(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	var followed atomic.Bool
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	defer private.Close()
	for _, status := range []int{301, 302, 307, 308} {
		_, err := posted(t, JSON, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, private.URL+"/?key="+key, status)
		})
		if err == nil || !strings.Contains(err.Error(), "leads elsewhere") || strings.Contains(err.Error(), key) || followed.Load() {
			t.Errorf("%d: %v, followed: %v", status, err, followed.Load())
		}
	}
}

func TestAPrivateAddressIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fetch.NewClient(nil)
		defer client.CloseIdleConnections()
		err := NewWebhook("http://127.0.0.1:9/?key="+key, JSON, client).Tell(t.Context(), &storm)
		if !errors.Is(err, fetch.ErrPrivate) || strings.Contains(err.Error(), key) {
			t.Errorf("%v", err)
		}
	})
}

// trip answers without a network.
type trip func(n int, r *http.Request) (status int, err error)

// tried tells by how many requests, and after how long, a message was told.
func tried(t *testing.T, do trip) (requests int, took time.Duration, err error) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			requests++
			status, err := do(requests, r)
			if err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}, Request: r}, nil
		})}
		began := time.Now()
		err = NewWebhook("https://example.com/?key="+key, JSON, client).Tell(t.Context(), &storm)
		took = time.Since(began)
	})
	return requests, took, err
}

type roundTripper func(r *http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAWebhookIsTriedAgainAFewTimes(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, tt := range []struct {
		name     string
		do       trip
		requests int
		took     time.Duration
		says     string
	}{
		{"taken at once", func(int, *http.Request) (int, error) { return 204, nil }, 1, 0, ""},
		{"down for a moment", func(n int, _ *http.Request) (int, error) { return []int{503, 429, 200}[n-1], nil }, 3, 6 * time.Second, ""},
		{"down", func(int, *http.Request) (int, error) { return 500, nil }, 3, 6 * time.Second, "status 500"},
		{"not reachable", func(int, *http.Request) (int, error) { return 0, refused }, 3, 6 * time.Second, "dial: connection refused"},
		{"a wrong address", func(int, *http.Request) (int, error) { return 404, nil }, 1, 0, "status 404"},
		{"hanging", func(_ int, r *http.Request) (int, error) {
			<-r.Context().Done()
			return 0, context.Cause(r.Context())
		}, 3, 36 * time.Second, "no answer within 10s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			requests, took, err := tried(t, tt.do)
			if requests != tt.requests || took != tt.took {
				t.Errorf("%d requests in %v, want %d in %v", requests, took, tt.requests, tt.took)
			}
			if tt.says == "" != (err == nil) || err != nil && err.Error() != tt.says {
				t.Errorf("said %v, want %q", err, tt.says)
			}
		})
	}
}
