package stub

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// What an app may send.
const (
	maxWecomText  = 2048 // bytes; what is longer is cut without a word
	maxRecipients = 1000
	memberMinute  = 30 // messages to one member within a minute
)

// send delivers to members, to all of those that exist.
func (w *wecom) send(c *Call, said object) Answer {
	if w.account.AgentID != 0 && said.text("agentid") != strconv.Itoa(w.account.AgentID) {
		return c.refuse(301002)
	}
	to := strings.FieldsFunc(said.text("touser"), func(r rune) bool { return r == '|' })
	if code := wecomContent(said, len(to) == 0 && said.text("toparty") == "" && said.text("totag") == "", len(to)); code != 0 {
		return c.refuse(code)
	}
	reached := slices.DeleteFunc(slices.Clone(to), isNobody)
	if len(to) > 0 && len(reached) == 0 {
		return c.refuse(81013)
	}
	now := w.now()
	if w.suppressed(c, said, now) {
		w.count.Suppressed++ // what is then answered is not documented
		return wecomAnswer(object{"msgid": w.nextID("MSG")})
	}
	for _, user := range reached {
		if w.members.full(strings.ToLower(user), memberMinute, now) {
			w.count.Dropped++
		}
	}
	missing := slices.DeleteFunc(to, func(user string) bool { return !isNobody(user) })
	answer := object{"msgid": w.nextID("MSG"), "invaliduser": strings.ToLower(strings.Join(missing, "|"))}
	if said.text("msgtype") == "template_card" {
		code := w.nextID("CARD")
		w.codes.give(code, wecomCode{until: now.Add(cardLife), about: said.text("touser")}, now)
		answer["response_code"] = code
	}
	return wecomAnswer(answer)
}

func isNobody(user string) bool { return strings.HasPrefix(strings.ToLower(user), "nobody") }

// cardLife is how long a card may be changed.
const cardLife = 72 * time.Hour

// suppressed tells whether the request is one that was delivered within its
// own interval.
func (w *wecom) suppressed(c *Call, said object, now time.Time) bool {
	if said.text("enable_duplicate_check") != "1" {
		return false
	}
	seconds, err := strconv.Atoi(said.text("duplicate_check_interval"))
	if err != nil || seconds <= 0 {
		seconds = 1800
	}
	for key, until := range w.delivered {
		if !now.Before(until) {
			delete(w.delivered, key)
		}
	}
	if _, known := w.delivered[c.Key]; known {
		return true
	}
	w.delivered[c.Key] = now.Add(time.Duration(min(seconds, 4*3600)) * time.Second)
	return false
}

// wecomContent finds what is wrong with a message.
func wecomContent(said object, nobody bool, recipients int) (errcode int) {
	msgType := said.text("msgtype")
	about := said.inner(msgType)
	switch {
	case nobody:
		return 82001
	case recipients > maxRecipients:
		return 40032
	case wecomTypes[msgType] == "", msgType == "msgmenu", msgType == "stream", msgType == "link":
		return 40008
	case (msgType == "text" || msgType == "markdown") && about.text("content") == "":
		return 44004
	case slices.Contains([]string{"image", "voice", "video", "file"}, msgType) && about.text("media_id") == "":
		return 40007
	case len(about) == 0:
		return 40058
	}
	return 0
}

func (w *wecom) recall(c *Call, said object) Answer {
	if !strings.HasPrefix(said.text("msgid"), "STUBMSG") {
		return c.refuse(40058)
	}
	return wecomAnswer(nil)
}

func (w *wecom) updateCard(c *Call, said object) Answer {
	if w.codes.take(said.text("response_code"), w.now()) == nil {
		return c.refuse(60140)
	}
	return wecomAnswer(nil)
}

// createGroup makes a group that the app can write to.
func (w *wecom) createGroup(c *Call, said object) Answer {
	id := said.text("chatid")
	members, _ := said["userlist"].([]any)
	switch {
	case len(members) < 2:
		return c.refuse(40058)
	case id == "":
		id = w.nextID("CHAT")
	case w.groups[id]:
		return c.refuse(86215)
	}
	w.groups[id] = true
	return wecomAnswer(object{"chatid": id})
}

func (w *wecom) changeGroup(c *Call, said object) Answer {
	if !w.groups[said.text("chatid")] {
		return c.refuse(86003)
	}
	return wecomAnswer(nil)
}

func (w *wecom) sendGroup(c *Call, said object) Answer {
	if !w.groups[said.text("chatid")] {
		return c.refuse(86003)
	}
	if code := wecomContent(said, false, 1); code != 0 {
		return c.refuse(code)
	}
	return wecomAnswer(nil)
}
