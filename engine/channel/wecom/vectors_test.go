package wecom

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"bot/engine"
)

// Every vector that is a callback, through the whole of Receive.
func TestVectors(t *testing.T) {
	positive, _ := readVectors(t)
	seen := 0
	for _, v := range positive {
		if v.Op != "get_verify" && v.Op != "post_xml" && v.Op != "post_json" {
			continue // crypt tests those
		}
		seen++
		t.Run(v.ID, func(t *testing.T) {
			r := makeReceiver(t, nil, v.account())
			q := v.request(t)
			receipt, refusal := receive(t, r, q)
			clear(q.Body) // it is lent
			if refusal != nil {
				t.Fatal(refusal)
			}
			switch {
			case v.Op == "get_verify":
				if string(receipt.Answer.Body) != v.Plaintext || receipt.Answer.Status != 200 || len(receipt.Events) > 0 {
					t.Errorf("answered %d %q, want %q", receipt.Answer.Status, receipt.Answer.Body, v.Plaintext)
				}
			case v.ID == "synth-xml-kf_event":
				if len(receipt.Doorbells) != 1 || len(receipt.Events) > 0 {
					t.Errorf("got %+v, want a doorbell", receipt)
				}
			case v.ID == "synth-json-aibot_stream_poll":
				if len(receipt.Events) > 0 || len(receipt.Answer.Body) == 0 {
					t.Errorf("got %+v, want an answer alone", receipt)
				}
			default:
				wantEvent(t, receipt.Events, v.Plaintext)
			}
		})
	}
	if seen != 43 {
		t.Errorf("%d callbacks, want 43", seen)
	}
}

func wantEvent(t *testing.T, events []*engine.Event, plain string) {
	t.Helper()
	if len(events) != 1 {
		t.Fatalf("%d events, want one", len(events))
	}
	e := events[0]
	if !bytes.Equal(e.Raw, []byte(plain)) {
		t.Errorf("raw %q, want the document", e.Raw)
	}
	if e.Account != "vector" || e.ID == "" || e.Conversation == "" || e.Kind == engine.Unknown && e.Type == "" {
		t.Errorf("got %+v", e)
	}
}

func TestNegativeVectors(t *testing.T) {
	_, negative := readVectors(t)
	if len(negative) != 17 {
		t.Errorf("%d vectors, want 17", len(negative))
	}
	for _, v := range negative {
		t.Run(v.ID, func(t *testing.T) {
			receipt, refusal := receive(t, makeReceiver(t, nil, v.account()), v.request(t))
			if refusal == nil {
				t.Fatalf("taken: %+v", receipt)
			}
			if !slices.Contains(strings.Split(v.FailsAt, "|"), refusal.Reason) {
				t.Errorf("refused for %s, want %s", refusal.Reason, v.FailsAt)
			}
			want := 400
			if refusal.Reason == "signature" || refusal.Reason == "receive_id" {
				want = 403
			}
			if refusal.Answer.Status != want {
				t.Errorf("status %d, want %d", refusal.Answer.Status, want)
			}
		})
	}
}
