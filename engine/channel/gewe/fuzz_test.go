package gewe

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/wechat"
)

// FuzzReceive: whatever arrives is refused as a platform expects, or is one
// event that the engine can keep and that reads the same twice.
func FuzzReceive(f *testing.F) {
	files, err := filepath.Glob("testdata/samples/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, s := range []string{
		`{"TypeName":"AddMsg","Wxid":"` + self + `","Data":{"MsgType":10002,"FromUserName":"1@chatroom","Content":"<sysmsg type=\"pat\"><pat>"}}`,
		`{"msgType":"SYSTEM","wxid":"` + self + `","content":{"string":{"string":1}},"fromUser":[1],"newMsgId":1e30}`,
		`{"msgType":"0","wxid":"` + self + `","fromGroup":"0"}`,
		`{"msgType":null,"TypeName":{},"wxid":7100000000000000001}`,
	} {
		f.Add([]byte(s))
	}
	r := mustReceiver(f, channel.Host{Memory: &channeltest.Memory{}}, shop(), channel.Account{Name: "other", Self: "wxid_other", AppID: "wx_other"})
	f.Fuzz(func(t *testing.T, body []byte) {
		read := func() (*engine.Event, error) {
			receipt, err := r.Receive(&channel.Request{Method: http.MethodPost, Body: bytes.Clone(body), Now: noon})
			if err != nil {
				refusal, ok := err.(*channel.Refusal)
				if !ok || refusal.Reason == "" || refusal.Answer.Status/100 != 4 {
					t.Fatalf("refused as %v", err)
				}
				return nil, err
			}
			if receipt.Answer.Status != http.StatusOK || len(receipt.Events) > 1 {
				t.Fatalf("taken as %+v", receipt)
			}
			if len(receipt.Events) == 0 {
				return nil, nil
			}
			return receipt.Events[0], nil
		}
		e, err := read()
		if e == nil {
			return
		}
		again, _ := read()
		switch {
		case err != nil, again == nil, e.Key() != again.Key():
			t.Fatal("read again, it is another event")
		case e.Account == "", e.Kind == "", e.Conversation == "", len(e.ID) == 0, len(e.ID) > 512, len(e.Conversation) > wechat.MaxID+len(nowhere):
			t.Fatalf("cannot be kept: %+v", e)
		case e.Kind == engine.Message && e.Type == "", e.MemberNames != nil && len(e.MemberNames) != len(e.Members):
			t.Fatalf("incomplete: %+v", e)
		case wechat.IsRoom(e.Conversation) != e.Group && !isNowhere(e.Conversation):
			t.Fatalf("group %v in %q", e.Group, e.Conversation)
		}
		for _, note := range e.Learned {
			if len(note.Key) == 0 || len(note.Key) > 512 {
				t.Fatalf("a note under %q", note.Key)
			}
		}
	})
}
