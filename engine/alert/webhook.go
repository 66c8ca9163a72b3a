package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The retries of a webhook.
var retryWaits = []time.Duration{time.Second, 5 * time.Second}

const (
	oneTry    = 10 * time.Second
	maxAnswer = 16 << 10
)

// Webhook posts messages to an address. The address is a secret: it is in no
// error.
type Webhook struct {
	url        string
	formatName string
	format     format
	client     *http.Client
}

// NewWebhook makes one of the named format (Formats). The client's redirects are
// not followed: what is posted would arrive as something else, or elsewhere.
func NewWebhook(address, formatName string, client *http.Client) *Webhook {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Webhook{address, formatName, formatOf(formatName), &c}
}

// Name is "webhook".
func (w *Webhook) Name() string { return "webhook" }

// Format is the name of the format of its messages.
func (w *Webhook) Format() string { return w.formatName }

// Tell posts the message, and again where that may help.
func (w *Webhook) Tell(ctx context.Context, m *Message) error {
	body, err := json.Marshal(w.format.body(m))
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		again, err := w.post(ctx, body)
		if err == nil || !again || try == len(retryWaits) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryWaits[try]):
		}
	}
}

// post makes one request; again tells whether another may help.
func (w *Webhook) post(ctx context.Context, body []byte) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("the address is no web address")
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "bot-alert")
	resp, err := w.client.Do(req)
	if err != nil {
		return true, bare(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case resp.StatusCode/100 == 3:
		return false, fmt.Errorf("status %d: it leads elsewhere; write the address it leads to", resp.StatusCode)
	case resp.StatusCode/100 != 2:
		again = resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout
		return again, fmt.Errorf("status %d", resp.StatusCode)
	case err != nil:
		return false, nil // it was taken; what it says of that did not come
	}
	return false, w.format.refused(answer)
}

// bare drops the address from an error.
func bare(err error) error {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", oneTry)
	}
	return err
}

// The formats of webhooks.
const (
	JSON     = "json"
	WeCom    = "wecom"
	Feishu   = "feishu"
	DingTalk = "dingtalk"
	Slack    = "slack"
)

// Formats are those that there are.
func Formats() []string { return []string{JSON, WeCom, Feishu, DingTalk, Slack} }

// GuessFormat tells the format by the address's host; what is not known is JSON.
func GuessFormat(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return JSON
	}
	for host, name := range map[string]string{
		"qyapi.weixin.qq.com": WeCom, "open.feishu.cn": Feishu, "open.larksuite.com": Feishu,
		"oapi.dingtalk.com": DingTalk, "api.dingtalk.com": DingTalk, "hooks.slack.com": Slack,
	} {
		if strings.EqualFold(u.Hostname(), host) {
			return name
		}
	}
	return JSON
}

// format is how a receiver wants to be told.
type format struct {
	body    func(m *Message) any
	refused func(answer []byte) error
}

type object = map[string]any

func formatOf(name string) format {
	accepted := func([]byte) error { return nil }
	switch name {
	case WeCom: // 2048 bytes of text
		return format{body: func(m *Message) any {
			return object{"msgtype": "text", "text": object{"content": m.Render(2048)}}
		}, refused: code("errcode")}
	case DingTalk: // 20,000 bytes of body
		return format{body: func(m *Message) any {
			return object{"msgtype": "text", "text": object{"content": m.Render(6000)}}
		}, refused: code("errcode")}
	case Feishu: // 20 KB of body; a tag in the text would call people
		return format{body: func(m *Message) any {
			return object{"msg_type": "text", "content": object{"text": strings.ReplaceAll(m.Render(6000), "<", "＜")}}
		}, refused: code("code", "StatusCode")}
	case Slack: // 40,000 characters; three are markup
		escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		return format{body: func(m *Message) any {
			return object{"text": escape.Replace(m.Render(12000))}
		}, refused: accepted}
	}
	return format{body: jsonBody, refused: accepted}
}

// jsonBody is what other systems get, by lines and as text.
func jsonBody(m *Message) any {
	return struct {
		Source  string    `json:"source"`
		Time    time.Time `json:"time"`
		Text    string    `json:"text"`
		Omitted int       `json:"omitted"`
		Alerts  []Line    `json:"alerts"`
	}{"bot", m.Time, m.Render(0), m.Omitted, m.Lines}
}

// code finds a refusal in the body of an answer with status 200. What it says in
// words is left out, since it may repeat the key.
func code(names ...string) func(answer []byte) error {
	return func(answer []byte) error {
		var fields map[string]any
		if json.Unmarshal(answer, &fields) != nil {
			return errors.New("the answer is not what this format's receiver gives")
		}
		for _, name := range names {
			if n, there := fields[name].(float64); there && n != 0 {
				return fmt.Errorf("refused with %s %v", name, n)
			}
		}
		return nil
	}
}
