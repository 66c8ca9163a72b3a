package gewestub

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/stub"
)

// messageType is what a sort of message is called in v1.0 and in v2.0.
type messageType struct {
	v1 int
	v2 string
}

// messageTypes are the messages that the stub makes.
var messageTypes = map[string]messageType{
	"text": {1, "TEXT"}, "image": {3, "IMAGE"}, "file": {49, "FILE"}, "link": {49, "LINK"},
}

// Callback is one POST of one event: of structure v1.0, or of v2.0 where the
// account has a secret, which v1.0 knows nothing of, or where v1.0 has no word
// (online).
func (p *platform) Callback(target string, s stub.Said, _ int) (*http.Request, error) {
	if s.Kind == engine.Offline || s.Kind == engine.Online {
		p.mu.Lock()
		p.offline = s.Kind == engine.Offline
		p.mu.Unlock()
	}
	tell := p.v1
	if p.secret != "" || s.Kind == engine.Online {
		tell = p.v2
	}
	body, err := tell(&s)
	if err != nil {
		return nil, err
	}
	r, err := request(target, body)
	if err == nil && p.secret != "" {
		r.Header.Set("Authorization", p.secret)
	}
	return r, err
}

func (p *platform) Accepted(status int, _ []byte) bool { return status == http.StatusOK }

func request(target string, body any) (*http.Request, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, target, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

// messageID is a NewMsgId for an event: its own if it is a number that can be one,
// else one made of it.
func messageID(id string) json.Number {
	n, err := strconv.ParseInt(id, 10, 64)
	if err == nil && n > 9_999_999_999 { // a shorter one is taken for a time
		return json.Number(strconv.FormatInt(n, 10))
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return json.Number(fmt.Sprint(7_200_000_000_000_000_000 + h.Sum64()%1_000_000_000_000_000_000))
}

// v1 is the body of structure v1.0.
func (p *platform) v1(s *stub.Said) (any, error) {
	top := map[string]any{"TypeName": "AddMsg", "Appid": p.appID, "Wxid": p.self}
	switch s.Kind {
	case engine.Offline:
		top["TypeName"] = "Offline"
		return top, nil
	case engine.FriendAdded:
		top["TypeName"] = "ModContacts"
		if p.appID != "" {
			delete(top, "Wxid") // as in the vendor's own example
		}
		top["Data"] = map[string]any{
			"UserName": wrapped(s.User), "NickName": wrapped(s.Name), "Remark": wrapped(""), "BitVal": 3,
			"EncryptUserName": v3(s.User), "DeleteFlag": 0, "Source": 14,
		}
		return top, nil
	}
	from, msgType, content, err := p.said(s)
	if err != nil {
		return nil, err
	}
	if s.Group != "" {
		from, content = s.Group, from+":\n"+content
	}
	data := map[string]any{
		"MsgId": 1, "NewMsgId": messageID(s.ID), "MsgSeq": 1, "FromUserName": wrapped(from), "ToUserName": wrapped(p.self),
		"MsgType": msgType.v1, "Content": wrapped(content), "Status": 3, "CreateTime": s.Time.Unix(),
		"MsgSource": source(s, p.self),
	}
	if push := notification(s); push != "" {
		data["PushContent"] = push
	}
	top["Data"] = data
	return top, nil
}

// v2 is the body of structure v2.0.
func (p *platform) v2(s *stub.Said) (any, error) {
	top := map[string]any{"appid": p.appID, "wxid": p.self, "createTime": s.Time.UnixMilli()}
	switch s.Kind {
	case engine.Online:
		top["msgType"] = "LOGIN_SUCCESS"
		return top, nil
	case engine.Offline:
		top["msgType"] = "LOGOUT"
		return top, nil
	}
	from, msgType, content, err := p.said(s)
	if s.Kind == engine.FriendAdded {
		from, msgType.v2, content, err = s.User, "FRIEND_CONFIRM", "你已添加了"+s.Name+"，现在可以开始聊天了。", nil
	}
	if err != nil {
		return nil, err
	}
	top["msgType"], top["msgId"], top["newMsgId"] = msgType.v2, 1, messageID(s.ID)
	top["fromUser"], top["toUser"], top["isSelf"] = from, p.self, false
	top["content"], top["pushContent"] = content, notification(s)
	if s.Group != "" {
		top["fromGroup"] = s.Group
	}
	return top, nil
}

// said is what both structures have in common: from whom, what and how it is
// called.
func (p *platform) said(s *stub.Said) (from string, msgType messageType, content string, err error) {
	switch s.Kind {
	case engine.Message:
		msgType, known := messageTypes[s.Type]
		if !known {
			return "", msgType, "", fmt.Errorf("the gewe stub has no messages of type %q", s.Type)
		}
		return s.User, msgType, written(s), nil
	case engine.FriendRequest:
		return "fmessage", messageType{37, "FRIEND_VERIFY"}, fmt.Sprintf(
			`<msg fromusername=%s encryptusername=%s fromnickname=%s content=%s scene="14" ticket=%s opcode="2" alias="" />`,
			quoted(s.User), quoted(v3(s.User)), quoted(s.Name), quoted(s.Text), quoted("v4_"+s.ID+"@stranger")), nil
	case engine.MemberJoined:
		return s.Group, messageType{10002, "SYSTEM"}, invited(s), nil
	}
	return "", msgType, "", fmt.Errorf("the gewe stub cannot tell of %s", s.Kind)
}

// v3 is the same in a request and in the contact notice that follows it.
func v3(user string) string { return "v3_" + user + "@stranger" }

// wrapped is how v1.0 writes strings.
func wrapped(s string) map[string]any {
	if s == "" {
		return map[string]any{}
	}
	return map[string]any{"string": s}
}

// written is a text as it is written, anything else as XML.
func written(s *stub.Said) string {
	switch s.Type {
	case "image":
		return `<?xml version="1.0"?><msg><img aeskey="00" cdnmidimgurl="30" length="29980" md5="00" /></msg>`
	case "file":
		return `<msg><appmsg appid=""><title>` + escaped(s.Text) + `</title><type>6</type><appattach><totallen>10240</totallen></appattach></appmsg></msg>`
	case "link":
		return `<msg><appmsg appid=""><title>` + escaped(s.Text) + `</title><type>5</type><url>https://www.example.com/1</url></appmsg></msg>`
	}
	return s.Text
}

// source lists the mentioned, with the comma that the list may begin with.
func source(s *stub.Said, self string) string {
	list := map[engine.Mention]string{engine.MentionMe: "," + self, engine.MentionAll: "notify@all"}[s.Mention]
	if list == "" {
		return "<msgsource><signature>V1_STUB</signature></msgsource>"
	}
	return "<msgsource><atuserlist><![CDATA[" + list + "]]></atuserlist></msgsource>"
}

// notification is the notification on a phone.
func notification(s *stub.Said) string {
	switch {
	case s.Kind != engine.Message, s.Name == "":
		return ""
	case s.Mention == engine.MentionMe:
		return s.Name + "在群聊中@了你"
	case s.Mention == engine.MentionAll:
		return s.Name + "在群聊中@了所有人"
	}
	return s.Name + " : " + s.Text
}

// invited is the sentence about new members.
func invited(s *stub.Said) string {
	var members strings.Builder
	for _, id := range s.Members {
		members.WriteString(member(id, id))
	}
	return `<sysmsg type="sysmsgtemplate"><sysmsgtemplate><content_template type="tmpl_type_profile"><plain></plain>` +
		`<template><![CDATA["$username$"邀请"$names$"加入了群聊]]></template><link_list>` +
		`<link name="username" type="link_profile"><memberlist>` + member(s.User, s.Name) + `</memberlist></link>` +
		`<link name="names" type="link_profile"><memberlist>` + members.String() + `</memberlist></link>` +
		`</link_list></content_template></sysmsgtemplate></sysmsg>`
}

func member(id, name string) string {
	return "<member><username>" + escaped(id) + "</username><nickname>" + escaped(name) + "</nickname></member>"
}

func quoted(s string) string { return `"` + escaped(s) + `"` }

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}
