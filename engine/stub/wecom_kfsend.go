package stub

import (
	"strings"
)

// sendService writes to a customer within the window. That it is taken does not
// mean that it arrives.
func (w *wecom) sendService(c *Call, said object) Answer {
	id, customer := said.text("open_kfid"), said.text("touser")
	if w.service[id] == nil {
		return c.refuse(95000)
	}
	s := w.service[id]
	one := s.session(customer)
	code := kfContent(said)
	switch {
	case code != 0:
	case one.state == 4:
		code = 95013
	case one.state > 1:
		code = 95018
	case one.last.IsZero() || w.now().Sub(one.last) > kfWindow:
		code = 95002
	case one.since >= kfMessages:
		code = 95001
	}
	if code != 0 {
		return c.refuse(code)
	}
	given, refusal := w.kfID(c, s, said)
	if refusal != nil {
		return *refusal
	}
	s.sent[given] = true
	one.since++
	if strings.HasPrefix(customer, "refuses") {
		w.addNotice(s, "fail-"+given, object{
			"event_type": "msg_send_fail", "open_kfid": id, "external_userid": customer, "fail_msgid": given, "fail_type": 10,
		})
	}
	return wecomAnswer(object{"msgid": given})
}

// sendOnEvent answers an event with its code, which needs no window.
func (w *wecom) sendOnEvent(c *Call, said object) Answer {
	code := said.text("code")
	id, _, known := strings.Cut(w.codes.about(code), "/")
	if !known {
		return c.refuse(41050)
	}
	errcode := kfContent(said)
	if msgType := said.text("msgtype"); errcode == 0 && msgType != "text" && msgType != "msgmenu" {
		errcode = 40008
	}
	if errcode != 0 {
		return c.refuse(errcode)
	}
	s := w.serviceOf(id)
	given, refusal := w.kfID(c, s, said)
	if refusal != nil {
		return *refusal
	}
	if w.codes.take(code, w.now()) == nil {
		return c.refuse(41050)
	}
	s.sent[given] = true
	return wecomAnswer(object{"msgid": given})
}

// kfID is the id that a message has: the sender's own, which is good once for
// each account, or a new one. How a repeat is refused is not documented.
func (w *wecom) kfID(c *Call, s *wecomService, said object) (id string, refusal *Answer) {
	if _, told := said["msgid"]; !told {
		return w.nextID("KF"), nil
	}
	id = said.text("msgid")
	if id == "" || len(id) > 32 || strings.Trim(id, kfIDLetters) != "" {
		a := c.refuse(40058)
		return "", &a
	}
	if s.sent[id] {
		a := wecomAnswer(object{"errcode": 40058, "errmsg": "msgid exists: " + id})
		return "", &a
	}
	return id, nil
}

const kfIDLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// kfContent finds what is wrong with a message to a customer.
func kfContent(said object) (errcode int) {
	msgType := said.text("msgtype")
	about := said.inner(msgType)
	switch {
	case wecomTypes[msgType] == "" || len(about) == 0:
		return 40008
	case msgType == "text" && about.text("content") == "":
		return 44004
	case msgType == "text" && len(about.text("content")) > maxWecomText:
		return 45002
	}
	return 0
}

// state tells how a session stands.
func (w *wecom) state(c *Call, said object) Answer {
	if w.service[said.text("open_kfid")] == nil {
		return c.refuse(95000)
	}
	one := w.service[said.text("open_kfid")].session(said.text("external_userid"))
	return wecomAnswer(object{"service_state": one.state, "servicer_userid": ""})
}

// kfTransitions are the states that each state can be changed to.
var kfTransitions = map[int]string{0: "1234", 1: "234", 2: "34", 3: "34"}

// transfer changes a session's state. What it gives permits one text more.
func (w *wecom) transfer(c *Call, said object) Answer {
	id, customer, to := said.text("open_kfid"), said.text("external_userid"), said.text("service_state")
	if w.service[id] == nil {
		return c.refuse(95000)
	}
	one := w.service[id].session(customer)
	if len(to) != 1 || !strings.Contains(kfTransitions[one.state], to) {
		return c.refuse(95016)
	}
	one.state = int(to[0] - '0')
	life := kfWindow
	if one.state == 4 {
		life = welcomeLife
	}
	code, now := w.nextID("KFCODE"), w.now()
	w.codes.give(code, wecomCode{until: now.Add(life), about: id + "/" + customer}, now)
	return wecomAnswer(object{"msg_code": code})
}
