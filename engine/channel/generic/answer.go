package generic

import (
	"net/http"
	"strings"

	"bot/engine/channel"
)

// typedAck and plainAck are the success answers to the two forms by the
// account's `ack`. Their bodies are shared by all requests.
func typedAck(ack string) channel.Answer {
	if ack == "" || ack == "auto" {
		ack = "success"
	}
	return acknowledge(ack)
}

func plainAck(ack string) channel.Answer {
	if ack == "" || ack == "auto" {
		ack = "json"
	}
	return acknowledge(ack)
}

func acknowledge(ack string) channel.Answer {
	switch {
	case ack == "json":
		return jsonAnswer(http.StatusOK, `{"status":"success"}`)
	case ack == "empty":
		return channel.Answer{Status: http.StatusOK}
	case strings.HasPrefix(ack, "{"), strings.HasPrefix(ack, "["):
		return jsonAnswer(http.StatusOK, ack)
	default:
		return textAnswer(http.StatusOK, ack)
	}
}

// refuse makes the answer that senders of the body's form expect, whatever the
// account's `ack` says.
func refuse(b *body, reason, detail string) *channel.Refusal {
	r := &channel.Refusal{Reason: reason, Detail: detail, Answer: textAnswer(http.StatusBadRequest, "invalid_data")}
	if b.plainID != nil {
		r.Answer = jsonAnswer(http.StatusBadRequest, `{"status":"error"}`)
	}
	return r
}

func textAnswer(status int, s string) channel.Answer {
	return channel.Answer{Status: status, ContentType: "text/plain; charset=utf-8", Body: []byte(s)}
}

func jsonAnswer(status int, s string) channel.Answer {
	return channel.Answer{Status: status, ContentType: "application/json", Body: []byte(s)}
}
