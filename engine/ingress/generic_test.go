package ingress

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/generic"
	"bot/store"
)

// What a gateway of the generic channel sees, from the body to the counters.
func TestTheGenericChannelThroughTheDoor(t *testing.T) {
	receiver, err := generic.Adapter.Receiver([]channel.Account{{Name: "shop", AppID: "wx_demo", Ack: "auto"}}, channel.Host{})
	if err != nil {
		t.Fatal(err)
	}
	const invalid, bad = "invalid_data", `{"status":"error"}`
	tests := []struct {
		name, body string
		status     int
		answer     string
		count      string
	}{
		{"friend request", `{"type":"FRIEND_REQUEST","eventId":"e1","appId":"wx_demo","scene":"s"}`, 200, "success", "queued shop friend_request"},
		{"again", `{"scene":"s","appId":"wx_demo", "eventId":"e1","type":"FRIEND_REQUEST"}`, 200, "success", "duplicate shop"},
		{"friend added", `{"type":"FRIEND_ADDED","eventId":"e2","fromUser":"u","msgId":"m"}`, 200, "success", "queued shop friend_added"},
		{"the same msgId", `{"type":"FRIEND_ADDED","eventId":"e3","fromUser":"u","msgId":"m"}`, 200, "success", "duplicate shop"},
		{"message of the same id", `{"msg_id":"m","sender":"u","content":"x"}`, 200, `{"status":"success"}`, "queued shop message"},
		{"again, old by now", `{"msg_id":"m","sender":"u","content":"x","timestamp":1}`, 200, `{"status":"success"}`, "duplicate shop"},
		{"unknown type", `{"type":"GROUP_RENAMED","eventId":"e1","appId":"wx_demo"}`, 200, "success", "queued shop unknown"},
		{"another's", `{"type":"FRIEND_REQUEST","eventId":"e9","appId":"wx_other"}`, 200, "success", "refused shop account"},
		{"no eventId", `{"type":"FRIEND_REQUEST"}`, 400, invalid, "refused shop ids"},
		{"empty msg_id", `{"msg_id":"","sender":"u","content":"x"}`, 400, bad, "refused shop ids"},
		{"not JSON", `{`, 400, invalid, "refused shop json"},
		{"deep", strings.Repeat("[", 100_000), 400, invalid, "refused shop json"},
		{"huge", "{" + strings.Repeat(" ", 1<<20), 413, "too large", "refused shop size"},
	}
	d := newDoor(t, Options{}, receiver)
	before := d.counts(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantAnswer(t, d.post(tt.body), tt.status, tt.answer)
			after := d.counts(t)
			if after[tt.count] != before[tt.count]+1 || after["received shop"] != before["received shop"]+1 {
				t.Errorf("not counted as %q: %v", tt.count, after)
			}
			before = after
			d.wantBalance(t)
		})
	}
}

func BenchmarkCallback(b *testing.B) {
	receiver, err := generic.Adapter.Receiver([]channel.Account{{Name: "shop", Ack: "auto"}}, channel.Host{})
	if err != nil {
		b.Fatal(err)
	}
	d := newDoor(b, Options{Inbox: &void{}}, receiver)
	body, _ := json.Marshal(map[string]string{"msg_id": "m-1", "sender": "user-1", "content": strings.Repeat("你好", 80)})
	w := &discard{h: make(http.Header)}
	r := httptest.NewRequest(http.MethodPost, "/callback/shop", nil)
	rd := bytes.NewReader(body)
	r.ContentLength = int64(len(body))
	r.Body = http.NoBody
	b.ReportAllocs()
	for b.Loop() {
		rd.Reset(body)
		r.Body = reader{rd}
		clear(w.h)
		d.log.Reset()
		d.ServeHTTP(w, r)
	}
	if w.status != 200 {
		b.Fatal(w.status)
	}
}

// void takes everything as new and keeps nothing.
type void struct{ inbox }

func (*void) Append(_ context.Context, events []*engine.Event, _ time.Duration) (store.Appended, error) {
	return store.Appended{Seqs: make([]uint64, len(events)), Duplicate: make([]bool, len(events))}, nil
}

type reader struct{ *bytes.Reader }

func (reader) Close() error { return nil }

type discard struct {
	h      http.Header
	status int
}

func (w *discard) Header() http.Header         { return w.h }
func (w *discard) WriteHeader(status int)      { w.status = status }
func (w *discard) Write(p []byte) (int, error) { return len(p), nil }
