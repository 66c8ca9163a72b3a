package gewe

import (
	"net/http"
	"strings"

	"bot/engine/channel"
)

// acknowledge is the success answer by the account's `ack`. Its body is shared
// by all requests. Any answer with status 200 will do, the page says, and
// `success` is the common one.
func acknowledge(ack string) channel.Answer {
	switch {
	case ack == "", ack == "auto", ack == "success":
		return text(http.StatusOK, "success")
	case ack == "json":
		return json200(`{"status":"success"}`)
	case ack == "empty":
		return channel.Answer{Status: http.StatusOK}
	case strings.HasPrefix(ack, "{"), strings.HasPrefix(ack, "["):
		return json200(ack)
	default:
		return text(http.StatusOK, ack)
	}
}

func json200(s string) channel.Answer {
	return channel.Answer{Status: http.StatusOK, ContentType: "application/json", Body: []byte(s)}
}

func text(status int, s string) channel.Answer {
	return channel.Answer{Status: status, ContentType: "text/plain; charset=utf-8", Body: []byte(s)}
}

func unreadable(reason, detail string) *channel.Refusal {
	return &channel.Refusal{Reason: reason, Detail: detail, Answer: text(http.StatusBadRequest, "bad request")}
}

// stranger answers as if there were nothing at this address, so that who lacks
// the secret does not learn that one is missing.
func stranger(detail string) *channel.Refusal {
	return &channel.Refusal{Reason: "signature", Detail: detail, Answer: text(http.StatusNotFound, "not found")}
}
