package qiwe

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/stub"
)

// The platform makes no picture of some videos.
func TestAVideoThatNeedsItsCover(t *testing.T) {
	base, last := anything(t)
	c := engine.Command{Action: engine.SendVideo, Params: map[string]any{"url": "https://f/v.mp4"}}
	_, err := fresh(t, channeltest.Host(t), base).Send(t.Context(), &c)
	e, ok := err.(*channel.SendError)
	if _, sent := last(); !ok || e.Class != channel.Permanent || !strings.Contains(e.Note, "cover_url") || !strings.HasSuffix(sent, ",null]") {
		t.Errorf("got %v after %s", err, sent)
	}
}

// uploads counts the files that the platform was given.
func uploads(p *stub.Stub) int {
	return len(p.Calls(func(c stub.Call) bool { return c.JSON()["method"] == uploadMethod }))
}

func TestAFileIsUploadedOnceADay(t *testing.T) {
	p, base := platform(t, stub.Options{})
	h, now := channeltest.Host(t), noon
	h.Now = func() time.Time { return now }
	h.Memory.(*channeltest.Memory).Now = h.Now
	send := func(url string, a engine.Action) {
		t.Helper()
		c := engine.Command{Action: a, Conversation: friend, Params: map[string]any{"url": url}}
		if _, err := fresh(t, h, base).Send(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		url  string
		as   engine.Action
		want int
	}{
		{"https://f/a", engine.SendImage, 1}, {"https://f/a", engine.SendImage, 1}, {"https://f/b", engine.SendImage, 2}, {"https://f/a", engine.SendFile, 3},
	} {
		if send(step.url, step.as); uploads(p) != step.want {
			t.Errorf("step %d: %d uploads, want %d", i, uploads(p), step.want)
		}
	}
	now = now.Add(uploadedFor)
	if send("https://f/a", engine.SendImage); uploads(p) != 4 {
		t.Errorf("%d uploads a day later, want 4", uploads(p))
	}
	if n := len(p.Calls(func(c stub.Call) bool { return c.Action == engine.SendImage })); n != 4 {
		t.Errorf("%d pictures sent, want 4", n)
	}
}

// Nothing was sent yet when an upload fails, whatever became of the upload.
func TestAFailedUploadLeavesNoDoubt(t *testing.T) {
	tests := []struct {
		name   string
		answer stub.Answer
		want   channel.Class
	}{
		{"hung up on", stub.Answer{}, channel.Transient},
		{"a page", stub.Answer{Status: 502, Body: "<html>"}, channel.Transient},
		{"a failure nobody explains", stub.Answer{Status: 200, Body: `{"code":500,"msg":"接口调用失败"}`}, channel.Transient},
		{"no file in the answer", stub.Answer{Status: 200, Body: `{"code":0,"data":{}}`}, channel.Transient},
		{"wrong params", stub.Answer{Status: 200, Body: `{"code":500,"msg":"参数错误"}`}, channel.Permanent},
		{"logged out", stub.Answer{Status: 200, Body: `{"code":500,"msg":"账号不在线"}`}, channel.Halted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, base := platform(t, stub.Options{Script: func(stub.Call) *stub.Answer { return &tt.answer }})
			c := engine.Command{Action: engine.SendImage, Params: map[string]any{"url": "https://f/a"}}
			_, err := fresh(t, channeltest.Host(t), base).Send(t.Context(), &c)
			if e, ok := err.(*channel.SendError); !ok || e.Class != tt.want || len(p.Calls(nil)) != 1 {
				t.Errorf("got %v after %d calls, want %s after one", err, len(p.Calls(nil)), tt.want)
			}
		})
	}
}
