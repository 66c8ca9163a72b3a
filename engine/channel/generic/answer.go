package generic

import (
	"net/http"

	"bot/engine/channel"
)

// refuse makes the answer that senders of the body's form expect, whatever the
// account's `ack` says.
func refuse(b *body, reason, detail string) *channel.Refusal {
	r := &channel.Refusal{Reason: reason, Detail: detail, Answer: channel.TextAnswer(http.StatusBadRequest, "invalid_data")}
	if b.plainID != nil {
		r.Answer = channel.JSONAnswer(http.StatusBadRequest, `{"status":"error"}`)
	}
	return r
}
