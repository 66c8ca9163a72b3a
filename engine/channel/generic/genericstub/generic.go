// Package genericstub is the platform of engine/channel/generic: a plain JSON
// gateway that knows a repeat by its Idempotency-Key.
package genericstub

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/stub"
)

type platform struct {
	appID, token string
	sign         *channel.Webhook // nil: not signed
	now          func() time.Time
}

// New is a stub.Maker. Of the account it uses AppID, Token and, to
// sign callbacks, Secret and MaxSkew; the error is for a Secret that is none.
func New(o *stub.Options) (stub.Protocol, error) {
	p := &platform{appID: o.Account.AppID, token: o.Account.Token, now: o.Now}
	if o.Account.Secret != "" {
		var err error
		if p.sign, err = channel.NewWebhook(o.Account.Secret, o.Account.MaxSkew); err != nil {
			return nil, err
		}
	}
	return p, nil
}

const failure = `{"status":"error"}`

func (p *platform) Read(c *stub.Call) {
	var said struct{ To, Content string }
	json.Unmarshal(c.Body, &said) // what is no text there is none here
	c.Key = c.Header.Get("Idempotency-Key")
	bearer, _ := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	c.Authorized = stub.Good(bearer, p.token)
	c.Action = engine.Action(c.Path[strings.LastIndexByte(c.Path, '/')+1:])
	if c.Path == "/v1/friend/accept" {
		c.Action = engine.AcceptFriend
	}
	c.To, c.Text = said.To, said.Content
}

// Answer takes a POST of a JSON object on any path, as gateways of this kind
// do, and refuses anything else. It does not ask who calls.
func (p *platform) Answer(c *stub.Call) stub.Answer {
	switch {
	case c.Method != http.MethodPost:
		return stub.Answer{Status: http.StatusMethodNotAllowed, Body: failure, Refused: true}
	case c.JSON() == nil:
		return stub.Answer{Status: http.StatusBadRequest, Body: failure, Refused: true}
	}
	return stub.Answer{Status: http.StatusOK, Body: `{"status":"success"}`}
}

func (p *platform) Throttled(wait time.Duration) stub.Answer {
	return stub.Answer{
		Status: http.StatusTooManyRequests, Body: failure, Refused: true,
		Header: map[string]string{"Retry-After": strconv.Itoa(int(math.Ceil(wait.Seconds())))},
	}
}

func (p *platform) Failed() stub.Answer {
	return stub.Answer{Status: http.StatusInternalServerError, Body: failure}
}

func (p *platform) Callback(target string, s stub.Said, _ int) (*http.Request, error) {
	m := map[string]any{"timestamp": s.Time.Unix()}
	for name, v := range map[string]string{"appId": p.appID, "nickname": s.Name, "content": s.Text} {
		if v != "" {
			m[name] = v
		}
	}
	switch s.Kind {
	case engine.Message:
		m["msg_id"], m["sender"] = s.ID, s.User
	case engine.FriendRequest:
		m["type"], m["eventId"], m["fromUser"], m["scene"] = "FRIEND_REQUEST", s.ID, s.User, "scene-"+s.ID
	case engine.FriendAdded:
		m["type"], m["eventId"], m["fromUser"] = "FRIEND_ADDED", s.ID, s.User
	case engine.Confirmed:
		delete(m, "content")
		m["type"], m["eventId"], m["taskId"], m["status"] = "COMMAND_RESULT", s.ID, s.User, "ok"
		if s.Text != "" {
			m["status"], m["reason"] = "failed", s.Text
		}
	default:
		m["type"], m["eventId"], m["fromUser"] = strings.ToUpper(string(s.Kind)), s.ID, s.User
	}
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if p.sign != nil {
		r.Header = p.sign.Sign("msg_"+s.ID, p.now(), body)
	}
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

func (p *platform) Accepted(status int, _ []byte) bool { return status == http.StatusOK }
