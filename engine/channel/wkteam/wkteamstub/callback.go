package wkteamstub

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

// messageTypes are the messages that the stub can send, by the codes they have in
// private chats and in rooms after 60 and 80.
var messageTypes = map[string]string{
	"text": "001", "image": "002", "video": "003", "voice": "004", "link": "007", "file": "009", "quote": "014",
}

// Callback says what happened in the platform's words. It has none for an
// account's return: that is read from /queryLoginWx.
func (p *platform) Callback(target string, s stub.Said, _ int) (*http.Request, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data := map[string]any{"wId": p.wID}
	code, err := p.say(data, &s)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{
		"account": p.owner, "messageType": code, "wcId": p.self, "data": data,
	})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if p.secret != "" {
		r.Header.Set("Authorization", p.secret)
	}
	return r, nil
}

// say fills in data and returns the messageType.
func (p *platform) say(data map[string]any, s *stub.Said) (code string, err error) {
	if s.Kind == engine.Offline {
		p.reason = s.Text
		if p.reason == "" {
			p.reason = "账号已退出"
		}
		data["reason"] = p.reason
		return "30000", nil
	}
	id := messageID(s.ID)
	data["newMsgId"], data["msgId"], data["timestamp"] = id, id%1_000_000_000, s.Time.Unix()
	data["fromUser"], data["toUser"], data["self"] = s.User, p.self, false
	if s.Group != "" {
		data["fromGroup"] = s.Group
	}
	switch s.Kind {
	case engine.Message:
		return p.sayMessage(data, s)
	case engine.FriendRequest:
		v1, v2 := fmt.Sprintf("v3_%d@stranger", id), fmt.Sprintf("v4_%d@stranger", id)
		p.requests[v1] = application{s.User, v2}
		data["fromUser"] = "fmessage"
		data["content"] = fmt.Sprintf(`<msg fromusername="%s" encryptusername="%s" fromnickname="%s" content="%s" scene="14" ticket="%s" opcode="2" />`,
			escape(s.User), v1, escape(s.Name), escape(s.Text), v2)
		return "30001", nil
	case engine.FriendAdded:
		data["content"] = "你已添加了" + s.Name + "，现在可以开始聊天了。"
		return "60999", nil
	case engine.MemberJoined:
		data["content"] = `<sysmsg type="sysmsgtemplate"><sysmsgtemplate><content_template type="tmpl_type_profile"><plain></plain>` +
			`<template><![CDATA["$username$"邀请"$names$"加入了群聊]]></template><link_list>` +
			link("username", s.User) + link("names", s.Members...) +
			`</link_list></content_template></sysmsgtemplate></sysmsg>`
		return "85008", nil
	}
	return "", fmt.Errorf("wkteam has no callback for %s", s.Kind)
}

func (p *platform) sayMessage(data map[string]any, s *stub.Said) (code string, err error) {
	code, ok := messageTypes[s.Type]
	if !ok {
		return "", fmt.Errorf("the stub of wkteam has no message of type %s", s.Type)
	}
	switch s.Type {
	case "text":
		data["content"] = s.Text
	case "image":
		data["content"] = `<msg><img length="1" md5="00112233445566778899aabbccddeeff" /></msg>`
	case "video":
		data["content"] = `<msg><videomsg length="1" playlength="1" /></msg>`
	case "voice":
		data["content"], data["voiceLength"] = `<msg><voicemsg voicelength="1000" length="1" bufid="0" /></msg>`, 1000
	default:
		data["title"] = s.Text
		data["content"] = `<msg><appmsg><title>` + escape(s.Text) + `</title></appmsg></msg>`
	}
	switch s.Mention {
	case engine.MentionMe:
		data["atlist"] = []string{p.self}
	case engine.MentionAll:
		data["atlist"] = []string{"notify@all"}
	}
	if s.Group != "" {
		return "80" + code, nil
	}
	return "60" + code, nil
}

// messageID makes a message id of an identity: the platform's are 64-bit numbers.
func messageID(id string) int64 {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 {
		return n
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return int64(h.Sum64()>>1 | 1)
}

func link(name string, users ...string) string {
	var b strings.Builder
	b.WriteString(`<link name="` + name + `" type="link_profile"><memberlist>`)
	for _, u := range users {
		b.WriteString(`<member><username>` + escape(u) + `</username><nickname>` + escape(u) + `</nickname></member>`)
	}
	b.WriteString(`</memberlist></link>`)
	return b.String()
}

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
