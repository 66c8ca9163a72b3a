package gewe

import (
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel/channeltest"
)

func TestMembers(t *testing.T) {
	link := func(name string, ids ...string) string {
		s := `<link name="` + name + `" type="link_profile"><memberlist>`
		for _, id := range ids {
			s += "<member><username>" + id + "</username><nickname><![CDATA[" + strings.ToUpper(id) + "]]></nickname></member>"
		}
		return s + "</memberlist></link>"
	}
	sentence := func(words string, links ...string) string {
		return v1(group, self, "10002", group+":\n<sysmsg type=\"sysmsgtemplate\"><sysmsgtemplate><content_template type=\"tmpl_type_profile\">"+
			"<template><![CDATA["+words+"]]></template><link_list>"+strings.Join(links, "")+"</link_list></content_template></sysmsgtemplate></sysmsg>", "")
	}
	tests := []struct {
		name, body string
		kind       engine.Kind
		actor      string
		members    []string
	}{
		{"invited", sentence(`"$username$"邀请"$names$"加入了群聊`, link("username", "a"), link("names", "b", "c")), engine.MemberJoined, "a", []string{"b", "c"}},
		{"invited, in English", sentence(`$username$ invited $names$ to the group chat`, link("username", "a"), link("names", "b")), engine.MemberJoined, "a", []string{"b"}},
		{"invited by us", sentence(`你邀请"$names$"加入了群聊`, link("names", "b")), engine.MemberJoined, self, []string{"b"}},
		{"by a code", sentence(`"$adder$"通过扫描"$from$"分享的二维码加入群聊`, link("adder", "b"), link("from", "a")), engine.MemberJoined, "a", []string{"b"}},
		{"by our code", sentence(`"$adder$"通过扫描你分享的二维码加入群聊`, link("adder", "b")), engine.MemberJoined, self, []string{"b"}},
		{"removed", sentence(`你将"$kickoutname$"移出了群聊`, link("kickoutname", "b")), engine.MemberRemoved, self, []string{"b"}},
		{"dissolved", sentence(`群主"$identity$"已解散该群聊`, link("identity", "a")), engine.GroupDissolved, "a", nil},
		{"we were invited", sentence(`"$username$"邀请你加入了群聊，群聊参与人还有：$others$`, link("username", "a"), link("others", "c")), engine.GroupCreated, "a", []string{self}},
		{"something else", sentence(`"$username$"做了什么`, link("username", "a")), engine.Unknown, "", nil},
		{"removed, as a line", v1(group, self, "10000", `你将"小测"移出了群聊`, ""), engine.MemberRemoved, self, nil},
		{"v2.0, removed under the word for being removed", v2("REMOVE_FROM_GROUP", group, self, `你将"小测"移出了群聊`, ""), engine.MemberRemoved, self, nil},
		{"we own it now", v1(group, self, "10000", "你已成为新群主", ""), engine.GroupOwnerChanged, "", []string{self}},
		{"v2.0, dissolved, in no language we know", v2("GROUP_DISMISS", group, self, "x", ""), engine.GroupDissolved, "", nil},
		{"asks to come in", v1(group, self, "10002", `<sysmsg type="NewXmlChatRoomAccessVerifyApplication"><NewXmlChatRoomAccessVerifyApplication>`+
			`<inviterusername>a</inviterusername><link><memberlist><member><username>b</username></member></memberlist></link>`+
			`</NewXmlChatRoomAccessVerifyApplication></sysmsg>`, ""), engine.JoinRequest, "a", []string{"b"}},
	}
	r := mustReceiver(t, channeltest.Host(t), shop())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := receive(t, r, []byte(tt.body))
			if e.Kind != tt.kind || e.Actor != tt.actor || !slices.Equal(e.Members, tt.members) || e.Self {
				t.Errorf("%s by %q of %q", e.Kind, e.Actor, e.Members)
			}
			if e.Conversation != group || !e.Group {
				t.Errorf("in %q", e.Conversation)
			}
			if e.MemberNames != nil && (len(e.MemberNames) != len(e.Members) || e.MemberNames[0] != strings.ToUpper(e.Members[0])) {
				t.Errorf("%q are called %q", e.Members, e.MemberNames)
			}
		})
	}
}

// A link's title is its sender's; only the address makes it an invitation.
func TestInvitations(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for address, want := range map[string]engine.Kind{
		"https://support.weixin.qq.com/cgi-bin/mmsupport-bin/addchatroombyinvite?ticket=1": engine.GroupInvitation,
		"https://evil.example.com/addchatroombyinvite?ticket=1":                            engine.Message,
		"https://support.weixin.qq.com.evil.example.com/addchatroombyinvite":               engine.Message,
	} {
		e := receive(t, r, []byte(v2("LINK", friend, self, "<msg><appmsg><title>邀请你加入群聊</title><type>5</type><url>"+address+"</url></appmsg></msg>", "")))
		if e.Kind != want || e.Params["url"] != address {
			t.Errorf("%s: %s with %v", address, e.Kind, e.Params)
		}
	}
}

// Where the XML of v2.0 does not tell, the platform's word does.
func TestWordsOfV2(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for word, want := range map[string]string{
		"FILE": "file", "QUOTE": "quote", "MINI_PROGRAM": "miniapp", "TRANSFER": "transfer", "CHAT_RECORD": "chat_record",
		"RED_PACKET": "red_packet", "LINK": "link", "FINDER_FEED": "link",
	} {
		e := receive(t, r, []byte(v2(word, friend, self, "<msg><appmsg><title>x", "")))
		if e.Kind != engine.Message || e.Type != want {
			t.Errorf("%s: %s of type %q", word, e.Kind, e.Type)
		}
	}
	if e := receive(t, r, []byte(v2("APP_MSG", friend, self, "<msg><appmsg><type>3</type></appmsg></msg>", ""))); e.Kind != engine.Unknown || e.Type != "APP_MSG/3" {
		t.Errorf("music: %s of type %q", e.Kind, e.Type)
	}
}
