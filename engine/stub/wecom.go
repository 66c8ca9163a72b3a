package stub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wecom/crypt"
)

// wecom is WeCom (engine/channel/wecom) with one app, one AI bot and one group
// robot, all of them the account's: the form only matters for callbacks. What
// the account does not say (CorpID, Secret, AgentID, Key) may be anything.
//
// Some names mean something: members whose id begins with "nobody" do not
// exist, customers whose id begins with "refuses" get no messages of customer
// service, and are told so of later.
type wecom struct {
	account channel.Account
	secret  *crypt.Secret // nil: it makes no callbacks
	now     func() time.Time

	mu        sync.Mutex
	last      int64 // of the ids that it gives
	tokens    map[string]time.Time
	codes     wecomCodes
	members   wecomBuckets // what members were sent within the minute
	robot     wecomBuckets
	delivered map[string]time.Time // requests with a duplicate check, until when
	groups    map[string]bool
	media     wecomMedia
	service   map[string]*wecomService // by open_kfid
	count     WeComCounts
}

// WeComCounts is what a stub of WeCom did that shows in no call.
type WeComCounts struct {
	Tokens     int // fetched
	Dropped    int // messages to members beyond 30 a minute, which the platform does not tell
	Suppressed int // messages that the duplicate check swallowed
}

func newWecom(o *Options) (protocol, error) {
	w := &wecom{
		account: o.Account, now: o.Now,
		tokens: make(map[string]time.Time), codes: make(wecomCodes),
		members: make(wecomBuckets), robot: make(wecomBuckets), delivered: make(map[string]time.Time),
		groups: make(map[string]bool), service: make(map[string]*wecomService),
	}
	if o.Account.EncodingAESKey == "" {
		return w, nil
	}
	key, err := crypt.ParseKey(o.Account.EncodingAESKey)
	if err != nil {
		return nil, fmt.Errorf("encoding_aes_key %w", err)
	}
	w.secret = &crypt.Secret{Token: o.Account.CallbackToken, Key: key, ReceiveID: o.Account.ReceiveID}
	if w.secret.ReceiveID == "" && o.Account.Form != "aibot" {
		w.secret.ReceiveID = o.Account.CorpID
	}
	return w, nil
}

// WeCom returns the counts of a stub of WeCom.
func (s *Stub) WeCom() WeComCounts {
	w, ok := s.protocol.(*wecom)
	if !ok {
		return WeComCounts{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// object is what a call's body says. Numbers keep their digits.
type object map[string]any

func readObject(body []byte) object {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var o object
	if d.Decode(&o) != nil {
		return nil
	}
	return o
}

func (o object) text(name string) string {
	switch v := o[name].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func (o object) inner(name string) object {
	m, _ := o[name].(map[string]any)
	return m
}

// wecomCall is one path of the interface.
type wecomCall struct {
	open bool // needs no access token
	get  bool // is a GET
	does func(w *wecom, c *Call, said object) Answer
}

var wecomCalls = map[string]wecomCall{
	"gettoken":                         {open: true, get: true, does: (*wecom).getToken},
	"getcallbackip":                    {get: true, does: (*wecom).callbackIP},
	"message/send":                     {does: (*wecom).send},
	"message/recall":                   {does: (*wecom).recall},
	"message/update_template_card":     {does: (*wecom).updateCard},
	"appchat/create":                   {does: (*wecom).createGroup},
	"appchat/update":                   {does: (*wecom).changeGroup},
	"appchat/send":                     {does: (*wecom).sendGroup},
	"externalcontact/send_welcome_msg": {does: (*wecom).welcome},
	"externalcontact/remark":           {does: (*wecom).changeContact},
	"externalcontact/mark_tag":         {does: (*wecom).changeContact},
	"kf/sync_msg":                      {does: (*wecom).sync},
	"kf/send_msg":                      {does: (*wecom).sendService},
	"kf/send_msg_on_event":             {does: (*wecom).sendOnEvent},
	"kf/service_state/get":             {does: (*wecom).state},
	"kf/service_state/trans":           {does: (*wecom).transfer},
	"webhook/send":                     {open: true, does: (*wecom).sendRobot},
	"webhook/upload_media":             {open: true, does: (*wecom).uploadRobot},
	"media/upload":                     {does: (*wecom).upload},
	"media/get":                        {get: true, does: (*wecom).download},
	"aibot/response":                   {open: true, does: (*wecom).respond},
}

// answer looks at the path, the token and the body, in this order. Refusals
// come with status 200, as all that the platform itself says.
func (w *wecom) answer(c *Call) Answer {
	call, known := wecomCalls[strings.TrimPrefix(c.Path, "/cgi-bin/")]
	if !known {
		return Answer{Status: http.StatusNotFound, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html>404</html>"}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !call.open {
		if code := w.admit(c); code != 0 {
			return c.refuse(code)
		}
	}
	if call.get != (c.Method == http.MethodGet) {
		return c.refuse(43001)
	}
	said := readObject(c.Body)
	if said == nil && !call.get && !strings.HasPrefix(c.Header.Get("Content-Type"), "multipart/") {
		return c.refuse(47001)
	}
	return call.does(w, c, said)
}

func (w *wecom) throttled(time.Duration) Answer { return wecomError(45009) }

func (w *wecom) failed() Answer {
	return Answer{Status: http.StatusInternalServerError, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html>500</html>"}
}

// accepted: any status but 200 is a failure. Whether a body is understood is
// the user's sorrow, not the callback's.
func (w *wecom) accepted(status int, _ []byte) bool { return status == http.StatusOK }

// callbackIP names the one address that callbacks of a stub come from.
func (w *wecom) callbackIP(*Call, object) Answer {
	return wecomAnswer(object{"ip_list": []string{"127.0.0.1"}})
}

// nextID gives an id that no other thing has.
func (w *wecom) nextID(kind string) string {
	w.last++
	return fmt.Sprintf("STUB%s%08d", kind, w.last)
}

// wecomTypes are the actions behind the types of messages.
var wecomTypes = map[string]engine.Action{
	"text": engine.SendText, "image": engine.SendImage, "voice": engine.SendVoice, "video": engine.SendVideo,
	"file": engine.SendFile, "markdown": engine.SendMarkdown, "markdown_v2": engine.SendMarkdown,
	"textcard": engine.SendLink, "news": engine.SendLink, "mpnews": engine.SendLink, "link": engine.SendLink,
	"miniprogram": engine.SendMiniapp, "miniprogram_notice": engine.SendMiniapp, "location": engine.SendLocation,
	"template_card": engine.SendCard, "msgmenu": engine.SendCard, "stream": engine.SendText,
}
