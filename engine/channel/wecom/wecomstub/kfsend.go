package wecomstub

import (
	"strings"

	"bot/engine/stub"
)

// sendService writes to a customer within the window. That it is taken does not
// mean that it arrives.
func (p *Platform) sendService(c *stub.Call, said object) stub.Answer {
	id, customer := said.text("open_kfid"), said.text("touser")
	if p.service[id] == nil {
		return refusal(95000)
	}
	s := p.service[id]
	one := s.session(customer)
	code := serviceContentError(said)
	switch {
	case code != 0:
	case one.state == 4:
		code = 95013
	case one.state > 1:
		code = 95018
	case one.last.IsZero() || p.now().Sub(one.last) > kfWindow:
		code = 95002
	case one.since >= kfMessages:
		code = 95001
	}
	if code != 0 {
		return refusal(code)
	}
	given, refused := p.kfID(s, said)
	if refused != nil {
		return *refused
	}
	s.sent.put(given, struct{}{}, p.now())
	one.since++
	if strings.HasPrefix(customer, "refuses") {
		p.addNotice(s, "fail-"+given, object{
			"event_type": "msg_send_fail", "open_kfid": id, "external_userid": customer, "fail_msgid": given, "fail_type": 10,
		})
	}
	return success(object{"msgid": given})
}

// sendOnEvent answers an event with its code, which needs no window.
func (p *Platform) sendOnEvent(c *stub.Call, said object) stub.Answer {
	code := said.text("code")
	id, _, known := strings.Cut(p.codes.about(code), "/")
	if !known {
		return refusal(41050)
	}
	errcode := serviceContentError(said)
	if msgType := said.text("msgtype"); errcode == 0 && msgType != "text" && msgType != "msgmenu" {
		errcode = 40008
	}
	if errcode != 0 {
		return refusal(errcode)
	}
	s := p.serviceOf(id)
	given, refused := p.kfID(s, said)
	if refused != nil {
		return *refused
	}
	if !p.codes.take(code, p.now()) {
		return refusal(41050)
	}
	s.sent.put(given, struct{}{}, p.now())
	return success(object{"msgid": given})
}

// kfID is the id that a message has: the sender's own, which is good once for
// each account, or a new one. How a repeat is refused is not documented; it is
// not Refused, as the ledger is to show that it was a repeat.
func (p *Platform) kfID(s *service, said object) (id string, refused *stub.Answer) {
	if _, told := said["msgid"]; !told {
		return p.nextID("KF"), nil
	}
	id = said.text("msgid")
	if id == "" || len(id) > 32 || strings.Trim(id, kfIDLetters) != "" {
		a := refusal(40058)
		return "", &a
	}
	if _, _, sent := s.sent.get(id); sent {
		a := success(object{"errcode": 40058, "errmsg": "msgid exists: " + id})
		return "", &a
	}
	return id, nil
}

const kfIDLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// serviceContentError finds what is wrong with a message to a customer.
func serviceContentError(said object) (errcode int) {
	msgType := said.text("msgtype")
	about := said.inner(msgType)
	switch {
	case messageTypes[msgType] == "" || len(about) == 0:
		return 40008
	case msgType == "text" && about.text("content") == "":
		return 44004
	case msgType == "text" && len(about.text("content")) > maxText:
		return 45002
	}
	return 0
}

// state tells how a session stands.
func (p *Platform) state(c *stub.Call, said object) stub.Answer {
	if p.service[said.text("open_kfid")] == nil {
		return refusal(95000)
	}
	one := p.service[said.text("open_kfid")].session(said.text("external_userid"))
	return success(object{"service_state": one.state, "servicer_userid": ""})
}

// kfTransitions are the states that each state can be changed to.
var kfTransitions = map[int]string{0: "1234", 1: "234", 2: "34", 3: "34"}

// transfer changes a session's state. What it gives permits one text more.
func (p *Platform) transfer(c *stub.Call, said object) stub.Answer {
	id, customer, to := said.text("open_kfid"), said.text("external_userid"), said.text("service_state")
	if p.service[id] == nil {
		return refusal(95000)
	}
	one := p.service[id].session(customer)
	if len(to) != 1 || !strings.Contains(kfTransitions[one.state], to) {
		return refusal(95016)
	}
	one.state = int(to[0] - '0')
	life := kfWindow
	if one.state == 4 {
		life = welcomeLife
	}
	code := p.nextID("KFCODE")
	p.codes.give(code, permit{about: id + "/" + customer}, p.now().Add(life))
	return success(object{"msg_code": code})
}
