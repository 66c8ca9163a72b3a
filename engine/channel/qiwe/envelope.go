package qiwe

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// maxEvents bounds the events of one callback. Those seen had a few.
const maxEvents = 4096

// envelope is what stands around the events, or in their place when the
// platform tries the address.
type envelope struct {
	Code    scalar          `json:"code"`
	Data    json.RawMessage `json:"data"`
	Msg     scalar          `json:"msg"`
	Message scalar          `json:"message"`
	Content scalar          `json:"content"`
	TestMsg scalar          `json:"testMsg"`
	Token   scalar          `json:"token"`

	// A bare event has these.
	GUID    scalar          `json:"guid"`
	Cmd     scalar          `json:"cmd"`
	MsgType scalar          `json:"msgType"`
	MsgData json.RawMessage `json:"msgData"`
}

// unpack takes the events out of a body. It has been seen in five shapes:
// {"code","data":[…]}, the same with one object or with a string of JSON for
// its data, a bare list, and a bare event. control tells what the platform
// sends to try an address, which has no event.
func unpack(body []byte) (events []json.RawMessage, control bool, err error) {
	body = bytes.TrimSpace(body)
	if !json.Valid(body) {
		return nil, false, errors.New("the body is no JSON")
	}
	switch body[0] {
	case '[':
		events, err = list(body)
		return events, false, err
	case '{':
	default:
		return nil, false, errors.New("the body is neither an object nor a list")
	}
	var e envelope
	decode(body, &e)
	if e.isEvent() {
		return []json.RawMessage{body}, false, nil
	}
	events, quoted, err := e.events()
	if err == nil && len(events) > 0 {
		return events, false, nil
	}
	if e.isControl(quoted) {
		return nil, true, nil
	}
	return nil, false, err
}

// errNoEvent is a well-formed body in which nothing is known.
var errNoEvent = errors.New("no event in it, and no test of the address either")

// events reads data; quoted is what it held where that was text and no JSON.
func (e *envelope) events() (events []json.RawMessage, quoted string, err error) {
	data := e.Data
	if len(data) > 0 && data[0] == '"' {
		if err := json.Unmarshal(data, &quoted); err != nil {
			return nil, "", errors.New("data is a string that cannot be read")
		}
		if data = bytes.TrimSpace([]byte(quoted)); len(data) > 0 && !json.Valid(data) {
			return nil, quoted, errors.New("data is a string that holds no JSON")
		}
	}
	switch {
	case len(data) == 0, string(data) == "null":
		if e.Code == "" {
			return nil, quoted, errNoEvent
		}
		return nil, quoted, nil
	case data[0] == '[':
		events, err = list(data)
		return events, quoted, err
	case data[0] == '{':
		return []json.RawMessage{data}, quoted, nil
	}
	return nil, quoted, errors.New("data is neither an object nor a list")
}

// list takes a valid list apart. Elements that are no objects cannot be events
// and are left out.
func list(b []byte) ([]json.RawMessage, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, errors.New("the list of events cannot be read")
	}
	if len(all) > maxEvents {
		return nil, errors.New("more events than one callback may have")
	}
	events := all[:0]
	for _, one := range all {
		if one[0] == '{' {
			events = append(events, one)
		}
	}
	if len(events) == 0 && len(all) > 0 {
		return nil, errors.New("a list without a single object")
	}
	return events, nil
}

func (e *envelope) isEvent() bool {
	return e.Data == nil && (e.MsgData != nil || e.GUID != "" && (e.Cmd != "" || e.MsgType != ""))
}

// isControl knows the platform's tests of an address by their words, which
// stand in this field or that, and by a testMsg beside a token.
func (e *envelope) isControl(quoted string) bool {
	if e.TestMsg != "" && e.Token != "" {
		return true
	}
	for _, text := range []scalar{e.TestMsg, e.Content, e.Msg, e.Message, scalar(quoted)} {
		for _, words := range []string{"验证回调地址是否可用", "回调地址链接成功", "设置订阅成功"} {
			if strings.Contains(string(text), words) {
				return true
			}
		}
	}
	return false
}

// decode fills v from valid JSON as far as the types agree. Names are matched in
// any letter case, as this platform needs it.
func decode(b []byte, v any) { _ = json.Unmarshal(b, v) }
