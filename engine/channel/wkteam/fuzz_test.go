package wkteam

import (
	"net/http"
	"slices"
	"testing"
	"unicode/utf8"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/wechat"
)

// Whatever arrives is refused as such, or read into events that fit into the
// engine and are answered where they came from.
func FuzzReceive(f *testing.F) {
	for _, want := range index(f) {
		f.Add(sample(f, want.File))
	}
	for _, c := range callbacks {
		if len(c.Body) < 2000 {
			f.Add([]byte(c.Body))
		}
	}
	host := channel.Host{Memory: &channeltest.Memory{}}
	r, err := newReceiver([]channel.Account{shop}, host)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := r.Receive(&channel.Request{Method: http.MethodPost, Body: slices.Clone(data), Now: noon})
		if err != nil {
			if refusal := err.(*channel.Refusal); refusal.Answer.Status != 400 {
				t.Errorf("refused with %d", refusal.Answer.Status)
			}
			return
		}
		if got.Answer.Status != 200 || len(got.Events) > 1 || len(got.Events) == 1 && got.Foreign != "" {
			t.Errorf("receipt %+v", got)
		}
		for _, e := range got.Events {
			if e.ID == "" || len(e.ID) > 512 || e.Kind == "" || e.Account != "shop" ||
				e.Conversation == "" || len(e.Conversation) > wechat.MaxID || len(e.Sender) > wechat.MaxID || len(e.Actor) > wechat.MaxID ||
				len(e.Fact) > wechat.MaxID+len("friend/") || len(e.MemberNames) != 0 && len(e.MemberNames) != len(e.Members) ||
				!utf8.ValidString(e.ID+e.Conversation+e.Sender+e.Text+e.SenderName) {
				t.Errorf("event %+v", e)
			}
			if e.Kind == engine.Message && e.Group != wechat.IsRoom(e.Conversation) {
				t.Errorf("a message that is answered elsewhere: %+v", e)
			}
		}
	})
}
