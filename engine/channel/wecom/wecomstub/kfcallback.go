package wecomstub

import (
	"fmt"
	"strings"

	"bot/engine"
	"bot/engine/stub"
)

// serviceSays puts what a customer did where it can be fetched, and rings.
func (p *Platform) serviceSays(s *stub.Said, repeat int) (string, error) {
	account, now := p.serviceOf(s.Group), p.now()
	item := object{"msgid": s.ID, "send_time": s.Time.Unix()}
	switch s.Kind {
	case engine.Message:
		item["open_kfid"], item["external_userid"], item["origin"] = s.Group, s.User, 3
		about, err := kfAbout(s)
		if err != nil {
			return "", err
		}
		item["msgtype"], item[s.Type] = s.Type, about
		if repeat == 0 {
			one := account.session(s.User)
			one.last, one.since = now, 0
			if one.state == 4 {
				one.state = 0
			}
		}
	case engine.EnterChat:
		code := "STUBKF-" + s.ID
		p.codes.give(code, permit{about: s.Group + "/" + s.User}, s.Time.Add(welcomeLife))
		item["origin"], item["msgtype"] = 4, "event"
		item["event"] = object{"event_type": "enter_session", "open_kfid": s.Group, "external_userid": s.User, "scene": "123", "welcome_code": code}
	case engine.Revoke:
		item["origin"], item["msgtype"] = 4, "event"
		item["event"] = object{"event_type": "user_recall_msg", "open_kfid": s.Group, "external_userid": s.User, "recall_msgid": s.Text}
	default:
		return "", fmt.Errorf("WeCom's customer service has no event for %s", s.Kind)
	}
	account.add(kfItem{at: s.Time, id: s.ID, body: item})
	token := "STUBBELL-" + s.ID
	account.tokens.put(token, struct{}{}, now.Add(kfTokenLife))
	var d document
	d.WriteString("<xml>")
	d.put("ToUserName", p.account.CorpID)
	d.number("CreateTime", s.Time.Unix())
	d.put("MsgType", "event")
	d.put("Event", "kf_msg_or_event")
	d.put("Token", token)
	d.put("OpenKfId", s.Group)
	d.WriteString("</xml>")
	return d.String(), nil
}

// kfAbout is what a customer says; a text that begins with "#" is the entry of
// that id in a menu.
func kfAbout(s *stub.Said) (object, error) {
	switch s.Type {
	case "text":
		if id, ok := strings.CutPrefix(s.Text, "#"); ok {
			return object{"content": "entry " + id, "menu_id": id}, nil
		}
		return object{"content": s.Text}, nil
	case "image", "voice", "video", "file":
		return object{"media_id": "STUBMEDIA-" + s.ID}, nil
	}
	return nil, fmt.Errorf("the stub of WeCom's customer service has no message of type %q", s.Type)
}

// addNotice puts an event of the platform's own behind what was said.
func (p *Platform) addNotice(s *service, id string, event object) {
	now := p.now()
	s.add(kfItem{at: now, id: id, body: object{
		"msgid": id, "send_time": now.Unix(), "origin": 4, "msgtype": "event", "event": event,
	}})
}
