package wecomstub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/channel/wecom/crypt"
	"bot/engine/stub"
)

// Callback says what happened, to an app in XML and to an AI bot in JSON,
// encrypted and signed anew at each repeat.
//
// For an app, a Group that begins with "wk" is a customer-service account: what
// is said there waits to be fetched, and the callback only rings. A new customer
// (friend_added) of Type "half" came without the member's consent, one of Type
// "begun" talks with the member already. The member is the first of Members.
func (p *Platform) Callback(target string, s stub.Said, repeat int) (*http.Request, error) {
	if p.secret == nil {
		return nil, errors.New("the account has no encoding_aes_key, without which WeCom cannot call")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var plain string
	var err error
	switch {
	case p.account.Form == "aibot":
		plain, err = p.botSays(&s)
	case p.account.Form == "robot":
		err = errors.New("a group robot has no callbacks")
	case strings.HasPrefix(s.Group, "wk"):
		plain, err = p.serviceSays(&s, repeat)
	default:
		plain, err = p.appSays(&s)
	}
	if err != nil {
		return nil, err
	}
	return p.seal(target, plain)
}

// seal makes the request that carries a document.
func (p *Platform) seal(target, plain string) (*http.Request, error) {
	m := p.secret.Seal(crypt.Random(), []byte(plain), p.now(), p.nextID("NONCE"))
	body := "<xml><ToUserName>" + crypt.CDATA(p.account.CorpID) + "</ToUserName><Encrypt>" + crypt.CDATA(m.Encrypt) + "</Encrypt></xml>"
	if p.account.Form == "aibot" {
		b, err := json.Marshal(map[string]string{"encrypt": m.Encrypt})
		if err != nil {
			return nil, err
		}
		body = string(b)
	}
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	u.RawQuery = url.Values{"msg_signature": {m.Signature}, "timestamp": {m.Timestamp}, "nonce": {m.Nonce}}.Encode()
	r, err := http.NewRequest(http.MethodPost, u.String(), bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "Mozilla/4.0")
	return r, nil
}

// document writes an XML document of the platform.
type document struct{ strings.Builder }

// put writes an element, if it has a text.
func (d *document) put(name, text string) {
	if text != "" {
		d.WriteString("<" + name + ">" + crypt.CDATA(text) + "</" + name + ">")
	}
}

// number writes an element as the platform writes numbers, without a section.
func (d *document) number(name string, n any) { fmt.Fprintf(d, "<%s>%v</%s>", name, n, name) }

// appSays is the document of what happened in an app.
func (p *Platform) appSays(s *stub.Said) (string, error) {
	var d document
	d.WriteString("<xml>")
	d.put("ToUserName", p.account.CorpID)
	var err error
	switch {
	case s.Kind == engine.Message:
		d.put("FromUserName", s.User)
		d.number("CreateTime", s.Time.Unix())
		err = writeMessage(&d, s)
		d.number("MsgId", messageID(s.ID))
		d.number("AgentID", p.account.AgentID)
	case s.Kind == engine.EnterChat, s.Kind == engine.Button:
		d.put("FromUserName", s.User)
		d.number("CreateTime", s.Time.Unix())
		d.put("MsgType", "event")
		p.pressed(&d, s)
		d.number("AgentID", p.account.AgentID)
	default:
		d.put("FromUserName", "sys")
		d.number("CreateTime", s.Time.Unix())
		d.put("MsgType", "event")
		err = p.changed(&d, s)
	}
	d.WriteString("</xml>")
	return d.String(), err
}

// writeMessage writes what a member says.
func writeMessage(d *document, s *stub.Said) error {
	d.put("MsgType", s.Type)
	switch s.Type {
	case "text":
		d.put("Content", s.Text)
	case "image":
		d.put("PicUrl", "https://wework.qpic.cn/wwpic/STUB/0")
		d.put("MediaId", "STUBMEDIA-"+s.ID)
	case "voice":
		d.put("MediaId", "STUBMEDIA-"+s.ID)
		d.put("Format", "amr")
	case "video":
		d.put("MediaId", "STUBMEDIA-"+s.ID)
		d.put("ThumbMediaId", "STUBTHUMB-"+s.ID)
	case "location":
		d.number("Location_X", "22.540503")
		d.number("Location_Y", "113.934528")
		d.number("Scale", 16)
		d.put("Label", s.Text)
	case "link":
		d.put("Title", s.Text)
		d.put("Url", "https://www.example.com/1")
	default:
		return fmt.Errorf("the stub of WeCom has no message of type %q", s.Type)
	}
	return nil
}

// pressed writes that the app was opened, or a button of a card was pressed,
// which may then be changed.
func (p *Platform) pressed(d *document, s *stub.Said) {
	if s.Kind == engine.EnterChat {
		d.put("Event", "enter_agent")
		return
	}
	code := "STUBCARD-" + s.ID
	p.codes.give(code, permit{about: s.User}, p.now().Add(cardLife))
	d.put("Event", "template_card_event")
	d.put("EventKey", s.Text)
	d.put("TaskId", "task-"+s.ID)
	d.put("CardType", "button_interaction")
	d.put("ResponseCode", code)
}

// messageID makes a message's id of an identity: the platform's are unsigned
// numbers of 64 bits.
func messageID(id string) string {
	if len(id) < 20 && strings.Trim(id, "0123456789") == "" {
		return id
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return strconv.FormatUint(h.Sum64(), 10)
}
