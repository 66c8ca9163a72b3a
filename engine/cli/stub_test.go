package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/config"
	"bot/engine/stub"
)

func TestWhatIsTypedToTheStub(t *testing.T) {
	for line, want := range map[string]stub.Said{
		"u1: hello: you":       {User: "u1", Text: "hello: you"},
		"u1@g1: hello":         {User: "u1", Group: "g1", Text: "hello", Mention: engine.MentionMe},
		"/friend_added u1":     {Kind: engine.FriendAdded, User: "u1"},
		"/member_joined u1@g1": {Kind: engine.MemberJoined, User: "u1", Group: "g1", Mention: engine.MentionMe, Members: []string{"u1"}},
		"/offline":             {Kind: engine.Offline},
		"/online":              {Kind: engine.Online},
	} {
		if got, err := happening(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q reads %+v (%v), want %+v", line, got, err, want)
		}
	}
	for _, line := range []string{"hello", ": hello", "/nothing u1", "/friend_added", "/friend_added ", "/offline: why"} {
		if got, err := happening(line); err == nil {
			t.Errorf("%q reads %+v, want it refused", line, got)
		}
	}
}

func TestEveryChannelCanBePlayed(t *testing.T) {
	channels := slices.DeleteFunc(app.Channels(), func(c config.Channel) bool { return c.Uncalled }) // which are no platform
	for _, c := range channels {
		if _, err := protocolOf(c.Name); err != nil {
			t.Error(err)
		}
	}
	if len(protocols) != len(channels) {
		t.Errorf("%d stubs for %d channels", len(protocols), len(channels))
	}
	if _, err := protocolOf("pigeon"); err == nil || !strings.Contains(err.Error(), "generic, gewe, qiwe, wecom, wkteam") {
		t.Errorf("got %v, want the channels that there are", err)
	}
}
