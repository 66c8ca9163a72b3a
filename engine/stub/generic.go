package stub

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// generic is a plain JSON gateway (engine/channel/generic).
type generic struct {
	appID string
	sign  *channel.Webhook // nil: not signed
	now   func() time.Time
}

func newGeneric(o *Options) (protocol, error) {
	g := &generic{appID: o.Account.AppID, now: o.Now}
	if o.Account.Secret != "" {
		var err error
		if g.sign, err = channel.NewWebhook(o.Account.Secret, o.Account.MaxSkew); err != nil {
			return nil, err
		}
	}
	return g, nil
}

const genericFailure = `{"status":"error"}`

func (g *generic) read(c *Call) {
	var said struct{ To, Content string }
	json.Unmarshal(c.Body, &said) // what is no text there is none here
	c.Action = engine.Action(c.Path[strings.LastIndexByte(c.Path, '/')+1:])
	if c.Path == "/v1/friend/accept" {
		c.Action = engine.AcceptFriend
	}
	c.To, c.Text = said.To, said.Content
}

// answer takes a POST of a JSON object on any path, as gateways of this kind
// do, and refuses anything else.
func (g *generic) answer(c *Call) Answer {
	switch {
	case c.Method != http.MethodPost:
		return Answer{Status: http.StatusMethodNotAllowed, Body: genericFailure}
	case c.JSON() == nil:
		return Answer{Status: http.StatusBadRequest, Body: genericFailure}
	}
	return Answer{Status: http.StatusOK, Body: `{"status":"success"}`}
}

func (g *generic) throttled(wait time.Duration) Answer {
	return Answer{
		Status: http.StatusTooManyRequests, Body: genericFailure,
		Header: map[string]string{"Retry-After": strconv.Itoa(int(math.Ceil(wait.Seconds())))},
	}
}

func (g *generic) failed() Answer {
	return Answer{Status: http.StatusInternalServerError, Body: genericFailure}
}

func (g *generic) callback(target string, s Said, _ int) (*http.Request, error) {
	m := map[string]any{"timestamp": s.Time.Unix()}
	for name, v := range map[string]string{"appId": g.appID, "nickname": s.Name, "content": s.Text} {
		if v != "" {
			m[name] = v
		}
	}
	switch s.Kind {
	case engine.Message:
		m["msg_id"], m["sender"] = s.ID, s.User
	case engine.FriendRequest:
		m["type"], m["eventId"], m["fromUser"], m["scene"] = "FRIEND_REQUEST", s.ID, s.User, "scene-"+s.ID
	case engine.FriendAdded:
		m["type"], m["eventId"], m["fromUser"] = "FRIEND_ADDED", s.ID, s.User
	default:
		m["type"], m["eventId"], m["fromUser"] = strings.ToUpper(string(s.Kind)), s.ID, s.User
	}
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if g.sign != nil {
		r.Header = g.sign.Sign("msg_"+s.ID, g.now(), body)
	}
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

func (g *generic) accepted(status int, _ []byte) bool { return status == http.StatusOK }
