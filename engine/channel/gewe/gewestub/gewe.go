// Package gewestub is the platform of engine/channel/gewe: a gateway of the GeWe
// family. It has no idempotency keys and does again what it is told again.
package gewestub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

// platform has one account logged in. It keeps whether the account is online,
// what may still be revoked, and the labels.
type platform struct {
	appID, token, self string
	secret             string // of the console: with one, callbacks are of structure v2.0 and carry it
	now                func() time.Time

	mu       sync.Mutex
	offline  bool
	messages int64 // so far
	groups   int64
	sent     map[string]time.Time // by newMsgId
	labels   []string             // a label's number is its place, from 1
	has      map[string]string
}

// New is a stub.Maker. Of the account it uses AppID, Token, Self and
// Secret; what is missing may be anything.
func New(o *stub.Options) (stub.Protocol, error) {
	return &platform{
		appID: o.Account.AppID, token: o.Account.Token, self: o.Account.Self, secret: o.Account.Secret, now: o.Now,
		sent: make(map[string]time.Time), has: make(map[string]string),
	}, nil
}

// nameOf is the part of the path that names the call, whatever the
// interface's base is.
func nameOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

func (p *platform) Read(c *stub.Call) {
	call := methods[nameOf(c.Path)]
	said := c.JSON()
	c.Authorized = stub.Good(c.Header.Get("X-GEWE-TOKEN"), p.token)
	c.Action = call.action
	c.To, _ = said[call.to].(string)
	c.Text, _ = said["content"].(string)
	switch c.Action {
	case engine.AcceptFriend:
		if said["option"] == 2.0 {
			c.Action = engine.AddFriend
		}
	case engine.SetLabel:
		if who, _ := said["wxIds"].([]any); len(who) > 0 {
			c.To, _ = who[0].(string)
		}
	}
}

// Answer does what the gateway does: it looks at the token, the appId, the
// account's state and the members, in this order, and answers 200 to all that
// it understands at all.
func (p *platform) Answer(c *stub.Call) stub.Answer {
	name := nameOf(c.Path)
	call, known := methods[name]
	said := c.JSON()
	switch {
	case !known:
		return stub.Answer{Status: http.StatusNotFound, Body: `{"status":404,"error":"Not Found"}`, Refused: true}
	case c.Method != http.MethodPost:
		return stub.Answer{Status: http.StatusMethodNotAllowed, Body: `{"status":405,"error":"Method Not Allowed"}`, Refused: true}
	case p.token != "" && !c.Authorized:
		return refusal(401, "操作失败", "X-GEWE-TOKEN 无效")
	case said == nil:
		return refusal(400, "参数错误", "")
	}
	if !strings.HasSuffix(name, "/setCallback") {
		if id, _ := said["appId"].(string); id == "" || p.appID != "" && id != p.appID {
			return refusal(500, "操作失败", fmt.Sprintf("[%s]设备不存在", id))
		}
	}
	if !strings.HasPrefix(name, "login/") && !strings.HasPrefix(name, "tools/") && p.isOffline() {
		return refusal(500, "操作失败", "微信已离线")
	}
	if lacks := missing(said, call.to+" "+call.wants); lacks != "" {
		return refusal(400, "参数错误", lacks+"不可为空")
	}
	return call.does(p, c, said)
}

// missing names the first member that is not there or not what it must be.
func missing(said map[string]any, wants string) string {
	for want := range strings.FieldsSeq(wants) {
		name := strings.TrimRight(want, "#[]")
		var ok bool
		switch v := said[name].(type) {
		case string:
			ok = name == want
		case float64: // only looked at; what becomes an id is read from the text
			ok = name+"#" == want
		case []any:
			ok = name+"[]" == want && len(v) > 0
		}
		if !ok {
			return name
		}
	}
	return ""
}

func success(data any) stub.Answer {
	body, err := json.Marshal(map[string]any{"ret": 200, "msg": "操作成功", "data": data})
	if err != nil {
		return stub.Answer{Status: http.StatusInternalServerError}
	}
	return stub.Answer{Status: http.StatusOK, Body: string(body)}
}

// refusal is the envelope with the true reason inside.
func refusal(ret int, msg, reason string) stub.Answer {
	m := map[string]any{"ret": ret, "msg": nil, "data": nil}
	if msg != "" {
		m["msg"] = msg
	}
	if reason != "" {
		m["data"] = map[string]any{"code": "-1", "msg": reason, "detail": ""}
	}
	body, err := json.Marshal(m)
	if err != nil {
		return stub.Answer{Status: http.StatusInternalServerError}
	}
	return stub.Answer{Status: http.StatusOK, Body: string(body), Refused: true}
}

func (p *platform) Throttled(time.Duration) stub.Answer {
	return refusal(500, "操作失败", "操作过于频繁，触发风控")
}

func (p *platform) Failed() stub.Answer {
	return stub.Answer{Status: http.StatusInternalServerError, Body: `{"status":500,"error":"Internal Server Error"}`}
}

func (p *platform) isOffline() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offline
}
