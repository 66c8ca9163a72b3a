package channeltest

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"bot/engine/channel"
)

// secrets are the forms in which an account's secrets could leak.
func (h *Harness) secrets() []string {
	var all []string
	for _, a := range h.Accounts {
		for _, s := range a.Secrets() {
			all = append(all, s, url.QueryEscape(s), base64.StdEncoding.EncodeToString([]byte(s)))
			if coded, ok := strings.CutPrefix(s, "whsec_"); ok {
				all = append(all, coded)
				if key, err := base64.StdEncoding.DecodeString(coded); err == nil {
					all = append(all, string(key))
				}
			}
		}
	}
	return all
}

// noSecret searches what an operator or a platform gets to read.
func (h *Harness) noSecret(t *testing.T, r channel.Receipt, err error) {
	t.Helper()
	texts := []string{string(r.Answer.Body), r.Foreign}
	switch e := err.(type) {
	case nil:
	case *channel.Refusal:
		texts = append(texts, e.Error(), e.Reason, e.Detail, string(e.Answer.Body))
	case *channel.SendError:
		texts = append(texts, e.Error(), e.Note)
	default:
		texts = append(texts, e.Error())
	}
	for _, s := range h.secrets() {
		for _, text := range texts {
			if strings.Contains(text, s) {
				t.Errorf("a secret shows in %q", text)
			}
		}
	}
}

func mustURL(t *testing.T, query string) *url.URL {
	t.Helper()
	u, err := url.Parse("/callback?" + query)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
