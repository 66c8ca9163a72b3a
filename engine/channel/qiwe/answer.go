package qiwe

import (
	"net/http"

	"bot/engine/channel"
)

// accepted is the success answer where the account does not say. The platform
// looks at the status alone; this body is in use with it.
const accepted = `{"code":200,"msg":"ok"}`

// unreadable answers what is no JSON, and so nothing that the platform sends.
var unreadable = channel.JSONAnswer(http.StatusBadRequest, `{"code":400,"msg":"invalid_data"}`)

// acknowledge is the success answer by the account's `ack`, whose json is this
// platform's own.
func acknowledge(ack string) channel.Answer {
	if ack == "json" {
		ack = accepted
	}
	return channel.Acknowledge(ack, accepted)
}

// stranger refuses a callback without the secret.
func stranger() *channel.Refusal {
	return &channel.Refusal{
		Reason: "signature", Detail: "Authorization does not hold the secret",
		Answer: channel.TextAnswer(http.StatusUnauthorized, "unauthorized"),
	}
}
