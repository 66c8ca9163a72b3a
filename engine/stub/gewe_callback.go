package stub

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
)

// geweMsgType is what a sort of message is called in v1.0 and in v2.0.
type geweMsgType struct {
	v1 int
	v2 string
}

// geweMsgTypes are the messages that the stub makes.
var geweMsgTypes = map[string]geweMsgType{
	"text": {1, "TEXT"}, "image": {3, "IMAGE"}, "file": {49, "FILE"}, "link": {49, "LINK"},
}

// callback is one POST of one event: of structure v1.0, or of v2.0 where the
// account has a secret, which v1.0 knows nothing of, or where v1.0 has no word
// (online).
func (g *gewe) callback(target string, s Said, _ int) (*http.Request, error) {
	if s.Kind == engine.Offline || s.Kind == engine.Online {
		g.mu.Lock()
		g.offline = s.Kind == engine.Offline
		g.mu.Unlock()
	}
	tell := g.v1
	if g.secret != "" || s.Kind == engine.Online {
		tell = g.v2
	}
	body, err := tell(&s)
	if err != nil {
		return nil, err
	}
	r, err := geweRequest(target, body)
	if err == nil && g.secret != "" {
		r.Header.Set("Authorization", g.secret)
	}
	return r, err
}

func (g *gewe) accepted(status int, _ []byte) bool { return status == http.StatusOK }

func geweRequest(target string, body any) (*http.Request, error) {
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

// geweID is a NewMsgId for an event: its own if it is a number that can be one,
// else one made of it.
func geweID(id string) json.Number {
	n, err := strconv.ParseInt(id, 10, 64)
	if err == nil && n > 9_999_999_999 { // a shorter one is taken for a time
		return json.Number(strconv.FormatInt(n, 10))
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return json.Number(fmt.Sprint(7_200_000_000_000_000_000 + h.Sum64()%1_000_000_000_000_000_000))
}

// v1 is the body of structure v1.0.
func (g *gewe) v1(s *Said) (any, error) {
	top := map[string]any{"TypeName": "AddMsg", "Appid": g.appID, "Wxid": g.self}
	switch s.Kind {
	case engine.Offline:
		top["TypeName"] = "Offline"
		return top, nil
	case engine.FriendAdded:
		top["TypeName"] = "ModContacts"
		if g.appID != "" {
			delete(top, "Wxid") // as in the vendor's own example
		}
		top["Data"] = map[string]any{
			"UserName": geweString(s.User), "NickName": geweString(s.Name), "Remark": geweString(""), "BitVal": 3,
			"EncryptUserName": geweV3(s.User), "DeleteFlag": 0, "Source": 14,
		}
		return top, nil
	}
	from, msgType, content, err := g.said(s)
	if err != nil {
		return nil, err
	}
	if s.Group != "" {
		from, content = s.Group, from+":\n"+content
	}
	data := map[string]any{
		"MsgId": 1, "NewMsgId": geweID(s.ID), "MsgSeq": 1, "FromUserName": geweString(from), "ToUserName": geweString(g.self),
		"MsgType": msgType.v1, "Content": geweString(content), "Status": 3, "CreateTime": s.Time.Unix(),
		"MsgSource": geweSource(s, g.self),
	}
	if push := gewePush(s); push != "" {
		data["PushContent"] = push
	}
	top["Data"] = data
	return top, nil
}

// v2 is the body of structure v2.0.
func (g *gewe) v2(s *Said) (any, error) {
	top := map[string]any{"appid": g.appID, "wxid": g.self, "createTime": s.Time.UnixMilli()}
	switch s.Kind {
	case engine.Online:
		top["msgType"] = "LOGIN_SUCCESS"
		return top, nil
	case engine.Offline:
		top["msgType"] = "LOGOUT"
		return top, nil
	}
	from, msgType, content, err := g.said(s)
	if s.Kind == engine.FriendAdded {
		from, msgType.v2, content, err = s.User, "FRIEND_CONFIRM", "你已添加了"+s.Name+"，现在可以开始聊天了。", nil
	}
	if err != nil {
		return nil, err
	}
	top["msgType"], top["msgId"], top["newMsgId"] = msgType.v2, 1, geweID(s.ID)
	top["fromUser"], top["toUser"], top["isSelf"] = from, g.self, false
	top["content"], top["pushContent"] = content, gewePush(s)
	if s.Group != "" {
		top["fromGroup"] = s.Group
	}
	return top, nil
}

// said is what both structures have in common: from whom, what and how it is
// called.
func (g *gewe) said(s *Said) (from string, msgType geweMsgType, content string, err error) {
	switch s.Kind {
	case engine.Message:
		msgType, known := geweMsgTypes[s.Type]
		if !known {
			return "", msgType, "", fmt.Errorf("the gewe stub has no messages of type %q", s.Type)
		}
		return s.User, msgType, geweContent(s), nil
	case engine.FriendRequest:
		return "fmessage", geweMsgType{37, "FRIEND_VERIFY"}, fmt.Sprintf(
			`<msg fromusername=%s encryptusername=%s fromnickname=%s content=%s scene="14" ticket=%s opcode="2" alias="" />`,
			geweQuoted(s.User), geweQuoted(geweV3(s.User)), geweQuoted(s.Name), geweQuoted(s.Text), geweQuoted("v4_"+s.ID+"@stranger")), nil
	case engine.MemberJoined:
		return s.Group, geweMsgType{10002, "SYSTEM"}, geweInvited(s), nil
	}
	return "", msgType, "", fmt.Errorf("the gewe stub cannot tell of %s", s.Kind)
}

// geweV3 is the same in a request and in the contact notice that follows it.
func geweV3(user string) string { return "v3_" + user + "@stranger" }

// geweString is how v1.0 writes strings.
func geweString(s string) map[string]any {
	if s == "" {
		return map[string]any{}
	}
	return map[string]any{"string": s}
}

// geweContent is a text as it is written, anything else as XML.
func geweContent(s *Said) string {
	switch s.Type {
	case "image":
		return `<?xml version="1.0"?><msg><img aeskey="00" cdnmidimgurl="30" length="29980" md5="00" /></msg>`
	case "file":
		return `<msg><appmsg appid=""><title>` + geweEscaped(s.Text) + `</title><type>6</type><appattach><totallen>10240</totallen></appattach></appmsg></msg>`
	case "link":
		return `<msg><appmsg appid=""><title>` + geweEscaped(s.Text) + `</title><type>5</type><url>https://www.example.com/1</url></appmsg></msg>`
	}
	return s.Text
}

// geweSource lists the mentioned, with the comma that the list may begin with.
func geweSource(s *Said, self string) string {
	list := map[engine.Mention]string{engine.MentionMe: "," + self, engine.MentionAll: "notify@all"}[s.Mention]
	if list == "" {
		return "<msgsource><signature>V1_STUB</signature></msgsource>"
	}
	return "<msgsource><atuserlist><![CDATA[" + list + "]]></atuserlist></msgsource>"
}

// gewePush is the notification on a phone.
func gewePush(s *Said) string {
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

// geweInvited is the sentence about new members.
func geweInvited(s *Said) string {
	var members strings.Builder
	for _, id := range s.Members {
		members.WriteString(geweMember(id, id))
	}
	return `<sysmsg type="sysmsgtemplate"><sysmsgtemplate><content_template type="tmpl_type_profile"><plain></plain>` +
		`<template><![CDATA["$username$"邀请"$names$"加入了群聊]]></template><link_list>` +
		`<link name="username" type="link_profile"><memberlist>` + geweMember(s.User, s.Name) + `</memberlist></link>` +
		`<link name="names" type="link_profile"><memberlist>` + members.String() + `</memberlist></link>` +
		`</link_list></content_template></sysmsgtemplate></sysmsg>`
}

func geweMember(id, name string) string {
	return "<member><username>" + geweEscaped(id) + "</username><nickname>" + geweEscaped(name) + "</nickname></member>"
}

func geweQuoted(s string) string { return `"` + geweEscaped(s) + `"` }

func geweEscaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}
