package wecom

import (
	"testing"

	"bot/engine"
	"bot/engine/channel"
)

// judge checks what must hold of every callback that was signed well.
func judge(t *testing.T, a channel.Account, plain string) {
	t.Helper()
	receipt, refusal := tell(t, a, plain)
	if refusal != nil {
		if refusal.Answer.Status/100 != 4 || len(refusal.Detail) > 1024 {
			t.Errorf("refused with %d and %d bytes", refusal.Answer.Status, len(refusal.Detail))
		}
		return
	}
	if receipt.Answer.Status != 200 || len(receipt.Events) > 1 {
		t.Fatalf("got %+v", receipt)
	}
	for _, bell := range receipt.Doorbells {
		if bell.Account != a.Name || bell.Source == "" || len(bell.Source) > 256 {
			t.Errorf("doorbell %+v", bell)
		}
	}
	for _, e := range receipt.Events {
		if e.ID == "" || len(e.ID) > 512 || e.Account != a.Name || e.Conversation == "" || len(e.Conversation) > 512 || e.Kind == "" {
			t.Errorf("event %+v", e)
		}
		for _, n := range e.Learned {
			if len(n.Key) > 512 || n.Expires.IsZero() {
				t.Errorf("note %+v", n)
			}
		}
		again, _ := tell(t, a, plain)
		if again.Events[0].Key() != e.Key() || e.Kind == engine.Message && again.Events[0].Ticket.Token != e.Ticket.Token {
			t.Error("a repeat is another event")
		}
	}
}

// FuzzApp reads documents as an app is sent them.
func FuzzApp(f *testing.F) {
	positive, _ := readVectors(f)
	for _, v := range positive {
		if v.Op == "post_xml" {
			f.Add(v.Plaintext)
		}
	}
	f.Add(textMessage)
	f.Add(xmlOf("<FromUserName>a</FromUserName><MsgType>text</MsgType><Content>\x01&#1;&#x8;<![CDATA[\x02]]></Content><MsgId>1</MsgId>"))
	f.Add(`{"MsgType":"event","Event":"change_external_contact","ChangeType":["a",{"b":1}],"UserID":"u","ExternalUserID":1e400}`)
	f.Fuzz(func(t *testing.T, plain string) { judge(t, appAccount, plain) })
}

// FuzzBot reads documents as an AI bot is sent them.
func FuzzBot(f *testing.F) {
	positive, _ := readVectors(f)
	for _, v := range positive {
		if v.Op == "post_json" {
			f.Add(v.Plaintext)
		}
	}
	for _, r := range botReadings {
		f.Add(r.plain)
	}
	f.Add(`{"msgid":"\ud800","from":{"userid":"u"},"msgtype":"text","text":{"content":[["a"]]}}`)
	f.Fuzz(func(t *testing.T, plain string) { judge(t, botAccount, plain) })
}

// FuzzEnvelope reads what anybody can send.
func FuzzEnvelope(f *testing.F) {
	positive, negative := readVectors(f)
	for _, v := range append(positive[:20], negative...) {
		f.Add([]byte(v.Body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		encrypt, err := envelope(body)
		// Bytes that are no text come back as replacement characters of three.
		if err == nil && (encrypt == "" || len(encrypt) > 3*len(body)) {
			t.Errorf("got %q", encrypt)
		}
	})
}
