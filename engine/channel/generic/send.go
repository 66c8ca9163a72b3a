package generic

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// sender carries out the commands of one account.
type sender struct {
	client    *http.Client
	addresses map[engine.Action]*url.URL // of the endpoints
	appID     string
	bearer    []string // the value of Authorization; nil = none
	secrets   []string
	confirm   bool
	now       func() time.Time
}

// endpoints are the actions this channel has, each with its path and its body.
var endpoints = map[engine.Action]struct {
	path  string
	body  func(appID string, c *engine.Command) any
	needs []string
}{
	engine.SendText:     {"/v1/message/send_text", text, nil},
	engine.SendImage:    {"/v1/message/send_image", media, []string{"url"}},
	engine.SendFile:     {"/v1/message/send_file", media, []string{"url"}},
	engine.AcceptFriend: {"/v1/friend/accept", credential, []string{"scene"}},
	engine.AddMember:    {"/v1/group/add_member", member, []string{"invited_wxid"}},
}

func text(appID string, c *engine.Command) any {
	return struct {
		AppID   string `json:"appId"`
		To      string `json:"to"`
		Content string `json:"content"`
	}{appID, c.Conversation, c.Text}
}

// media passes the parameters on as they are: gateways differ in what they
// want to know of a file.
func media(appID string, c *engine.Command) any {
	m := parameters(appID, c)
	m["to"] = c.Conversation
	return m
}

// credential sends what came with the friend request and nothing else.
func credential(appID string, c *engine.Command) any {
	return struct {
		AppID string `json:"appId"`
		Scene any    `json:"scene"`
	}{appID, c.Params["scene"]}
}

func member(appID string, c *engine.Command) any {
	m := parameters(appID, c)
	if _, ok := m["room_id"]; !ok {
		m["room_id"] = c.Conversation
	}
	return m
}

// parameters is a copy: a command is shared and never changed.
func parameters(appID string, c *engine.Command) map[string]any {
	m := make(map[string]any, len(c.Params)+2)
	maps.Copy(m, c.Params)
	m["appId"] = appID
	return m
}

// Needs tells whether there is an endpoint for the action.
func (s *sender) Needs(a engine.Action) (params []string, can bool) {
	end, ok := endpoints[a]
	return end.needs, ok
}

// Awaits implements channel.Confirmer: gateways speak of a command by the key that
// its requests bear.
func (s *sender) Awaits(c *engine.Command, _ string) string {
	if !s.confirm {
		return ""
	}
	return c.TaskID
}

// Send makes one request and judges the answer by its status (channel.Call)
// and, where that is 2xx, by its body (judge). Gateways of this kind do not say
// what their answers hold, so none of it is noted.
func (s *sender) Send(ctx context.Context, c *engine.Command) (note string, err error) {
	return "", s.send(ctx, c)
}

func (s *sender) send(ctx context.Context, c *engine.Command) error {
	call := channel.Call{Repeats: true, Secrets: s.secrets, Now: s.now} // by Idempotency-Key
	end, ok := endpoints[c.Action]
	if !ok {
		return call.Fail(channel.Permanent, 0, "this channel has no action "+string(c.Action))
	}
	if name := channel.Lacking(c, end.needs); name != "" {
		return call.Fail(channel.Permanent, 0, string(c.Action)+" needs the param "+name)
	}
	body, err := json.Marshal(end.body(s.appID, c))
	if err != nil {
		return call.Fail(channel.Permanent, 0, "encode command: "+err.Error())
	}
	call.URL, call.Body, call.Header = s.addresses[c.Action], body, s.header(c.TaskID)
	reply, err := call.Do(ctx, s.client)
	if err != nil {
		return repeated(err)
	}
	if f := judge(&reply); f.class != "" {
		return call.Denied(f.class, &reply, f.note, 0)
	}
	return nil
}

var contentType = []string{"application/json"}

// header holds names in their canonical form.
func (s *sender) header(taskID string) http.Header {
	h := http.Header{"Content-Type": contentType, "Idempotency-Key": {taskID}}
	if s.bearer != nil {
		h["Authorization"] = s.bearer
	}
	return h
}

// repeated softens a 409. A gateway that honours Idempotency-Key answers so
// while it still works on an earlier attempt; asking again later, with the same
// key, brings the result of that one.
func repeated(err error) error {
	if e, ok := errors.AsType[*channel.SendError](err); ok && e.Status == http.StatusConflict {
		e.Class = channel.Transient
	}
	return err
}
