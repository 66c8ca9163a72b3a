package wecomstub

import (
	"encoding/json"
	"fmt"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

// What an AI bot may answer.
const (
	maxStream    = 20480 // bytes
	streamLife   = 6 * time.Minute
	responseLife = time.Hour
)

// botSays is the document of what happened to an AI bot.
func (p *Platform) botSays(s *stub.Said) (string, error) {
	o := p.botDocument(s)
	o["response_url"] = p.responseURL(s)
	o["msgtype"] = s.Type
	switch {
	case s.Kind == engine.Message && s.Type == "text":
		text := s.Text
		if s.Group != "" && len(p.account.Names) > 0 {
			text = "@" + p.account.Names[0] + " " + text
		}
		o["text"] = object{"content": text}
	case s.Kind == engine.Message && s.Type == "voice":
		o["voice"] = object{"content": s.Text}
	case s.Kind == engine.Message && (s.Type == "image" || s.Type == "file" || s.Type == "video"):
		o[s.Type] = object{"url": "https://ww-aibot-img.example.com/" + s.ID}
	case s.Kind == engine.Message:
		return "", fmt.Errorf("the stub of WeCom's AI bot has no message of type %q", s.Type)
	case s.Kind == engine.EnterChat:
		delete(o, "response_url")
		o.happened(s, "enter_chat", object{})
	case s.Kind == engine.Button:
		o.happened(s, "template_card_event", object{"card_type": "button_interaction", "event_key": s.Text, "task_id": "task-" + s.ID})
	case s.Kind == engine.Feedback:
		delete(o, "response_url")
		o.happened(s, "feedback_event", object{"id": "fb-" + s.ID, "type": 2, "content": s.Text, "inaccurate_reason_list": []int{2, 4}})
	default:
		return "", fmt.Errorf("WeCom's AI bot has no callback for %s", s.Kind)
	}
	b, err := json.Marshal(o)
	return string(b), err
}

// happened makes the document one of an event.
func (o object) happened(s *stub.Said, name string, about object) {
	o["msgtype"], o["create_time"] = "event", s.Time.Unix()
	o["event"] = object{"eventtype": name, name: about}
}

// botDocument is what all documents have in common.
func (p *Platform) botDocument(s *stub.Said) object {
	o := object{"msgid": s.ID, "aibotid": "STUBBOT", "chattype": "single", "from": object{"userid": s.User}}
	if s.Group != "" {
		o["chattype"], o["chatid"] = "group", s.Group
	}
	return o
}

// responseURL is where one message more can be posted, once and within the
// hour: at the account's base_url, or else where the platform itself has it.
func (p *Platform) responseURL(s *stub.Said) string {
	base := p.account.BaseURL
	if base == "" {
		base = "https://qyapi.weixin.qq.com"
	}
	code, about := "STUBRESPONSE-"+s.ID, s.User
	if s.Group != "" {
		about = s.Group
	}
	p.codes.give(code, permit{about: about}, s.Time.Add(responseLife))
	return base + "/cgi-bin/aibot/response?response_code=" + code
}

// respond takes what is posted to a response_url.
func (p *Platform) respond(c *stub.Call, said object) stub.Answer {
	msgType := said.text("msgtype")
	switch text := said.inner(msgType).text("content"); {
	case msgType != "markdown" && msgType != "template_card":
		return refusal(40008)
	case msgType == "markdown" && text == "":
		return refusal(44004)
	case len(text) > maxStream:
		return refusal(45002)
	case !p.codes.take(c.Query.Get("response_code"), p.now()):
		return refusal(60140)
	}
	return success(nil)
}
