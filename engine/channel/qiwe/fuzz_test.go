package qiwe

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/store"
)

// FuzzReceive: whatever arrives is taken or refused, and what is taken is fit
// for the log and reads the same from it.
func FuzzReceive(f *testing.F) {
	files, err := filepath.Glob("testdata/samples/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"data":"[{\"cmd\":11016,\"msgData\":\"{\\\"code\\\":11001}\"}]"}`))
	r, err := newReceiver([]channel.Account{ours()}, channeltest.Host(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		lent := bytes.Clone(body)
		got, err := r.Receive(&channel.Request{Body: lent, Now: noon})
		if err != nil {
			if refusal, ok := errors.AsType[*channel.Refusal](err); !ok || refusal.Reason == "" {
				t.Fatalf("got %v, want a refusal", err)
			}
			return
		}
		clear(lent)
		for _, e := range got.Events {
			fit(t, e)
		}
	})
}

func fit(t *testing.T, e *engine.Event) {
	t.Helper()
	if e.Account == "" || e.Kind == "" || e.Conversation == "" || e.ID == "" || len(e.ID) > maxID || len(e.Conversation) > maxID {
		t.Fatalf("%+v", e)
	}
	if !utf8.ValidString(e.ID + e.Conversation + e.Sender + e.Text + e.Identity) {
		t.Fatalf("not UTF-8: %+v", e)
	}
	if (e.Kind == engine.Message) != (e.Type != "" && e.Kind != engine.Unknown) {
		t.Fatalf("kind %s of type %q", e.Kind, e.Type)
	}
	rec := store.EncodeEvent(e)
	again, err := store.DecodeEvent(rec)
	if err != nil || !bytes.Equal(store.EncodeEvent(again), rec) || again.Key() != e.Key() {
		t.Fatalf("%v: read back as %+v", err, again)
	}
}
