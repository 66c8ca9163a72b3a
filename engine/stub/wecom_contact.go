package stub

import (
	"strings"
	"time"
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
func (w *wecom) welcome(c *Call, said object) Answer {
	code := w.codes[said.text("welcome_code")]
	text := said.inner("text").text("content")
	attachments, _ := said["attachments"].([]any)
	switch {
	case code != nil && code.begun:
		return c.refuse(41051)
	case text == "" && len(attachments) == 0:
		return c.refuse(44004)
	case len(text) > maxWelcome:
		return c.refuse(45002)
	case len(attachments) > maxAttachments:
		return c.refuse(45008)
	case w.codes.take(said.text("welcome_code"), w.now()) == nil:
		return c.refuse(41050)
	}
	return wecomAnswer(nil)
}

// changeContact takes remarks and labels of any customer.
func (w *wecom) changeContact(c *Call, said object) Answer {
	customer := said.text("external_userid")
	switch {
	case !strings.HasPrefix(customer, "wm") && !strings.HasPrefix(customer, "wo"):
		return c.refuse(84061)
	case said.text("userid") == "":
		return c.refuse(40003)
	}
	return wecomAnswer(nil)
}
