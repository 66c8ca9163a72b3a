package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// Kind says what happened. Adapters translate their platform's names into
// these; a skill's `on` names one of them.
type Kind string

// The kinds of event that skills can answer.
const (
	Message       Kind = "message"
	FriendRequest Kind = "friend_request"
	FriendAdded   Kind = "friend_added"
	MemberJoined  Kind = "member_joined"
	MemberLeft    Kind = "member_left"
	// Expired is raised by the engine itself when the time limit of a
	// conversation's state passes and the state asked to be told (State.Notify).
	Expired Kind = "expired"
	// Unknown is an event the adapter understood as well-formed but that has
	// no meaning to skills. It is logged like any other and answered by none.
	Unknown Kind = "unknown"
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
	ID           string
	Receiver     string // whom the platform addressed where one account has several receivers
	Conversation string // private chat: the other side's id; group: the group's id
	Sender       string
	SenderName   string
	Self         bool // sent by the account itself, on this or another device
	Group        bool
	Mention      Mention
	Text         string
	Actor        string   // who did it, for group events: the inviter, the remover
	Members      []string // whom a group event is about
	Media        []Media
	// Params carries what an action needs back from the platform, such as the
	// credential of a friend request ("scene").
	Params   map[string]string
	Ticket   Ticket
	Time     time.Time // by the platform's clock; zero where it gives none
	Received time.Time // by the store's clock, which never runs back
	Raw      []byte    // the callback's body as received
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
	if e.Kind == Unknown {
		parts[4] = e.Type
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
