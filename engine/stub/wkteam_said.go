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

// wkteamTypes are the messages that the stub can send, by the codes they have in
// private chats and in rooms after 60 and 80.
var wkteamTypes = map[string]string{
	"text": "001", "image": "002", "video": "003", "voice": "004", "link": "007", "file": "009", "quote": "014",
}

// callback says what happened in the platform's words. It has none for an
// account's return: that is read from /queryLoginWx.
func (w *wkteam) callback(target string, s Said, _ int) (*http.Request, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	data := map[string]any{"wId": w.wID}
	code, err := w.say(data, &s)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{
		"account": "dev-account-stub", "messageType": code, "wcId": w.self, "data": data,
	})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if w.secret != "" {
		r.Header.Set("Authorization", w.secret)
	}
	return r, nil
}

// say fills in data and returns the messageType.
func (w *wkteam) say(data map[string]any, s *Said) (code string, err error) {
	if s.Kind == engine.Offline {
		w.reason = s.Text
		if w.reason == "" {
			w.reason = "账号已退出"
		}
		data["reason"] = w.reason
		return "30000", nil
	}
	id := wkteamID(s.ID)
	data["newMsgId"], data["msgId"], data["timestamp"] = id, id%1_000_000_000, s.Time.Unix()
	data["fromUser"], data["toUser"], data["self"] = s.User, w.self, false
	if s.Group != "" {
		data["fromGroup"] = s.Group
	}
	switch s.Kind {
	case engine.Message:
		return w.sayMessage(data, s)
	case engine.FriendRequest:
		v1, v2 := fmt.Sprintf("v3_%d@stranger", id), fmt.Sprintf("v4_%d@stranger", id)
		w.requests[v1] = wkteamRequest{s.User, v2}
		data["fromUser"] = "fmessage"
		data["content"] = fmt.Sprintf(`<msg fromusername="%s" encryptusername="%s" fromnickname="%s" content="%s" scene="14" ticket="%s" opcode="2" />`,
			wkteamEscape(s.User), v1, wkteamEscape(s.Name), wkteamEscape(s.Text), v2)
		return "30001", nil
	case engine.FriendAdded:
		data["content"] = "你已添加了" + s.Name + "，现在可以开始聊天了。"
		return "60999", nil
	case engine.MemberJoined:
		data["content"] = `<sysmsg type="sysmsgtemplate"><sysmsgtemplate><content_template type="tmpl_type_profile"><plain></plain>` +
			`<template><![CDATA["$username$"邀请"$names$"加入了群聊]]></template><link_list>` +
			wkteamLink("username", s.User) + wkteamLink("names", s.Members...) +
			`</link_list></content_template></sysmsgtemplate></sysmsg>`
		return "85008", nil
	}
	return "", fmt.Errorf("wkteam has no callback for %s", s.Kind)
}

func (w *wkteam) sayMessage(data map[string]any, s *Said) (code string, err error) {
	code, ok := wkteamTypes[s.Type]
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
		data["content"] = `<msg><appmsg><title>` + wkteamEscape(s.Text) + `</title></appmsg></msg>`
	}
	switch s.Mention {
	case engine.MentionMe:
		data["atlist"] = []string{w.self}
	case engine.MentionAll:
		data["atlist"] = []string{"notify@all"}
	}
	if s.Group != "" {
		return "80" + code, nil
	}
	return "60" + code, nil
}

// wkteamID makes a message id of an identity: the platform's are 64-bit numbers.
func wkteamID(id string) int64 {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 {
		return n
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return int64(h.Sum64()>>1 | 1)
}

func wkteamLink(name string, users ...string) string {
	var b strings.Builder
	b.WriteString(`<link name="` + name + `" type="link_profile"><memberlist>`)
	for _, u := range users {
		b.WriteString(`<member><username>` + wkteamEscape(u) + `</username><nickname>` + wkteamEscape(u) + `</nickname></member>`)
	}
	b.WriteString(`</memberlist></link>`)
	return b.String()
}

func wkteamEscape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
