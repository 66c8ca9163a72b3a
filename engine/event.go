package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// Mention says whom a group message addresses.
type Mention string

// The values of Event.Mention.
const (
	MentionNone Mention = ""
	MentionMe   Mention = "me"
	MentionAll  Mention = "all"
)

// Media is a reference to a file that a message carries; its bytes never
// travel with the event.
type Media struct {
	Kind string `json:"kind"` // image, voice, video, file
	URL  string `json:"url,omitempty"`
	Name string `json:"name,omitempty"`
	Size int64  `json:"size,omitempty"`
}

// Ticket is a platform's permission to reply at once and for free. It is part
// of the durable record, so a restart between receipt and reply loses nothing.
type Ticket struct {
	Token   string    `json:"token,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
	// Limit is the longest text in bytes that may be said by it, where that is not
	// the account's own limit; 0: it is.
	Limit int `json:"limit,omitempty"`
}

// Note is something an adapter remembers of an account: a small value under a
// key of 1 to 512 bytes. Keys begin with a word for their use and a slash. A
// value of "" forgets; Expires, where it is not zero, forgets by itself.
type Note struct {
	Key     string    `json:"key"`
	Value   string    `json:"value"`
	Expires time.Time `json:"expires,omitzero"`
	// Stops says that less goes on because of it, as of a pause: it is written even
	// while there is so little room that nothing is taken in. It is not kept.
	Stops bool `json:"-"`
}

// KindWhen is the kind of the event by what is remembered: whether its
// conversation is known, and whether the note IfNoted stands. An adapter cannot
// tell at the door, where earlier events may not have been handled yet; the
// event's own turn can.
func (e *Event) KindWhen(known, noted bool) Kind {
	switch {
	case noted && e.IfNoted != "":
		return e.NotedAs
	case known && e.IfKnown != "":
		return e.IfKnown
	}
	return e.Kind
}

// Spoken tells whether the event is a message whose Text is what somebody said:
// a text, or one of the types that have words of the sender's own beside
// something else.
func (e *Event) Spoken() bool {
	switch {
	case e.Kind != Message:
		return false
	case e.Type == "quote", e.Type == "mixed", e.Type == "voice": // a voice, where the platform wrote it down
		return e.Text != ""
	}
	return e.Type == "text"
}

// Event is something that happened on a platform. It is immutable once it has
// been appended to the log; whoever reads it shares it.
type Event struct {
	Account string // name of the account in the configuration
	Kind    Kind
	Type    string // of a message: text, image, …; of an unknown event: the platform's own name
	// ID is the identity that the platform gave, 1 to 512 bytes. Together with
	// account, kind and receiver it makes the dedup key; it is never a hash of
	// the raw body unless the platform gives no identity at all.
	ID       string
	Receiver string // whom the platform addressed where one account has several receivers
	// Identity makes the dedup key in ID's place where a platform's ids are not
	// one each, such as one word for all notices of a sort. "" where they are.
	Identity string
	// Fact names what happened where a platform tells it several times over
	// under different ids, such as "friend/wxid_1". Skills see it once within
	// some days. "" where ID says it all.
	Fact string
	// IfKnown is the kind this event really has when its conversation is known
	// already: a contact's new name looks like a new contact on platforms that
	// have one notice for both. "" for none.
	IfKnown Kind
	// IfNoted names a note, and NotedAs the kind that the event has while the note
	// stands, whatever is known: the first change of a contact who had asked to be
	// a friend is the friendship. "" for none. See Event.KindWhen.
	IfNoted      string
	NotedAs      Kind
	Conversation string // private chat: the other side's id; group: the group's id
	Sender       string
	SenderName   string
	Self         bool // sent by the account itself, on this or another device
	Group        bool
	Mention      Mention
	Text         string
	Actor        string   // who did it, for group events: the inviter, the remover
	Members      []string // whom a group event is about
	MemberNames  []string // their names, as far as the platform told them: none, or one for each of Members
	Media        []Media
	// Params carries what an action needs back from the platform, such as the
	// credential of a friend request ("scene").
	Params map[string]string
	Ticket Ticket
	// Mute says why nothing can be said in answer: the platform takes none. What
	// skills say to the event's own conversation is left out. "" where it can be.
	Mute string
	// Degraded names the row of the risk matrix for which only cheap skills answer
	// this event: none that waits for other systems. "" for none.
	Degraded string
	// Learned is what the adapter will want to know again; it is remembered in
	// the act that handles the event.
	Learned []Note
	// Tally is the key under which the number of commands that answer this
	// event is remembered, in the same act. Channels need it that must know
	// when an answer is complete. "" for none.
	Tally    string
	Time     time.Time // by the platform's clock; zero where it gives none
	Received time.Time // by the store's clock, which never runs back
	Raw      []byte    // the callback's body as received, or what it held decrypted
}

// Key identifies an event for dedup: 16 bytes of a SHA-256 over account, kind,
// platform id and receiver. At 128 bits a collision is out of reach even for
// senders who choose their ids.
type Key [16]byte

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Key returns the dedup key. Parts are length-prefixed, so that no two
// different tuples make one key. Unknown events of different platform types
// stay apart, since only the type tells them from each other.
func (e *Event) Key() Key {
	parts := [...]string{e.Account, string(e.Kind), e.ID, e.Receiver, ""}
	if e.Identity != "" {
		parts[2], parts[4] = e.Identity, "identity"
	}
	if e.Kind == Unknown {
		parts[4] += e.Type
	}
	return keyOf(parts[:]...)
}

// Ref is the engine's own id of this event: the same at every reading of its
// record, different for a later event that reuses the platform's id. Task ids
// of the commands it causes and idempotency keys of calls to other systems
// begin with it. It is 20 hexadecimal digits.
func (e *Event) Ref() string {
	k := e.Key()
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(k[:], uint64(e.Received.UnixNano())))
	return hex.EncodeToString(sum[:10])
}

// ConversationKey names the place in which order is kept: all events of one
// key are handled one at a time, all its commands leave one at a time.
type ConversationKey struct{ Account, Conversation string }

// ConversationKey returns the conversation the event belongs to.
func (e *Event) ConversationKey() ConversationKey {
	return ConversationKey{e.Account, e.Conversation}
}

func keyOf(parts ...string) Key {
	buf := make([]byte, 0, 256)
	for _, p := range parts {
		buf = binary.AppendUvarint(buf, uint64(len(p)))
		buf = append(buf, p...)
	}
	sum := sha256.Sum256(buf)
	return Key(sum[:16])
}
