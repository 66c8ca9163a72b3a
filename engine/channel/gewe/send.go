package gewe

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
	base    *url.URL
	appID   string
	token   string
	signed  bool // callbacks carry the console's secret
	secrets []string
	header  http.Header
	now     func() time.Time
}

// fields are a request's body besides appId.
type fields map[string]any

// order is one request: where it goes and what it says. problem, if not "", is
// why there can be none.
type order struct {
	path    string
	body    fields
	problem string
}

// endpoint is how an action is done, and the params it cannot do without.
type endpoint struct {
	needs []string
	order func(c *engine.Command) order
}

// endpoints are the actions this channel has, but for set_label (see label).
var endpoints = map[engine.Action]endpoint{
	engine.SendText:    {nil, sendText},
	engine.SendImage:   {[]string{"url"}, sendImage},
	engine.SendFile:    {[]string{"url"}, sendFile},
	engine.SendVoice:   {[]string{"url", "duration"}, sendVoice},
	engine.SendVideo:   {[]string{"url", "cover_url", "duration"}, sendVideo},
	engine.SendLink:    {[]string{"title", "url"}, sendLink},
	engine.SendContact: {[]string{"user", "name"}, sendContact},
	engine.SendEmoji:   {[]string{"md5", "size"}, sendEmoji},
	engine.SendMiniapp: {miniappFields, sendMiniapp},
	engine.SendCard:    {[]string{"card"}, sendCard},
	engine.Forward:     {[]string{"type", "content"}, forward},

	engine.RevokeMessage: {revokeFields, revoke},

	engine.AcceptFriend: {[]string{"scene", "v3", "v4"}, acceptFriend},
	engine.AddFriend:    {nil, addFriend}, // one of two sets of params
	engine.DeleteFriend: {nil, deleteFriend},
	engine.SetRemark:    {[]string{"remark"}, setRemark},

	engine.CreateGroup:     {[]string{"members"}, createGroup},
	engine.AddMember:       {nil, addMember}, // one of two names
	engine.RemoveMember:    {[]string{"members"}, removeMember},
	engine.ApproveMember:   {[]string{"newMsgId", "msgContent"}, approveMember},
	engine.AcceptGroup:     {[]string{"url"}, acceptGroup},
	engine.RenameGroup:     {[]string{"name"}, renameGroup},
	engine.SetAnnouncement: {nil, setAnnouncement},
	engine.LeaveGroup:      {nil, roomOnly("/group/quitChatroom")},
	engine.DissolveGroup:   {nil, roomOnly("/group/disbandChatroom")},
}

// Needs tells whether the gateway has the action.
func (s *sender) Needs(a engine.Action) (params []string, can bool) {
	if a == engine.SetLabel {
		return nil, true
	}
	end, ok := endpoints[a]
	return end.needs, ok
}

// OneToOne implements channel.OneToOne.
func (s *sender) OneToOne(conversation string) bool { return !wechat.IsRoom(conversation) }

// Send makes the one request of an action. Only set_label reads first and makes
// labels that do not exist, which is harmless when repeated.
func (s *sender) Send(ctx context.Context, c *engine.Command) (note string, err error) {
	if problem := s.problem(c); problem != "" {
		return "", s.impossible(problem)
	}
	if c.Action == engine.SetLabel {
		return "", s.setLabel(ctx, c)
	}
	o := endpoints[c.Action].order(c)
	if o.problem != "" {
		return "", s.impossible(o.problem)
	}
	data, err := s.post(ctx, o.path, o.body)
	if err != nil {
		return "", err
	}
	return noteOf(data), nil
}

// problem finds what makes a command impossible whatever the gateway says.
func (s *sender) problem(c *engine.Command) string {
	needs, can := s.Needs(c.Action)
	if !can {
		return "this channel has no action " + string(c.Action)
	}
	if isNowhere(c.Conversation) {
		return "the message did not say which group it came from, so there is nowhere to answer"
	}
	if name := channel.Lacking(c, needs); name != "" {
		return string(c.Action) + " needs the param " + name
	}
	return ""
}

func (s *sender) call() channel.Call { return channel.Call{Secrets: s.secrets, Now: s.now} }

func (s *sender) impossible(problem string) error {
	call := s.call()
	return call.Fail(channel.Permanent, 0, problem)
}

// look makes a request that changes nothing anybody sees, so that it can be made
// again whatever became of it.
func (s *sender) look(ctx context.Context, path string, body fields) (json.RawMessage, error) {
	data, err := s.post(ctx, path, body)
	return data, channel.Harmless(err)
}

// post makes one request and takes the envelope off its answer.
func (s *sender) post(ctx context.Context, path string, body fields) (json.RawMessage, error) {
	call := s.call()
	if body == nil {
		body = fields{}
	}
	if path != setCallbackLocal && path != setCallbackCloud {
		body["appId"] = s.appID
	}
	var err error
	if call.Body, err = json.Marshal(body); err != nil {
		return nil, call.Fail(channel.Permanent, 0, "encode command: "+err.Error())
	}
	call.URL, call.Header = s.base.JoinPath(path), s.header
	reply, err := call.Do(ctx, s.client)
	if err != nil {
		return nil, err
	}
	data, f := judge(&reply)
	if f.class == "" {
		return data, nil
	}
	return nil, call.Denied(f.class, &reply, f.note, coolDown)
}
