package wecom

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// appSender carries out the commands of a self-built app: to members, to groups
// that it made, to customers in customer service and, for the moment of a
// welcome, to new contacts.
type appSender struct {
	*platform
	tokens  *tokens
	memory  channel.Memory
	account string
	agentID int
	maxAge  time.Duration
	media   media
	welcome tally
	// contacts lets one change of a contact through at a time: about five in
	// parallel are refused (45033).
	contacts chan struct{}
}

func newAppSender(p *platform, a *channel.Account, h *channel.Host) *appSender {
	s := &appSender{
		platform: p, tokens: newTokens(p, a, h), memory: h.Memory, account: a.Name, agentID: a.AgentID, maxAge: a.MaxAge,
		contacts: make(chan struct{}, 1),
	}
	s.media = media{
		fetch: h.Fetch, memory: h.Memory, now: h.Now, account: a.Name, owner: fingerprint(a.CorpID, a.Secret),
		upload: s.upload,
	}
	return s
}

// appDeeds are what an app can do; which of it in what conversation, the
// methods say.
var appDeeds = deeds[*appSender]{
	engine.SendText:      {nil, (*appSender).speak},
	engine.SendMarkdown:  {nil, (*appSender).speak},
	engine.SendImage:     {nil, (*appSender).speak},
	engine.SendFile:      {nil, (*appSender).speak},
	engine.SendVoice:     {nil, (*appSender).speak},
	engine.SendVideo:     {nil, (*appSender).speak},
	engine.SendLink:      {[]string{"title", "url"}, (*appSender).speak},
	engine.SendMiniapp:   {[]string{"appid", "title"}, (*appSender).speak},
	engine.SendLocation:  {[]string{"latitude", "longitude"}, (*appSender).speak},
	engine.SendCard:      {nil, (*appSender).speak},
	engine.RevokeMessage: {[]string{"msgid"}, (*appSender).recall},
	engine.UpdateCard:    {[]string{"response_code"}, (*appSender).updateCard},

	engine.SetRemark: {[]string{"user_id", "remark"}, (*appSender).remark},
	engine.SetLabel:  {[]string{"user_id"}, (*appSender).label},
	engine.HandOver:  {nil, (*appSender).handOver},

	engine.CreateGroup:   {[]string{"members"}, (*appSender).createGroup},
	engine.AddMember:     {nil, (*appSender).changeGroup},
	engine.RemoveMember:  {[]string{"members"}, (*appSender).changeGroup},
	engine.RenameGroup:   {[]string{"name"}, (*appSender).changeGroup},
	engine.TransferGroup: {[]string{"user"}, (*appSender).changeGroup},
}

// Needs implements channel.Sender.
func (s *appSender) Needs(a engine.Action) (params []string, can bool) { return appDeeds.needs(a) }

// Send implements channel.Sender. It fetches an access token, and uploads what
// is to be sent, before the one request that counts.
func (s *appSender) Send(ctx context.Context, c *engine.Command) (note string, err error) {
	return appDeeds.run(s, ctx, c)
}

// TooLate implements channel.Latecomer: contacts are written to with a welcome
// code alone, and the code of an event in customer service is for one message.
func (s *appSender) TooLate(c *engine.Command) string {
	switch placeOf(c.Conversation).kind {
	case toContact:
		return welcomeBrief
	case toCustomer:
		if s.kfCode(c, kfCoded[c.Action]) != "" {
			return kfBrief
		}
	}
	return ""
}

// OneToOne implements channel.OneToOne. It is customer service alone in which
// the platform counts messages until the customer writes again; members of the
// company, whom the same account writes to, are not asked to.
func (s *appSender) OneToOne(conversation string) bool {
	return placeOf(conversation).kind == toCustomer
}

// Repeatable implements channel.Repeater. What is said in a group of the app has
// no duplicate check; everything else is recognised by the platform, allowed
// once, or does no harm twice.
func (s *appSender) Repeatable(c *engine.Command) bool {
	switch c.Action {
	case engine.CreateGroup: // under an id of our own
		return true
	case engine.AddMember, engine.RemoveMember, engine.RenameGroup, engine.TransferGroup: // to the same again
		return true
	}
	return placeOf(c.Conversation).kind != toGroup
}

// place is a conversation, read.
type place struct {
	kind     placeKind
	id       string // of the member, the department, the tag, the app's group or the contact
	openKfID string // of customer service; id is the customer's then
}

type placeKind int

const (
	toMember        placeKind = iota // one, several joined by "|", or "@all"
	toParty                          // party/<id>, a department or several joined by "|"
	toTag                            // tag/<id>, the same of the members' tags
	toGroup                          // appchat/<chatid>
	toCustomer                       // <open_kfid>/<external_userid>
	toContact                        // <external_userid>
	toCustomerGroup                  // <chat_id>, which no interface writes to
)

// minExternal is shorter than any id of a contact or a customer group (32
// characters) and longer than members' ids that begin alike.
const minExternal = 28

// placeOf reads a conversation. The prefixes are the platform's own; a member's
// id may begin with the same letters, but is not as long.
func placeOf(conversation string) place {
	if chat, ok := strings.CutPrefix(conversation, groupPrefix); ok {
		return place{kind: toGroup, id: chat}
	}
	if parties, ok := strings.CutPrefix(conversation, partyPrefix); ok {
		return place{kind: toParty, id: parties}
	}
	if tags, ok := strings.CutPrefix(conversation, tagPrefix); ok {
		return place{kind: toTag, id: tags}
	}
	if kf, user, ok := strings.Cut(conversation, "/"); ok {
		return place{kind: toCustomer, id: user, openKfID: kf}
	}
	if len(conversation) >= minExternal && !strings.Contains(conversation, "|") {
		switch conversation[:2] {
		case "wm", "wo":
			return place{kind: toContact, id: conversation}
		case "wr":
			return place{kind: toCustomerGroup, id: conversation}
		}
	}
	return place{kind: toMember, id: conversation}
}

// speak sends a message. A media id of our own that the platform has forgotten
// is replaced once: what was refused was not delivered.
func (s *appSender) speak(ctx context.Context, c *engine.Command) (note string, err error) {
	note, err = s.deliver(ctx, c)
	if lost(err) && s.media.forget(ctx, c.TaskID) {
		return s.deliver(ctx, c)
	}
	return note, err
}

func (s *appSender) deliver(ctx context.Context, c *engine.Command) (note string, err error) {
	switch to := placeOf(c.Conversation); to.kind {
	case toGroup:
		return "", s.tellGroup(ctx, c, to.id)
	case toCustomer:
		return s.tellCustomer(ctx, c, to)
	case toContact:
		return "", s.greet(ctx, c)
	case toCustomerGroup:
		return "", permanent("no interface writes to a customer group, but for a mass message that a member confirms (externalcontact/add_msg_template)")
	default:
		return s.tellMembers(ctx, c, to)
	}
}

// post makes a call of the platform's interface with the access token.
func (s *appSender) post(ctx context.Context, path string, body object, witness string) ([]byte, error) {
	encoded, err := encode(body)
	if err != nil {
		return nil, err
	}
	return s.tokens.withToken(ctx, func(token string) ([]byte, error) {
		return s.do(ctx, withToken(request{path: path, body: encoded, witness: witness}, token))
	})
}

// withToken adds the access token to a request.
func withToken(q request, token string) *request {
	if q.query == nil {
		q.query = make(map[string][]string, 1)
	}
	q.query.Set("access_token", token)
	q.secret = token
	return &q
}

// told reads one text out of an answer, "" where it is not there.
func told(body []byte, name string) string {
	var all map[string]json.RawMessage
	var s string
	if json.Unmarshal(body, &all) != nil || json.Unmarshal(all[name], &s) != nil {
		return ""
	}
	return s
}
