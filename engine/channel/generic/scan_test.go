package generic

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"bot/engine/channel"
)

func FuzzScanAgreesWithEncodingJSON(f *testing.F) {
	for _, c := range callbacks {
		if len(c.Body) < 2000 {
			f.Add([]byte(c.Body))
		}
	}
	for _, s := range []string{
		`{"a":-0.5e+7,"b":[true,false,null,{}],"type":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`,
		`{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":1e}`, `{"a":-}`, `{"a":+1}`, `{"a":tru}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":"` + "\t" + `"}`,
		`{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":1}x`, "{\"a\":1}\x00", "\ufeff{}",
		`{"type":"a","type":"b","` + "\\u0074ype" + `":"c"}`,
		strings.Repeat(`{"a":`, 64) + `{}` + strings.Repeat(`}`, 64), strings.Repeat(`{"a":`, 63) + `{}` + strings.Repeat(`}`, 63),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := scan(data)
		object := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
		want := json.Valid(data) && object && utf8.Valid(data) && depth(data) <= maxDepth
		if (err == nil) != want {
			t.Fatalf("scan says %v, encoding/json %v", err, want)
		}
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]value{
			"type": b.typ, "eventId": b.eventID, "appId": b.appID, "scene": b.scene, "fromUser": b.fromUser, "nickname": b.nickname,
			"content": b.content, "timestamp": b.timestamp, "msgId": b.msgID, "msg_id": b.plainID, "sender": b.sender,
		} {
			if raw, ok := members[name]; ok != (got != nil) || string(raw) != string(got) {
				t.Errorf("%s: got %q, encoding/json %q", name, got, raw)
			}
			s, isString := got.str()
			var want string
			if wantString := len(got) > 0 && got[0] == '"' && json.Unmarshal(got, &want) == nil; isString != wantString || s != want {
				t.Errorf("%s: got %q, encoding/json %q", name, s, want)
			}
		}
	})
}

// depth counts how deep valid JSON nests.
func depth(data []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// FuzzReceive looks for anything but an event that can be kept or a refusal.
func FuzzReceive(f *testing.F) {
	for _, c := range callbacks {
		if len(c.Body) < 2000 {
			f.Add([]byte(c.Body))
		}
	}
	r, err := newReceiver([]channel.Account{{Name: "shop", AppID: appID}}, channel.Host{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := r.Receive(&channel.Request{Method: http.MethodPost, Body: data, Now: noon})
		if err != nil {
			if refusal := err.(*channel.Refusal); refusal.Answer.Status != 400 {
				t.Errorf("refused with %d", refusal.Answer.Status)
			}
			return
		}
		if got.Answer.Status != 200 || (len(got.Events) == 1) == (got.Foreign != "") {
			t.Errorf("receipt %+v", got)
		}
		for _, e := range got.Events {
			if e.ID == "" || len(e.ID) > maxID || !utf8.ValidString(e.ID+e.Conversation+e.Sender+e.Text) || e.Conversation == "" || e.Kind == "" {
				t.Errorf("event %+v", e)
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	body := []byte(`{"msg_id":"m-test-0001","sender":"user-test-01","content":"` + strings.Repeat("你好", 80) + `","timestamp":1790000000,"extra":{"a":[1,2,3]}}`)
	b.Run("scan", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := scan(body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m map[string]json.RawMessage
			if err := json.Unmarshal(body, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("receive", func(b *testing.B) {
		r, err := newReceiver([]channel.Account{{Name: "shop"}}, channel.Host{})
		if err != nil {
			b.Fatal(err)
		}
		q := &channel.Request{Method: http.MethodPost, Body: body, Now: noon}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Receive(q); err != nil {
				b.Fatal(err)
			}
		}
	})
}
