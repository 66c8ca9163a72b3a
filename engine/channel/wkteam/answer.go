package wkteam

import (
	"net/http"
	"strings"

	"bot/engine/channel"
)

// The bodies of the success answer: what the platform's own services answer,
// and what other receivers of its callbacks do. It does not check them.
const (
	autoAck = `{"code":"1000","message":"success","data":null}`
	jsonAck = `{"status":"success"}`
)

// acknowledge is the success answer by the account's `ack`. Its body is shared
// by all requests.
func acknowledge(ack string) channel.Answer {
	switch {
	case ack == "", ack == "auto":
		return jsonAnswer(http.StatusOK, autoAck)
	case ack == "json":
		return jsonAnswer(http.StatusOK, jsonAck)
	case ack == "empty":
		return channel.Answer{Status: http.StatusOK}
	case strings.HasPrefix(ack, "{"), strings.HasPrefix(ack, "["):
		return jsonAnswer(http.StatusOK, ack)
	default: // "success" is such a text too
		return channel.Answer{Status: http.StatusOK, ContentType: "text/plain; charset=utf-8", Body: []byte(ack)}
	}
}

// refuse answers in the platform's own envelope, in which 1001 is failure.
func refuse(status int, reason, detail string) *channel.Refusal {
	return &channel.Refusal{Reason: reason, Detail: detail,
		Answer: jsonAnswer(status, `{"code":"1001","message":"`+reason+`","data":null}`)}
}

func jsonAnswer(status int, s string) channel.Answer {
	return channel.Answer{Status: status, ContentType: "application/json", Body: []byte(s)}
}
