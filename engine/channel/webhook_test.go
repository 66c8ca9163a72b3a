package channel

import (
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func hook(t testing.TB, secret string) *Webhook {
	t.Helper()
	w, err := NewWebhook(secret, 5*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The example that the specification publishes.
func TestWebhookAgreesWithTheSpecification(t *testing.T) {
	w := hook(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	h := http.Header{}
	h.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	h.Set("webhook-timestamp", "1614265330")
	h.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	if err := w.Verify(h, []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)); err != nil {
		t.Error(err)
	}
}

func TestWebhookVerify(t *testing.T) {
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	body := []byte(`{"msg_id":"1"}`)
	tests := []struct {
		name   string
		at     time.Duration // of signing, from now
		change func(h http.Header)
		body   string
		want   string // reason of the refusal
	}{
		{name: "signed now"},
		{name: "at the old edge of the skew", at: -5 * time.Minute},
		{name: "at the new edge of the skew", at: 5 * time.Minute},
		{name: "older than the skew", at: -5*time.Minute - time.Second, want: "timestamp"},
		{name: "newer than the skew", at: 5*time.Minute + time.Second, want: "timestamp"},
		{name: "body changed by a space", body: `{"msg_id":"1"} `, want: "signature"},
		{name: "body changed and old", at: -time.Hour, body: "x", want: "signature"},
		{name: "no id", change: drop(WebhookID), want: "signature"},
		{name: "no timestamp", change: drop(WebhookTimestamp), want: "signature"},
		{name: "no signature", change: drop(WebhookSignature), want: "signature"},
		{name: "another id", change: put(WebhookID, "other"), want: "signature"},
		{name: "another timestamp", change: put(WebhookTimestamp, strconv.FormatInt(noon.Unix()+1, 10)), want: "signature"},
		{name: "ours is the second of three", change: func(h http.Header) {
			h.Set(WebhookSignature, "v1,bm90IHRoaXM= "+h.Get(WebhookSignature)+" v1a,AAAA")
		}},
		{name: "of a version that is not v1", change: func(h http.Header) {
			h.Set(WebhookSignature, "v2"+strings.TrimPrefix(h.Get(WebhookSignature), "v1"))
		}, want: "signature"},
		{name: "without a version", change: func(h http.Header) {
			h.Set(WebhookSignature, strings.TrimPrefix(h.Get(WebhookSignature), "v1,"))
		}, want: "signature"},
		{name: "cut short", change: func(h http.Header) {
			h.Set(WebhookSignature, h.Get(WebhookSignature)[:20])
		}, want: "signature"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := hook(t, secret)
			h := w.Sign("w-1", noon.Add(tt.at), body)
			if tt.change != nil {
				tt.change(h)
			}
			got := body
			if tt.body != "" {
				got = []byte(tt.body)
			}
			wantRefusal(t, w.Verify(h, got, noon), tt.want)
		})
	}
}

// A well-signed timestamp that is no number says that the sender is wrong, not
// that the key is.
func TestWebhookRefusesTimestampsThatAreNoSeconds(t *testing.T) {
	w := hook(t, "plain text")
	for _, stamp := range []string{"soon", "1e9", "-1", " 1", "99999999999999999999", "9223372036854775807", "1790000000000"} {
		h := w.Sign("i", noon, nil)
		h.Set(WebhookTimestamp, stamp)
		h.Set(WebhookSignature, w.signature("i", stamp, nil))
		wantRefusal(t, w.Verify(h, nil, noon), "timestamp")
	}
}

func TestNewWebhook(t *testing.T) {
	tests := []struct {
		name, secret, same string // same: a secret with the same key
		bad                bool
	}{
		{name: "other text is bytes", secret: "s3cret", same: "whsec_" + base64.StdEncoding.EncodeToString([]byte("s3cret"))},
		{name: "base64 may lack its padding", secret: "whsec_c2VjcmV0MQ", same: "secret1"},
		{name: "broken base64", secret: "whsec_not base64!", bad: true},
		{name: "an empty key", secret: "whsec_", bad: true},
		{name: "nothing", secret: "", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := NewWebhook(tt.secret, 0)
			if tt.bad {
				if err == nil {
					t.Fatal("accepted")
				}
				if tt.secret != "" && strings.Contains(err.Error(), strings.TrimPrefix(tt.secret, "whsec_")) && tt.secret != "whsec_" {
					t.Errorf("%v shows the secret", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Verify(hook(t, tt.same).Sign("i", noon, nil), nil, noon); err != nil {
				t.Error(err)
			}
		})
	}
}

func drop(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }

func put(name, v string) func(http.Header) { return func(h http.Header) { h.Set(name, v) } }

func wantRefusal(t *testing.T, err error, reason string) {
	t.Helper()
	if reason == "" {
		if err != nil {
			t.Errorf("got %v, want it verified", err)
		}
		return
	}
	r, ok := errors.AsType[*Refusal](err)
	if !ok || r.Reason != reason || r.Answer.Status != http.StatusUnauthorized {
		t.Errorf("got %v, want a refusal with 401 for %q", err, reason)
	}
}

// Whatever the headers hold, only who knows the key is let in, and no header
// makes the check fail otherwise than by a refusal.
func FuzzVerify(f *testing.F) {
	good := hook(f, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").Sign("id", noon, []byte("body"))
	f.Add("id", good.Get(WebhookTimestamp), good.Get(WebhookSignature), []byte("body"))
	f.Add("id", "-9223372036854775808", "v1,", []byte{})
	f.Add("", "9999999999999999999", "v1,AAAA v1,AAAA", []byte("."))
	f.Add("a.b", "1", "v1", []byte("c"))
	f.Fuzz(func(t *testing.T, id, stamp, signature string, body []byte) {
		w := hook(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
		h := http.Header{WebhookID: {id}, WebhookTimestamp: {stamp}, WebhookSignature: {signature}}
		err := w.Verify(h, body, noon)
		if err == nil {
			if !slices.Contains(strings.Split(signature, " "), w.signature(id, stamp, body)) {
				t.Errorf("let in %q %q %q", id, stamp, signature)
			}
			return
		}
		var r *Refusal
		if !errors.As(err, &r) || r.Answer.Status != http.StatusUnauthorized || r.Reason != "signature" && r.Reason != "timestamp" {
			t.Errorf("refused with %v", err)
		}
	})
}
