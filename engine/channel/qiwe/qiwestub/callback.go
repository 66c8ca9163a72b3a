package qiwestub

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/stub"
)

// notices are the msgTypes of what happened to a contact or a group.
var notices = map[engine.Kind]int{
	engine.FriendRequest: 2357, engine.FriendAdded: 2131, engine.ContactChanged: 2131, engine.FriendLost: 2313,
	engine.GroupRenamed: 1001, engine.MemberJoined: 1002, engine.MemberRemoved: 1003, engine.MemberLeft: 1005,
	engine.GroupCreated: 1006, engine.GroupOwnerChanged: 1022, engine.GroupDissolved: 1023,
}

// Callback is one POST with one event. Deliveries of one event differ in their
// requestId alone.
func (p *platform) Callback(target string, s stub.Said, _ int) (*http.Request, error) {
	event, err := p.event(&s)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"code": 0, "msg": "成功", "data": []any{event}})
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

func (p *platform) event(s *stub.Said) (map[string]any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	event := map[string]any{
		"guid": p.guid, "userId": p.self, "requestId": "req-" + strconv.Itoa(p.requests), "timestamp": s.Time.Unix(),
	}
	switch s.Kind {
	case engine.Offline, engine.Online:
		p.offline = s.Kind == engine.Offline
		event["cmd"], event["msgData"] = 11016, p.connection(s)
		return event, nil
	}
	serial := int64(crc32.ChecksumIEEE([]byte(s.ID)))
	event["msgServerId"], event["seq"] = firstMessage+serial, 9_000_000_000+serial
	event["senderName"], event["fromRoomId"], event["isRoomNotice"] = "", "0", 0
	event["msgUniqueIdentifier"] = s.ID
	if s.Group != "" {
		event["fromRoomId"] = s.Group
	}
	if s.Kind == engine.Message {
		return event, p.message(event, s)
	}
	return event, p.notice(event, s)
}

func (p *platform) message(event map[string]any, s *stub.Said) error {
	if s.Type != "text" {
		return fmt.Errorf("the stub of qiwe has no message of type %q", s.Type)
	}
	at := []any{}
	switch s.Mention {
	case engine.MentionMe:
		at = append(at, map[string]any{"userId": p.self, "nickname": "小助手"})
	case engine.MentionAll:
		at = append(at, map[string]any{"userId": "0", "nickname": "所有人"})
	}
	event["cmd"], event["msgType"], event["senderId"], event["receiverId"] = 15000, 2, s.User, p.self
	if s.Group != "" {
		event["receiverId"] = "0"
	}
	event["senderName"] = s.Name
	event["msgData"] = map[string]any{"content": s.Text, "atList": at}
	return nil
}

func (p *platform) notice(event map[string]any, s *stub.Said) error {
	msgType, ok := notices[s.Kind]
	if !ok {
		return fmt.Errorf("qiwe tells nothing of the kind %q", s.Kind)
	}
	event["cmd"], event["msgType"] = 15500, msgType
	if s.Kind.OfFriend() {
		event["senderId"], event["receiverId"] = "0", p.self
		about := map[string]any{"contactId": s.User, "userId": p.self}
		if s.Kind == engine.FriendRequest {
			p.friends[s.User] = false
			about["contactNickname"], about["contactType"], about["applyTime"] = s.Name, "微信", s.Time.Unix()
		} else {
			event["msgUniqueIdentifier"] = "contact_change" // the same word for each
		}
		event["msgData"] = about
		return nil
	}
	event["senderId"], event["receiverId"], event["isRoomNotice"] = s.User, "0", 1
	about := map[string]any{}
	if len(s.Members) > 0 {
		list := strings.Join(s.Members, ";") + ";"
		about["changedMemberList"] = base64.StdEncoding.EncodeToString([]byte(list))
	}
	event["msgData"] = about
	return nil
}

// connection is the data of a status event.
func (p *platform) connection(s *stub.Said) map[string]any {
	m := map[string]any{"guid": p.guid, "code": 11001, "msg": s.Text, "status": 2, "serverReboot": 0}
	if s.Kind == engine.Offline {
		m["code"], m["status"] = 11002, 0
	}
	return m
}
