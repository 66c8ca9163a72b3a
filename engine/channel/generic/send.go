package generic

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// sender carries out the commands of one account.
type sender struct {
	client  *http.Client
	base    string // without a slash at its end
	appID   string
	bearer  string // "" = no Authorization
	secrets []string
	now     func() time.Time
}

// endpoints are the actions this channel has, each with its path and what its
// body holds besides the appId.
var endpoints = map[engine.Action]struct {
	path string
	body func(c *engine.Command) map[string]any
}{
	engine.SendText: {"/v1/message/send_text", func(c *engine.Command) map[string]any {
		return map[string]any{"to": c.Conversation, "content": c.Text}
	}},
	engine.SendImage:    {"/v1/message/send_image", media},
	engine.SendFile:     {"/v1/message/send_file", media},
	engine.AcceptFriend: {"/v1/friend/accept", credential},
	engine.AddMember:    {"/v1/group/add_member", member},
}

// media passes the parameters on as they are: gateways differ in what they
// want to know of a file.
func media(c *engine.Command) map[string]any {
	m := parameters(c)
	m["to"] = c.Conversation
	return m
}

// credential sends what came with the friend request and nothing else.
func credential(c *engine.Command) map[string]any {
	return map[string]any{"scene": c.Params["scene"]}
}

func member(c *engine.Command) map[string]any {
	m := parameters(c)
	if _, ok := m["room_id"]; !ok {
		m["room_id"] = c.Conversation
	}
	return m
}

// parameters is a copy: a command is shared and never changed.
func parameters(c *engine.Command) map[string]any {
	m := make(map[string]any, len(c.Params)+2)
	maps.Copy(m, c.Params)
	return m
}

// Can tells whether there is an endpoint for the action.
func (s *sender) Can(a engine.Action) bool {
	_, ok := endpoints[a]
	return ok
}

// Send makes one request and judges the answer by its status (channel.Call)
// and, where that is 2xx, by its body (judge).
func (s *sender) Send(ctx context.Context, c *engine.Command) error {
	call := channel.Call{Secrets: s.secrets, Now: s.now}
	end, ok := endpoints[c.Action]
	if !ok {
		return call.Fail(channel.Permanent, 0, "this channel has no action "+string(c.Action))
	}
	fields := end.body(c)
	fields["appId"] = s.appID
	body, err := json.Marshal(fields)
	if err != nil {
		return call.Fail(channel.Permanent, 0, "encode command: "+err.Error())
	}
	call.URL, call.Body, call.Header = s.base+end.path, body, s.header(c.TaskID)
	reply, err := call.Do(ctx, s.client)
	if err != nil {
		return repeated(err)
	}
	if f := judge(&reply); f.class != "" {
		e := call.Fail(f.class, reply.Status, f.note)
		if f.class == channel.Throttled {
			e.Until, _ = channel.RetryAfter(reply.Header, s.now())
		}
		return e
	}
	return nil
}

func (s *sender) header(taskID string) http.Header {
	h := make(http.Header, 3)
	h.Set("Content-Type", "application/json")
	h.Set("Idempotency-Key", taskID)
	if s.bearer != "" {
		h.Set("Authorization", s.bearer)
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
