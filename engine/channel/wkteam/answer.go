package wkteam

import "bot/engine/channel"

// autoAck is the success answer where the account does not say: what the
// platform's own services answer. It does not check it.
const autoAck = `{"code":"1000","message":"success","data":null}`

// refuse answers in the platform's own envelope, in which 1001 is failure.
func refuse(status int, reason, detail string) *channel.Refusal {
	return &channel.Refusal{Reason: reason, Detail: detail,
		Answer: channel.JSONAnswer(status, `{"code":"1001","message":"`+reason+`","data":null}`)}
}
