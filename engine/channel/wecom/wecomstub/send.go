package wecomstub

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine/stub"
)

// What an app may send.
const (
	maxText       = 2048 // bytes; what is longer is cut without a word
	maxRecipients = 1000
	memberMinute  = 30 // messages to one member within a minute
)

// send delivers to members, to all of those that exist.
func (p *Platform) send(c *stub.Call, said object) stub.Answer {
	if p.account.AgentID != 0 && said.text("agentid") != strconv.Itoa(p.account.AgentID) {
		return refusal(301002)
	}
	to := strings.FieldsFunc(said.text("touser"), func(r rune) bool { return r == '|' })
	if code := contentError(said, len(to) == 0 && said.text("toparty") == "" && said.text("totag") == "", len(to)); code != 0 {
		return refusal(code)
	}
	reached := slices.DeleteFunc(slices.Clone(to), isNobody)
	if len(to) > 0 && len(reached) == 0 {
		return refusal(81013)
	}
	now := p.now()
	if p.suppressed(c, said, now) {
		p.count.Suppressed++ // what is then answered is not documented
		return success(object{"msgid": p.nextID("MSG")})
	}
	for _, user := range reached {
		if p.members.full(strings.ToLower(user), memberMinute, now) {
			p.count.Dropped++
		}
	}
	missing := slices.DeleteFunc(to, func(user string) bool { return !isNobody(user) })
	answer := object{"msgid": p.nextID("MSG"), "invaliduser": strings.ToLower(strings.Join(missing, "|"))}
	if said.text("msgtype") == "template_card" {
		code := p.nextID("CARD")
		p.codes.give(code, permit{about: said.text("touser")}, now.Add(cardLife))
		answer["response_code"] = code
	}
	return success(answer)
}

func isNobody(user string) bool { return strings.HasPrefix(strings.ToLower(user), "nobody") }

// cardLife is how long a card may be changed.
const cardLife = 72 * time.Hour

// suppressed tells whether the request is one that was delivered within its
// own interval.
func (p *Platform) suppressed(c *stub.Call, said object, now time.Time) bool {
	if said.text("enable_duplicate_check") != "1" {
		return false
	}
	seconds, err := strconv.Atoi(said.text("duplicate_check_interval"))
	if err != nil || seconds <= 0 {
		seconds = 1800
	}
	if _, until, _ := p.delivered.get(c.Key); now.Before(until) {
		return true
	}
	p.delivered.put(c.Key, struct{}{}, now.Add(time.Duration(min(seconds, 4*3600))*time.Second))
	return false
}

// contentError finds what is wrong with a message.
func contentError(said object, nobody bool, recipients int) (errcode int) {
	msgType := said.text("msgtype")
	about := said.inner(msgType)
	switch {
	case nobody:
		return 82001
	case recipients > maxRecipients:
		return 40032
	case messageTypes[msgType] == "", msgType == "msgmenu", msgType == "stream", msgType == "link":
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

func (p *Platform) recall(c *stub.Call, said object) stub.Answer {
	if !strings.HasPrefix(said.text("msgid"), "STUBMSG") {
		return refusal(40058)
	}
	return success(nil)
}

func (p *Platform) updateCard(c *stub.Call, said object) stub.Answer {
	if !p.codes.take(said.text("response_code"), p.now()) {
		return refusal(60140)
	}
	return success(nil)
}

// createGroup makes a group that the app can write to.
func (p *Platform) createGroup(c *stub.Call, said object) stub.Answer {
	id := said.text("chatid")
	members, _ := said["userlist"].([]any)
	switch {
	case len(members) < 2:
		return refusal(40058)
	case id == "":
		id = p.nextID("CHAT")
	case p.groups[id]:
		return refusal(86215)
	}
	p.groups[id] = true
	return success(object{"chatid": id})
}

func (p *Platform) changeGroup(c *stub.Call, said object) stub.Answer {
	if !p.groups[said.text("chatid")] {
		return refusal(86003)
	}
	return success(nil)
}

func (p *Platform) sendGroup(c *stub.Call, said object) stub.Answer {
	if !p.groups[said.text("chatid")] {
		return refusal(86003)
	}
	if code := contentError(said, false, 1); code != 0 {
		return refusal(code)
	}
	return success(nil)
}
