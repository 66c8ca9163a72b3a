package channel

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a signed callback.
const (
	WebhookID        = "Webhook-Id"
	WebhookTimestamp = "Webhook-Timestamp"
	WebhookSignature = "Webhook-Signature"
)

// DefaultSkew is how far a signed timestamp may lie from our clock where an
// account does not say.
const DefaultSkew = 5 * time.Minute

// maxStamp bounds a timestamp's digits: eleven reach the year 5138, and no
// arithmetic on them overflows.
const maxStamp = 11

// Webhook checks and makes signatures as Standard Webhooks 1.0 has them: the
// base64 of an HMAC-SHA256 over "id.timestamp.body". It is safe for concurrent
// use and never shows its key.
type Webhook struct {
	key  []byte
	skew time.Duration
}

// NewWebhook takes a secret as operators write it: base64 after "whsec_", any
// other text as its bytes. A skew of 0 means DefaultSkew. The error does not
// repeat the secret.
func NewWebhook(secret string, skew time.Duration) (*Webhook, error) {
	key := []byte(secret)
	if coded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		var err error
		if key, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(coded, "=")); err != nil {
			return nil, errors.New("secret: what follows whsec_ is not base64")
		}
	}
	if len(key) == 0 {
		return nil, errors.New("secret: the key is empty")
	}
	if skew == 0 {
		skew = DefaultSkew
	}
	return &Webhook{key: key, skew: skew}, nil
}

// Verify tells whether the headers sign body now. A nil error means yes; any
// other is a *Refusal with status 401 and the reason "signature" or, for a
// request that is signed well but too old or too new, "timestamp".
//
// The signature is judged first, so that "timestamp" always means that a clock
// is wrong or that a true request was repeated, never that somebody guessed.
func (w *Webhook) Verify(h http.Header, body []byte, now time.Time) error {
	id, stamp, signatures := h.Get(WebhookID), h.Get(WebhookTimestamp), h.Get(WebhookSignature)
	if id == "" || stamp == "" || signatures == "" {
		return unauthorized("signature", "a webhook header is missing")
	}
	if !w.signed(id, stamp, signatures, body) {
		return unauthorized("signature", "no signature matches")
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(stamp) > maxStamp {
		return unauthorized("timestamp", "the timestamp is not in Unix seconds")
	}
	if off := now.Sub(time.Unix(seconds, 0)); off.Abs() > w.skew {
		return unauthorized("timestamp", fmt.Sprintf("clock skew: signed %s, limit %s", ago(off), w.skew))
	}
	return nil
}

// signed looks for one signature that is ours among those the sender gives:
// while a key is being changed it signs with the old and the new one.
func (w *Webhook) signed(id, stamp, signatures string, body []byte) bool {
	want := []byte(w.signature(id, stamp, body))
	for s := range strings.SplitSeq(signatures, " ") {
		if subtle.ConstantTimeCompare([]byte(s), want) == 1 {
			return true
		}
	}
	return false
}

// Sign returns the headers that make body a signed request.
func (w *Webhook) Sign(id string, at time.Time, body []byte) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h := make(http.Header, 3)
	h.Set(WebhookID, id)
	h.Set(WebhookTimestamp, stamp)
	h.Set(WebhookSignature, w.signature(id, stamp, body))
	return h
}

func (w *Webhook) signature(id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func ago(off time.Duration) string {
	if off < 0 {
		return (-off).Round(time.Second).String() + " ahead"
	}
	return off.Round(time.Second).String() + " ago"
}

func unauthorized(reason, detail string) *Refusal {
	return &Refusal{Reason: reason, Detail: detail, Answer: Answer{
		Status: http.StatusUnauthorized, ContentType: "text/plain; charset=utf-8", Body: []byte("unauthorized"),
	}}
}
