package wkteam

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// sender carries out the commands of one account.
type sender struct {
	client  *http.Client
	memory  channel.Memory
	now     func() time.Time
	base    *url.URL
	token   string
	name    string
	self    string
	wID     string // as configured
	secrets []string
}

// fields are the members of a request's body.
type fields map[string]any

// order is the request by which a command is carried out.
type order struct {
	path string
	body fields
}

// Needs tells whether the platform has the action. Actions that can be done in
// several ways name no param, and Send says what it misses.
func (s *sender) Needs(a engine.Action) (params []string, can bool) {
	act, ok := actions[a]
	return act.needs, ok
}

// OneToOne implements channel.OneToOne.
func (s *sender) OneToOne(conversation string) bool { return !wechat.IsRoom(conversation) }

// Send makes the request that carries out the command, after those that find out
// what it takes, and notes what the platform calls the result.
func (s *sender) Send(ctx context.Context, c *engine.Command) (note string, err error) {
	act, ok := actions[c.Action]
	if !ok {
		return "", s.never("this channel has no action " + string(c.Action))
	}
	if name := channel.Lacking(c, act.needs); name != "" {
		return "", s.never(string(c.Action) + " needs the param " + name)
	}
	o, err := act.order(ctx, s, c)
	if err != nil {
		return "", err
	}
	data, err := s.onInstance(ctx, o)
	if err != nil || act.note == nil {
		return "", err
	}
	return act.note(data), nil
}

// never fails a command that no request can be made of.
func (s *sender) never(note string) error { return s.fail(channel.Permanent, 0, note) }

// fail makes an error whose note is bounded and free of secrets.
func (s *sender) fail(class channel.Class, status int, note string) *channel.SendError {
	return (&channel.Call{Secrets: s.secrets}).Fail(class, status, note)
}

// look makes a request that changes nothing: whatever became of it, it can be
// made again.
func (s *sender) look(ctx context.Context, path string, body fields) (json.RawMessage, error) {
	data, err := s.onInstance(ctx, order{path, body})
	return data, channel.Harmless(err)
}

// request posts a body and takes the envelope off the answer.
func (s *sender) request(ctx context.Context, o order) (json.RawMessage, error) {
	call := channel.Call{URL: s.base.JoinPath(o.path), Secrets: s.secrets, Now: s.now,
		Header: http.Header{"Content-Type": {"application/json"}}}
	if s.token != "" {
		call.Header["Authorization"] = []string{s.token}
	}
	var err error
	if call.Body, err = json.Marshal(o.body); err != nil {
		return nil, call.Fail(channel.Permanent, 0, "encode command: "+err.Error())
	}
	reply, err := call.Do(ctx, s.client)
	if err != nil {
		return nil, err
	}
	data, class, note := judge(&reply)
	if class == "" {
		return data, nil
	}
	return nil, call.Denied(class, &reply, note, coolDown)
}
