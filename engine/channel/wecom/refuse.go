package wecom

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"bot/engine/channel"
	"bot/engine/channel/wecom/crypt"
)

// open decrypts what the account's token signed.
func (a *account) open(s crypt.Sealed, now time.Time) ([]byte, error) {
	if err := a.fresh(s.Timestamp, now); err != nil {
		return nil, err
	}
	plain, err := a.secret.Key.Open(s.Encrypt, a.secret.ReceiveID)
	if err == nil {
		return plain, nil
	}
	e, _ := errors.AsType[*crypt.Error](err) // it is one
	if e.Stage == crypt.ReceiveID {
		return nil, refuse(string(e.Stage), http.StatusForbidden, fmt.Sprintf("%v; check receive_id of account %q", e, a.name))
	}
	// Retrying cannot help, so that no 5xx may be answered.
	return nil, refuse(string(e.Stage), http.StatusBadRequest, fmt.Sprintf("%v; check encoding_aes_key of account %q", e, a.name))
}

// fresh refuses what was signed too long ago or too far ahead. WeCom does not
// say what it tolerates itself.
func (a *account) fresh(timestamp string, now time.Time) error {
	if a.skew == 0 {
		return nil
	}
	const digits = 11 // reach the year 5138
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || len(timestamp) > digits {
		return refuse("timestamp", http.StatusForbidden, "the timestamp is not in Unix seconds")
	}
	if off := now.Sub(time.Unix(seconds, 0)); off.Abs() > a.skew {
		return refuse("timestamp", http.StatusForbidden, fmt.Sprintf(
			"signed at %d, our clock says %d, limit %s: check the clock, or max_skew of account %q", seconds, now.Unix(), a.skew, a.name))
	}
	return nil
}

// unreadable refuses a document that was for us and means nothing, with what
// identifies it, so that it can be looked for.
func unreadable(reason, detail string, d *node) *channel.Refusal {
	for _, name := range []string{"MsgType", "msgtype", "MsgId", "msgid", "Event", "ChangeType"} {
		if s := d.get(name); s != "" {
			const longest = 64
			detail += fmt.Sprintf(", %s %.*q", name, longest, s)
		}
	}
	return refuse(reason, http.StatusBadRequest, detail)
}

// refuse makes a refusal whose answer says no more than its status does.
func refuse(reason string, status int, detail string) *channel.Refusal {
	body := "invalid_data"
	if status == http.StatusForbidden {
		body = "forbidden"
	}
	return &channel.Refusal{Reason: reason, Detail: detail, Answer: channel.TextAnswer(status, body)}
}

// acknowledgement is the answer to an app's callbacks. A third-party suite must
// be answered the literal success, others may.
func acknowledgement(a *channel.Account) (channel.Answer, error) {
	switch a.Ack {
	case "", "auto", "success", "empty":
		return channel.Acknowledge(a.Ack, "success"), nil
	}
	return channel.Answer{}, a.Wrong("ack", "ack must be auto, success or empty: WeCom takes anything else for a reply to its user and drops it")
}
