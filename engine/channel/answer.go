package channel

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// Acknowledge is the success answer by an account's `ack`: json, empty, or a text
// that is the answer. auto is what it is where the account leaves it open. The
// body is shared by all requests.
func Acknowledge(ack, auto string) Answer {
	if ack == "" || ack == "auto" {
		ack = auto
	}
	switch {
	case ack == "json":
		return JSONAnswer(http.StatusOK, `{"status":"success"}`)
	case ack == "empty":
		return Answer{Status: http.StatusOK}
	case strings.HasPrefix(ack, "{"), strings.HasPrefix(ack, "["):
		return JSONAnswer(http.StatusOK, ack)
	}
	return TextAnswer(http.StatusOK, ack)
}

// JSONAnswer is an answer of JSON.
func JSONAnswer(status int, body string) Answer {
	return Answer{Status: status, ContentType: "application/json", Body: []byte(body)}
}

// TextAnswer is an answer of plain text.
func TextAnswer(status int, body string) Answer {
	return Answer{Status: status, ContentType: "text/plain; charset=utf-8", Body: []byte(body)}
}

// Authorized tells whether the header Authorization is the secret, as it is. An
// account without a secret asks for none.
func Authorized(h http.Header, secret string) bool {
	return secret == "" || subtle.ConstantTimeCompare([]byte(h.Get("Authorization")), []byte(secret)) == 1
}
