// Package wecomstub is the platform of engine/channel/wecom. Of the adapter it
// shares the cryptography alone.
package wecomstub

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
	"bot/engine/stub"
)

// Platform is WeCom with one app, one AI bot and one group robot, all of them the
// account's: the form only matters for callbacks. What the account does not say
// (CorpID, Secret, AgentID, Key) may be anything. It may be used by many
// goroutines at once.
//
// Some names mean something: members whose id begins with "nobody" do not
// exist, customers whose id begins with "refuses" get no messages of customer
// service, and are told so of later.
type Platform struct {
	account channel.Account
	secret  *crypt.Secret // nil: it makes no callbacks
	now     func() time.Time

	mu        sync.Mutex
	last      int64 // of the ids that it gives
	tokens    memory[struct{}]
	codes     permits
	members   buckets // what members were sent within the minute
	robot     buckets
	delivered memory[struct{}] // requests with a duplicate check
	groups    map[string]bool
	media     files
	service   map[string]*service // by open_kfid
	count     Counts
}

// Counts is what the platform did that shows in no call.
type Counts struct {
	Tokens     int // fetched
	Dropped    int // messages to members beyond 30 a minute, which the platform does not tell
	Suppressed int // messages that the duplicate check swallowed
}

// New is a stub.Maker; its result is a *Platform. Of the account it
// uses what an adapter of the same form would, Names[0] as the bot's and BaseURL
// as the platform's own address. The error is for an EncodingAESKey that is none.
func New(o *stub.Options) (stub.Protocol, error) {
	p := &Platform{
		account: o.Account, now: o.Now, members: make(buckets), robot: make(buckets),
		groups: make(map[string]bool), service: make(map[string]*service),
	}
	if o.Account.EncodingAESKey == "" {
		return p, nil
	}
	key, err := crypt.ParseKey(o.Account.EncodingAESKey)
	if err != nil {
		return nil, fmt.Errorf("encoding_aes_key %w", err)
	}
	p.secret = &crypt.Secret{Token: o.Account.CallbackToken, Key: key, ReceiveID: o.Account.ReceiveID}
	if p.secret.ReceiveID == "" && o.Account.Form != "aibot" {
		p.secret.ReceiveID = o.Account.CorpID
	}
	return p, nil
}

// Of returns the platform that a stub is, nil for one of another channel.
func Of(s *stub.Stub) *Platform {
	p, _ := s.Protocol().(*Platform)
	return p
}

// Counts sums up until now.
func (p *Platform) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
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

// method is one path of the interface.
type method struct {
	open bool // needs no access token
	get  bool // is a GET
	does func(p *Platform, c *stub.Call, said object) stub.Answer
}

var methods = map[string]method{
	"gettoken":                         {open: true, get: true, does: (*Platform).getToken},
	"getcallbackip":                    {get: true, does: (*Platform).callbackIP},
	"message/send":                     {does: (*Platform).send},
	"message/recall":                   {does: (*Platform).recall},
	"message/update_template_card":     {does: (*Platform).updateCard},
	"appchat/create":                   {does: (*Platform).createGroup},
	"appchat/update":                   {does: (*Platform).changeGroup},
	"appchat/send":                     {does: (*Platform).sendGroup},
	"externalcontact/send_welcome_msg": {does: (*Platform).welcome},
	"externalcontact/remark":           {does: (*Platform).changeContact},
	"externalcontact/mark_tag":         {does: (*Platform).changeContact},
	"kf/sync_msg":                      {does: (*Platform).sync},
	"kf/send_msg":                      {does: (*Platform).sendService},
	"kf/send_msg_on_event":             {does: (*Platform).sendOnEvent},
	"kf/service_state/get":             {does: (*Platform).state},
	"kf/service_state/trans":           {does: (*Platform).transfer},
	"webhook/send":                     {open: true, does: (*Platform).sendRobot},
	"webhook/upload_media":             {open: true, does: (*Platform).uploadRobot},
	"media/upload":                     {does: (*Platform).upload},
	"media/get":                        {get: true, does: (*Platform).download},
	"aibot/response":                   {open: true, does: (*Platform).respond},
}

// page is the header of what is no JSON.
var page = map[string]string{"Content-Type": "text/html"}

// Answer looks at the path, the token and the body, in this order. Refusals
// come with status 200, as all that the platform itself says.
func (p *Platform) Answer(c *stub.Call) stub.Answer {
	call, known := methods[strings.TrimPrefix(c.Path, "/cgi-bin/")]
	if !known {
		return stub.Answer{Status: http.StatusNotFound, Header: page, Body: "<html>404</html>", Refused: true}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !call.open {
		if code := p.admit(c); code != 0 {
			return refusal(code)
		}
	}
	if call.get != (c.Method == http.MethodGet) {
		return refusal(43001)
	}
	said := readObject(c.Body)
	if said == nil && !call.get && !strings.HasPrefix(c.Header.Get("Content-Type"), "multipart/") {
		return refusal(47001)
	}
	return call.does(p, c, said)
}

// Throttled says that it is too much; for how long, the platform does not tell.
func (p *Platform) Throttled(time.Duration) stub.Answer { return refusal(45009) }

// Failed is what the platform's gateway says in its place.
func (p *Platform) Failed() stub.Answer {
	return stub.Answer{Status: http.StatusInternalServerError, Header: page, Body: "<html>500</html>"}
}

// Accepted: any status but 200 is a failure. Whether a body is understood is
// the user's sorrow, not the callback's.
func (p *Platform) Accepted(status int, _ []byte) bool { return status == http.StatusOK }

// callbackIP names the one address that callbacks of a stub come from.
func (p *Platform) callbackIP(*stub.Call, object) stub.Answer {
	return success(object{"ip_list": []string{"127.0.0.1"}})
}

// nextID gives an id that no other thing has.
func (p *Platform) nextID(kind string) string {
	p.last++
	return fmt.Sprintf("STUB%s%08d", kind, p.last)
}

// messageTypes are the actions behind the types of messages.
var messageTypes = map[string]engine.Action{
	"text": engine.SendText, "image": engine.SendImage, "voice": engine.SendVoice, "video": engine.SendVideo,
	"file": engine.SendFile, "markdown": engine.SendMarkdown, "markdown_v2": engine.SendMarkdown,
	"textcard": engine.SendLink, "news": engine.SendLink, "mpnews": engine.SendLink, "link": engine.SendLink,
	"miniprogram": engine.SendMiniapp, "miniprogram_notice": engine.SendMiniapp, "location": engine.SendLocation,
	"template_card": engine.SendCard, "msgmenu": engine.SendCard, "stream": engine.SendText,
}
