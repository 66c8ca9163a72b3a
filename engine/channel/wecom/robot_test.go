package wecom

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

var robotAccount = channel.Account{Name: "alarm", Form: "robot", Key: "693axxx6-7aoc-4bc4/+1"}

// robots answers as the webhook does: twenty messages a minute, pictures whose
// MD5 is right.
func robotRig(t *testing.T) *rig {
	r := newRig(t, robotAccount)
	var since time.Time
	n := 0
	r.on("webhook/send", func(q *heard) string {
		if now := r.clock.now(); now.Sub(since) >= time.Minute {
			since, n = now, 0
		}
		if n++; n > 20 {
			return refuses(45009, "api freq out of limit")
		}
		if image, ok := q.json["image"].(map[string]any); ok {
			b, err := base64.StdEncoding.DecodeString(image["base64"].(string))
			if sum := md5.Sum(b); err != nil || image["md5"] != hex.EncodeToString(sum[:]) {
				return refuses(301019, "media md5 not match")
			}
		}
		return allOK
	})
	return r
}

func TestMessagesOfARobot(t *testing.T) {
	card := map[string]any{"card_type": "text_notice"}
	for _, c := range []struct {
		name string
		does engine.Command
		want string
	}{
		{"text", engine.Command{TaskID: "t-1", Conversation: "any", Action: engine.SendText, Text: "a", Params: map[string]any{"at": []any{"lina", "all"}, "at_mobiles": "13800001111"}},
			`{"msgtype":"text","text":{"content":"a","mentioned_list":["lina","@all"],"mentioned_mobile_list":["13800001111"]}}`},
		{"markdown", engine.Command{TaskID: "t-1", Action: engine.SendMarkdown, Text: strings.Repeat("界", 1365)},
			`{"markdown":{"content":"` + strings.Repeat("界", 1365) + `"},"msgtype":"markdown"}`},
		{"newer markdown", engine.Command{TaskID: "t-1", Action: engine.SendMarkdown, Text: "|a|", Params: map[string]any{"version": "2"}},
			`{"markdown_v2":{"content":"|a|"},"msgtype":"markdown_v2"}`},
		{"link", does("t-1", "", engine.SendLink, map[string]any{"title": "t", "url": "https://e.com"}),
			`{"msgtype":"news","news":{"articles":[{"description":"","picurl":"","title":"t","url":"https://e.com"}]}}`},
		{"card", does("t-1", "", engine.SendCard, map[string]any{"card": card}),
			`{"msgtype":"template_card","template_card":{"card_type":"text_notice"}}`},
		{"file by its id", does("t-1", "", engine.SendFile, map[string]any{"media_id": "M"}),
			`{"file":{"media_id":"M"},"msgtype":"file"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := robotRig(t)
			sent(t, r.sender(t), c.does)
			r.wantBody(t, "webhook/send", c.want)
			if r.tokensIssued() != 0 {
				t.Error("a robot has no token")
			}
		})
	}
}

func TestFilesOfARobot(t *testing.T) {
	r := robotRig(t)
	r.takesUploads("webhook/upload_media")
	s := r.sender(t)
	sent(t, s, r.sends("t-1", engine.SendImage, "a.png"))
	if !strings.Contains(r.to("webhook/send")[0].body, base64.StdEncoding.EncodeToString([]byte(files["files/a.png"]))) {
		t.Error("the picture is not in the message")
	}
	failed(t, s, r.sends("t-2", engine.SendImage, "big.png"), channel.Permanent)
	sent(t, s, r.sends("t-3", engine.SendVoice, "voice"))
	sent(t, s, r.sends("t-4", engine.SendVoice, "voice"))
	wantCalls(t, r.fakeCom, "webhook/upload_media", 1)
	r.wantBody(t, "webhook/send", `{"msgtype":"voice","voice":{"media_id":"media-1"}}`)
}

func TestWhatARobotCannotSend(t *testing.T) {
	r := robotRig(t)
	s := r.sender(t)
	for name, c := range map[string]engine.Command{
		"a text that would be cut": says("t-1", "", strings.Repeat("界", 683)),
		"markdown as long":         {TaskID: "t-1", Action: engine.SendMarkdown, Text: strings.Repeat("界", 1366)},
		"nothing":                  says("t-1", "", ""),
		"a card that is none":      does("t-1", "", engine.SendCard, map[string]any{"card": "[]"}),
		"a video":                  does("t-1", "", engine.SendVideo, map[string]any{"media_id": "M"}),
	} {
		t.Run(name, func(t *testing.T) { failed(t, s, c, channel.Permanent) })
	}
	if len(r.calls) != 0 {
		t.Errorf("%d requests were made", len(r.calls))
	}
}

func TestTheTwentyFirstMessageOfAMinuteWaits(t *testing.T) {
	r := robotRig(t)
	s := r.sender(t)
	for i := range 20 {
		sent(t, s, says(fmt.Sprint(i), "", "a"))
	}
	for range 2 { // and no longer the second time
		e := failed(t, s, says("20", "", "a"), channel.Throttled)
		if !e.Until.Equal(r.clock.now().Add(time.Minute)) {
			t.Errorf("until %v", e.Until)
		}
		r.clock.pass(time.Minute - time.Second)
		r.clock.pass(time.Second)
		sent(t, s, says("21", "", "a"))
		for i := range 19 {
			sent(t, s, says(fmt.Sprint(i), "", "a"))
		}
	}
}

func TestARobotThatWasRemoved(t *testing.T) {
	r := newRig(t, robotAccount)
	r.says("webhook/send", refuses(93000, "invalid webhook url"))
	e := failed(t, r.sender(t), says("t-1", "", "a"), channel.Halted)
	if !strings.Contains(e.Note, "check key") {
		t.Errorf("noted %q", e.Note)
	}
}
