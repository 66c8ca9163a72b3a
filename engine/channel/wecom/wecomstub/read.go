package wecomstub

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"bot/engine"
	"bot/engine/stub"
)

// Read tells what a call is. A request with a duplicate check is its own key,
// as customer service's is the message's id.
func (p *Platform) Read(c *stub.Call) {
	c.Authorized = p.authorizes(c)
	said := readObject(c.Body)
	msgType := said.text("msgtype")
	about := said.inner(msgType)
	switch path := strings.TrimPrefix(c.Path, "/cgi-bin/"); path {
	case "message/send":
		c.Action, c.To = messageTypes[msgType], said.text("touser")
		c.Text = cut(about.text("content"), maxText)
		if said.text("enable_duplicate_check") == "1" {
			sum := sha256.Sum256(c.Body)
			c.Key = "same/" + hex.EncodeToString(sum[:16])
		}
	case "appchat/send":
		c.Action, c.To, c.Text = messageTypes[msgType], "appchat/"+said.text("chatid"), about.text("content")
	case "appchat/create":
		c.Action, c.Text = engine.CreateGroup, said.text("name")
	case "webhook/send":
		c.Action, c.Text = messageTypes[msgType], about.text("content")
	case "externalcontact/send_welcome_msg":
		p.readWelcome(c, said)
	case "externalcontact/remark":
		c.Action, c.To = engine.SetRemark, said.text("external_userid")
	case "externalcontact/mark_tag":
		c.Action, c.To = engine.SetLabel, said.text("external_userid")
	case "kf/send_msg":
		c.Action, c.To = messageTypes[msgType], said.text("open_kfid")+"/"+said.text("touser")
		c.Text, c.Key = about.text("content"), keyOf(said)
	case "kf/send_msg_on_event":
		c.Action, c.To = messageTypes[msgType], p.conversation(said.text("code"))
		c.Text, c.Key = about.text("content"), keyOf(said)
	case "kf/service_state/trans":
		c.Action, c.To = engine.HandOver, said.text("open_kfid")+"/"+said.text("external_userid")
	case "aibot/response":
		c.Action, c.To, c.Text = messageTypes[msgType], p.conversation(c.Query.Get("response_code")), about.text("content")
	case "message/recall":
		c.Action = engine.RevokeMessage
	case "message/update_template_card":
		c.Action, c.To = engine.UpdateCard, p.conversation(said.text("response_code"))
	}
}

// readWelcome: a welcome is a text, with or without attachments, or one of these
// alone.
func (p *Platform) readWelcome(c *stub.Call, said object) {
	c.To = p.conversation(said.text("welcome_code"))
	if c.Text = said.inner("text").text("content"); c.Text != "" {
		c.Action = engine.SendText
		return
	}
	if all, _ := said["attachments"].([]any); len(all) > 0 {
		first, _ := all[0].(map[string]any)
		c.Action = messageTypes[object(first).text("msgtype")]
	}
}

func (p *Platform) conversation(code string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.codes.about(code)
}

func keyOf(said object) string {
	if id := said.text("msgid"); id != "" {
		return "kf/" + id
	}
	return ""
}

// cut is what is left of a text that is too long.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
