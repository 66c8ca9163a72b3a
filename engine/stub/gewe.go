package stub

import (
	"encoding/json"
	"fmt"
	"net/http"

	"strings"
	"sync"
	"time"

	"bot/engine"
)

// gewe is a gateway of the GeWe family (engine/channel/gewe) with one account
// logged in. It keeps whether the account is online, what may still be revoked,
// and the labels.
type gewe struct {
	appID, token, self string
	secret             string // of the console: with one, callbacks are of structure v2.0 and carry it
	now                func() time.Time

	mu      sync.Mutex
	offline bool
	last    int64                // of the ids of messages and groups
	sent    map[string]time.Time // by newMsgId
	labels  []string             // a label's number is its place, from 1
	has     map[string]string
}

func newGewe(o *Options) (protocol, error) {
	return &gewe{
		appID: o.Account.AppID, token: o.Account.Token, self: o.Account.Self, secret: o.Account.Secret, now: o.Now,
		sent: make(map[string]time.Time), has: make(map[string]string),
	}, nil
}

// geweName is the part of the path that names the call, whatever the
// interface's base is.
func geweName(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

func (g *gewe) read(c *Call) {
	call := geweCalls[geweName(c.Path)]
	said := c.JSON()
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

// answer does what the gateway does: it looks at the token, the appId, the
// account's state and the members, in this order, and answers 200 to all that
// it understands at all.
func (g *gewe) answer(c *Call) Answer {
	name := geweName(c.Path)
	call, known := geweCalls[name]
	said := c.JSON()
	switch {
	case !known:
		return Answer{Status: http.StatusNotFound, Body: `{"status":404,"error":"Not Found"}`}
	case c.Method != http.MethodPost:
		return Answer{Status: http.StatusMethodNotAllowed, Body: `{"status":405,"error":"Method Not Allowed"}`}
	case g.token != "" && c.Header.Get("X-GEWE-TOKEN") != g.token:
		return geweFailure(401, "操作失败", "X-GEWE-TOKEN 无效")
	case said == nil:
		return geweFailure(400, "参数错误", "")
	}
	if !strings.HasSuffix(name, "/setCallback") {
		if id, _ := said["appId"].(string); id == "" || g.appID != "" && id != g.appID {
			return geweFailure(500, "操作失败", fmt.Sprintf("[%s]设备不存在", id))
		}
	}
	if !strings.HasPrefix(name, "login/") && !strings.HasPrefix(name, "tools/") && g.isOffline() {
		return geweFailure(500, "操作失败", "微信已离线")
	}
	if lacks := geweLacks(said, call.to+" "+call.wants); lacks != "" {
		return geweFailure(400, "参数错误", lacks+"不可为空")
	}
	return call.does(g, c, said)
}

// geweLacks names the first member that is not there or not what it must be.
func geweLacks(said map[string]any, wants string) string {
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

func geweSuccess(data any) Answer {
	body, err := json.Marshal(map[string]any{"ret": 200, "msg": "操作成功", "data": data})
	if err != nil {
		return Answer{Status: http.StatusInternalServerError}
	}
	return Answer{Status: http.StatusOK, Body: string(body)}
}

// geweFailure is the envelope with the true reason inside.
func geweFailure(ret int, msg, reason string) Answer {
	m := map[string]any{"ret": ret, "msg": nil, "data": nil}
	if msg != "" {
		m["msg"] = msg
	}
	if reason != "" {
		m["data"] = map[string]any{"code": "-1", "msg": reason, "detail": ""}
	}
	body, err := json.Marshal(m)
	if err != nil {
		return Answer{Status: http.StatusInternalServerError}
	}
	return Answer{Status: http.StatusOK, Body: string(body)}
}

func (g *gewe) throttled(time.Duration) Answer {
	return geweFailure(500, "操作失败", "操作过于频繁，触发风控")
}

func (g *gewe) failed() Answer {
	return Answer{Status: http.StatusInternalServerError, Body: `{"status":500,"error":"Internal Server Error"}`}
}

func (g *gewe) isOffline() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.offline
}
