package qiwe

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// sender carries out the commands of one account.
type sender struct {
	name, guid string
	secret     string // of callbacks, for Register
	address    *url.URL
	header     http.Header
	secrets    []string
	client     *http.Client
	memory     channel.Memory
	now        func() time.Time
}

// deed is how an action is done here.
type deed struct {
	// request is the method and its params, without the guid. f is the uploaded
	// file of a deed that has one. Its error says what the command lacks.
	request func(c *engine.Command, f *upload) (method string, params map[string]any, err error)
	needs   []string
	file    fileType // what url points to; 0 = there is no file
	again   bool     // done twice it is done once
}

// deeds are the actions this channel has. Of what the page lists, those that
// concern labels as such, broadcasts and the device itself are left to Call.
var deeds = map[engine.Action]deed{
	engine.SendText:     {request: sendText},
	engine.SendImage:    {request: sendImage, needs: []string{"url"}, file: picture},
	engine.SendEmoji:    {request: sendGif, needs: []string{"url"}, file: picture},
	engine.SendFile:     {request: sendFile, needs: []string{"url"}, file: other},
	engine.SendVoice:    {request: sendVoice, needs: []string{"url", "duration"}, file: other},
	engine.SendVideo:    {request: sendVideo, needs: []string{"url"}, file: movie},
	engine.SendLink:     {request: sendLink, needs: []string{"title", "url"}},
	engine.SendMiniapp:  {request: sendMiniapp, needs: []string{"appId", "username", "pagePath"}},
	engine.SendContact:  {request: sendContact, needs: []string{"user"}},
	engine.SendLocation: {request: sendLocation, needs: []string{"latitude", "longitude"}},

	engine.RevokeMessage: {request: revoke, needs: []string{"msgServerId"}, again: true},

	engine.AcceptFriend: {request: acceptFriend, needs: []string{"userId"}, again: true},
	engine.AddFriend:    {request: addFriend, needs: []string{"userId"}},
	engine.SetRemark:    {request: setRemark, needs: []string{"remark"}, again: true},
	engine.SetLabel:     {request: setLabel, again: true},

	engine.CreateGroup:     {request: createGroup, needs: []string{"members"}},
	engine.AddMember:       {request: addMember},
	engine.RemoveMember:    {request: removeMember, needs: []string{"members"}, again: true},
	engine.AcceptGroup:     {request: acceptGroup, needs: []string{"url"}, again: true},
	engine.RenameGroup:     {request: renameGroup, needs: []string{"name"}, again: true},
	engine.SetAnnouncement: {request: setAnnouncement}, // each time tells the members anew
	engine.TransferGroup:   {request: transferGroup, needs: []string{"user"}, again: true},
	engine.LeaveGroup:      {request: inRoom("/room/quitRoom"), again: true},
	engine.DissolveGroup:   {request: inRoom("/room/dismissRoom"), again: true},
}

// Needs tells whether the platform has the action.
func (s *sender) Needs(a engine.Action) (params []string, can bool) {
	d, ok := deeds[a]
	return d.needs, ok
}

// Send makes one request that has an effect; a file is uploaded before it,
// which has none that anybody sees.
func (s *sender) Send(ctx context.Context, c *engine.Command) (note string, err error) {
	d, ok := deeds[c.Action]
	if !ok {
		return "", s.permanent("this channel has no action " + string(c.Action))
	}
	if name := channel.Lacking(c, d.needs); name != "" {
		return "", s.permanent(string(c.Action) + " needs the param " + name)
	}
	var f *upload
	if d.file != 0 {
		if f, err = s.upload(ctx, c, d.file); err != nil {
			return "", err
		}
	}
	method, params, err := d.request(c, f)
	if err != nil {
		return "", s.permanent(string(c.Action) + ": " + err.Error())
	}
	data, err := s.call(ctx, method, params)
	if err != nil && d.again {
		return "", channel.Harmless(err)
	}
	if err != nil {
		return "", err
	}
	return s.outcome(data)
}

// permanent fails without a request.
func (s *sender) permanent(note string) error {
	return (&channel.Call{Secrets: s.secrets}).Fail(channel.Permanent, 0, note)
}

// outcome reads the data of a success: what a later command needs of it, and
// whether a message went out, since a code of 0 does not say so.
func (s *sender) outcome(data json.RawMessage) (note string, err error) {
	var d struct {
		Sent        scalar `json:"isSendSuccess"`
		MsgServerID scalar `json:"msgServerId"`
		UID         scalar `json:"msgUniqueIdentifier"`
		Timestamp   scalar `json:"timestamp"`
		RoomID      scalar `json:"roomId"`
	}
	decode(data, &d)
	if d.Sent != "" && d.Sent != "1" {
		return "", s.permanent("the platform says that it was not sent (isSendSuccess " + string(d.Sent) + ")")
	}
	n := map[string]string{"roomId": d.RoomID.id()}
	if id := d.MsgServerID.id(); id != "" {
		n["msgServerId"], n["msgUniqueIdentifier"], n["timestamp"] = id, string(d.UID), string(d.Timestamp)
	}
	return channel.Note(n), nil
}
