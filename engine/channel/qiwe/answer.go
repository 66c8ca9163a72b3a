package qiwe

import (
	"net/http"
	"strings"

	"bot/engine/channel"
)

// accepted is the success answer where the account does not say. The platform
// looks at the status alone; this body is in use with it.
const accepted = `{"code":200,"msg":"ok"}`

// unreadable answers what is no JSON, and so nothing that the platform sends.
var unreadable = answer(http.StatusBadRequest, `{"code":400,"msg":"invalid_data"}`)

// acknowledge is the success answer by the account's `ack`.
func acknowledge(ack string) channel.Answer {
	switch ack {
	case "", "auto", "json":
		return answer(http.StatusOK, accepted)
	case "empty":
		return channel.Answer{Status: http.StatusOK}
	}
	return answer(http.StatusOK, ack)
}

// stranger refuses a callback without the secret.
func stranger() *channel.Refusal {
	return &channel.Refusal{
		Reason: "signature", Detail: "Authorization does not hold the secret",
		Answer: answer(http.StatusUnauthorized, "unauthorized"),
	}
}

func answer(status int, body string) channel.Answer {
	kind := "text/plain; charset=utf-8"
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		kind = "application/json"
	}
	return channel.Answer{Status: status, ContentType: kind, Body: []byte(body)}
}
