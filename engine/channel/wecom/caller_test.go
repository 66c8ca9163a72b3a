package wecom

import (
	"strings"
	"testing"

	"bot/engine/channel"
)

func TestAnyCall(t *testing.T) {
	r := appRig(t)
	caller := r.sender(t).(channel.Caller)
	r.says("externalcontact/get_corp_tag_list", `{"errcode":0,"errmsg":"ok","tag_group":[{"id":9007199254740993}]}`)
	got, err := caller.Call(t.Context(), "externalcontact/get_corp_tag_list", map[string]any{"tag_id": []any{"a"}})
	if err != nil || string(got) != `{"tag_group":[{"id":9007199254740993}]}` {
		t.Errorf("got %s, %v", got, err)
	}
	r.wantBody(t, "externalcontact/get_corp_tag_list", `{"tag_id":["a"]}`)
	if _, err := caller.Call(t.Context(), "message/send", map[string]any{"touser": "lina"}); err != nil {
		t.Error(err)
	}
	r.wantBody(t, "message/send", `{"agentid":1000002,"touser":"lina"}`)
	r.says("externalcontact/list", `{"errcode":0,"external_userid":["`+strings.Repeat("w", 100<<10)+`"]}`)
	list := map[string]any{"userid": "lina"}
	if got, err = caller.Call(channel.LongReplies(t.Context()), "externalcontact/list", list); err != nil || len(got) < 100<<10 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	if _, err = caller.Call(t.Context(), "externalcontact/list", list); err == nil || err.(*channel.SendError).Class != channel.Permanent {
		t.Errorf("%v, want it given up: it would be as long the next time", err)
	}
	r.wantBody(t, "externalcontact/list", "")
	if _, err = caller.Call(t.Context(), "GET tag/list", nil); err != nil {
		t.Error(err)
	}
	r.wantBody(t, "tag/list", "")
}

func TestCallsThatFail(t *testing.T) {
	r := appRig(t)
	caller := r.sender(t).(channel.Caller)
	for method, want := range map[string]channel.Class{
		"": channel.Permanent, "gettoken": channel.Permanent, "../secret": channel.Permanent, "a?b=c": channel.Permanent,
		"DELETE menu/get": channel.Permanent, "refused/call": channel.Halted, "lost/call": channel.Unsure, "GET lost/call": channel.Transient,
	} {
		r.says("refused/call", refuses(48002, "api forbidden"))
		r.says("lost/call", "")
		_, err := caller.Call(t.Context(), method, nil)
		if e, ok := err.(*channel.SendError); !ok || e.Class != want {
			t.Errorf("%q: got %v, want it %s", method, err, want)
		}
	}
}
