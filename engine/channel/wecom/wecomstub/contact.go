package wecomstub

import (
	"strings"
	"time"

	"bot/engine/stub"
)

// welcomeLife is how long a welcome code is good, from the event.
const welcomeLife = 20 * time.Second

// maxAttachments is how many a welcome may have, and maxWelcome how many bytes
// of text.
const (
	maxAttachments = 9
	maxWelcome     = 4000
)

// welcome greets a new customer, once.
func (p *Platform) welcome(c *stub.Call, said object) stub.Answer {
	code := said.text("welcome_code")
	given, _, _ := p.codes.get(code)
	text := said.inner("text").text("content")
	attachments, _ := said["attachments"].([]any)
	switch {
	case given != nil && given.begun:
		return refusal(41051)
	case text == "" && len(attachments) == 0:
		return refusal(44004)
	case len(text) > maxWelcome:
		return refusal(45002)
	case len(attachments) > maxAttachments:
		return refusal(45008)
	case !p.codes.take(code, p.now()):
		return refusal(41050)
	}
	return success(nil)
}

// changeContact takes remarks and labels of any customer.
func (p *Platform) changeContact(c *stub.Call, said object) stub.Answer {
	customer := said.text("external_userid")
	switch {
	case !strings.HasPrefix(customer, "wm") && !strings.HasPrefix(customer, "wo"):
		return refusal(84061)
	case said.text("userid") == "":
		return refusal(40003)
	}
	return success(nil)
}
