package gewe

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// inbound is one callback on its way to an event: what both forms say, under
// one set of names.
type inbound struct {
	account *account
	self    string // the account's own id
	now     time.Time

	id, identity string // see identify
	word         string // what the platform calls it
	typ          string // of a message, by the word alone; "" = the content decides
	kind         engine.Kind

	from, to string
	room     string // "" = no group
	unplaced bool   // of a group that nothing names
	speaker  string // who said it; "" = the platform
	mine     bool   // sent by the account, from this or another device
	content  string // without the speaker's prefix
	source   string // MsgSource, v1.0 only
	push     string
	time     time.Time
}

// reader makes the event of one sort of callback; nil means there is nothing
// to tell.
type reader func(in *inbound) *engine.Event

// peer is the private chat's other side.
func (in *inbound) peer() string {
	if in.from == in.self || in.mine {
		return in.to
	}
	return in.from
}

// nowhere marks the conversation of a group message that does not say which
// group. It must not be answered, since all there is to answer to is the
// speaker's private chat; the sender refuses such conversations.
const nowhere = "unknown-room/"

func isNowhere(conversation string) bool { return strings.HasPrefix(conversation, nowhere) }

// conversation is never empty: what belongs to none is one of its own.
func (in *inbound) conversation() string {
	if in.unplaced {
		return nowhere + in.id
	}
	return cmp.Or(in.room, in.peer(), in.id)
}

// check finds ids that cannot be.
func (in *inbound) check() error {
	for _, one := range [...]struct{ of, id string }{
		{"the sender", in.from}, {"the receiver", in.to}, {"the group", in.room},
	} {
		if !wechat.IsID(one.id) {
			return errors.New("the id of " + one.of + " is no id")
		}
	}
	return nil
}

// event begins an event of this callback.
func (in *inbound) event(kind engine.Kind) *engine.Event {
	e := &engine.Event{
		Kind: kind, ID: in.id, Identity: in.identity,
		Conversation: in.conversation(), Group: in.room != "" || in.unplaced, Time: in.time,
	}
	if in.unplaced {
		e.Mute = "the callback did not say which group it came from"
	}
	return e
}

// said begins an event that somebody in the conversation caused.
func (in *inbound) said(kind engine.Kind) *engine.Event {
	e := in.event(kind)
	e.Sender, e.Self = in.speaker, in.mine
	return e
}

// unknown is what has no meaning to skills.
func (in *inbound) unknown(word string) *engine.Event {
	e := in.event(engine.Unknown)
	e.Type, e.Sender = clip(word), in.speaker
	return e
}

// clip bounds a word of the platform's.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "")
	for i := range s {
		if i >= 64 {
			return s[:i]
		}
	}
	return s
}

func ignored(*inbound) *engine.Event { return nil }

// isService tells the chats of official accounts and of the platform itself.
func (in *inbound) isService() bool {
	if in.room != "" {
		return false
	}
	return wechat.IsService(in.peer()) || in.isBroadcast()
}

// isBroadcast tells official accounts by what MsgSource says of the message.
func (in *inbound) isBroadcast() bool {
	if in.source == "" {
		return false
	}
	source := wechat.Parse(in.source)
	return source.Child("bizmsg") != nil || source.Child("tips").Text() == "3"
}

// params makes a map of names and values, without the empty ones.
func params(pairs ...string) map[string]string {
	var m map[string]string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if m == nil {
			m = make(map[string]string, len(pairs)/2)
		}
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// speakerOf cuts the speaker's id from the content, "wxid_1:\n…". Ids need not
// begin with wxid_ (custom ids, @openim), but all are of these characters.
func speakerOf(content string) (speaker, rest string, ok bool) {
	speaker, rest, ok = strings.Cut(content, ":\n")
	stray := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-@.", r))
	}
	if !ok || speaker == "" || len(speaker) > 64 || strings.ContainsFunc(speaker, stray) {
		return "", content, false
	}
	return speaker, rest, true
}
