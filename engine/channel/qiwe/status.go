package qiwe

import (
	"strings"

	"bot/engine"
)

// status reads whether the account is connected: code 11001 or status 2 says
// yes, everything else no. Its conversation is the device, with which nobody
// talks: so going and coming keep their order.
func (a *account) status(v *event) *engine.Event {
	d := v.data()
	e := a.base(v)
	e.Kind, e.Text = engine.Offline, string(d.Msg)
	if d.Code == "11001" || d.Status == "2" {
		e.Kind = engine.Online
	}
	if v.GUID != "" {
		e.Conversation = bounded(strings.ToLower(string(v.GUID)))
	}
	p := params{}
	p.set("code", string(d.Code))
	p.set("status", string(d.Status))
	e.Params = p.orNil()
	return e
}

// result reads what came of a call that the platform answers later. The
// request's id belongs to that call, and nobody can be answered in it.
func (a *account) result(v *event) *engine.Event {
	e := a.base(v)
	e.Kind = engine.AsyncResult
	if v.RequestID != "" {
		e.ID = bounded(string(v.RequestID))
		e.Conversation = e.ID
	}
	d := v.data()
	p := params{}
	p.set("requestId", string(v.RequestID))
	p.set("cloudUrl", string(d.CloudURL))
	d.media(file, p)
	e.Params = p.orNil()
	return e
}
