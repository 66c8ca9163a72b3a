package channel

import (
	"net/http"
	"testing"
)

func TestAcknowledge(t *testing.T) {
	for _, tt := range []struct{ ack, auto, kind, body string }{
		{"", "success", "text/plain; charset=utf-8", "success"},
		{"auto", `{"code":200}`, "application/json", `{"code":200}`},
		{"auto", "json", "application/json", `{"status":"success"}`},
		{"json", "success", "application/json", `{"status":"success"}`},
		{"empty", "success", "", ""},
		{"ok", "success", "text/plain; charset=utf-8", "ok"},
		{"[]", "success", "application/json", "[]"},
	} {
		a := Acknowledge(tt.ack, tt.auto)
		if a.Status != http.StatusOK || a.ContentType != tt.kind || string(a.Body) != tt.body {
			t.Errorf("%q, by itself %q: %d %s %q", tt.ack, tt.auto, a.Status, a.ContentType, a.Body)
		}
	}
}

func TestAuthorized(t *testing.T) {
	for _, tt := range []struct {
		header, secret string
		want           bool
	}{
		{"s3cret", "s3cret", true}, {"s3cre", "s3cret", false}, {"s3crets", "s3cret", false}, {"Bearer s3cret", "s3cret", false},
		{"", "s3cret", false}, {"anything", "", true}, {"", "", true},
	} {
		if got := Authorized(http.Header{"Authorization": {tt.header}}, tt.secret); got != tt.want {
			t.Errorf("%q for %q: %v", tt.header, tt.secret, got)
		}
	}
	if Authorized(nil, "s3cret") {
		t.Error("no header is taken for the secret")
	}
}
