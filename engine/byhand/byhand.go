// Package byhand tells what a person typed on an account, on its phone say, from
// the echoes of what the bot itself sent. Platforms report both alike, as messages
// of the account's own.
package byhand

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"bot/engine"
)

const (
	// keep is how long after a send its echo may come, by its text.
	keep = 10 * time.Minute
	// close is how long after any send in a conversation everything there counts as
	// an echo: pictures have no text, and some platforms change one a little. A
	// person who has just read what the bot said takes longer.
	close = 10 * time.Second
	// young is how long after the start everything counts as an echo: what was sent
	// before it is not known.
	young = 30 * time.Second
	// most bounds the sends that are remembered; of 10,000 a minute the last 6 s.
	most = 1 << 14
)

// Ear remembers the latest sends. Its methods are safe for concurrent use.
type Ear struct {
	now  func() time.Time // monotonic
	seed maphash.Seed

	mu    sync.Mutex
	began time.Time
	texts map[uint64]time.Time // of text and conversation, when it was last sent
	rooms map[uint64]time.Time // of conversations, when anything was
	ring  [most]sent           // what is in them, oldest at next
	next  int
}

type sent struct {
	text, room uint64
	at         time.Time
}

// New makes an Ear that has just begun to listen.
func New(now func() time.Time) *Ear {
	return &Ear{
		now: now, seed: maphash.MakeSeed(), began: now(),
		texts: make(map[uint64]time.Time), rooms: make(map[uint64]time.Time),
	}
}

// Sent is told of a command that is about to leave.
func (r *Ear) Sent(c *engine.Command) {
	text, room := r.hashes(c.Account, c.Conversation, c.Text)
	r.mu.Lock()
	defer r.mu.Unlock()
	s := sent{text, room, r.now()}
	if old := r.ring[r.next]; !old.at.IsZero() {
		forget(r.texts, old.text, old.at)
		forget(r.rooms, old.room, old.at)
	}
	r.ring[r.next] = s
	r.next = (r.next + 1) % most
	r.texts[text], r.rooms[room] = s.at, s.at
}

// forget drops a key unless it was written again.
func forget(m map[uint64]time.Time, key uint64, at time.Time) {
	if m[key].Equal(at) {
		delete(m, key)
	}
}

// Typed tells whether a message of the account's own was typed by a person. In
// doubt it was not: a bot that falls silent by mistake is worse than one that
// speaks beside a person once.
func (r *Ear) Typed(e *engine.Event) bool {
	text, room := r.hashes(e.Account, e.Conversation, e.Text)
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	within := func(at time.Time, d time.Duration) bool { return !at.IsZero() && now.Sub(at) < d }
	return !within(r.began, young) && !within(r.rooms[room], close) && !within(r.texts[text], keep)
}

func (r *Ear) hashes(account, conversation, text string) (said, room uint64) {
	var h maphash.Hash
	h.SetSeed(r.seed)
	h.WriteString(account)
	h.WriteByte(0)
	h.WriteString(conversation)
	h.WriteByte(0)
	room = h.Sum64()
	h.WriteString(strings.TrimSpace(text))
	return h.Sum64(), room
}
