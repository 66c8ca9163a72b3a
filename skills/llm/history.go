package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/clip"
)

// Bytes of what is remembered of a conversation: of all of it, and of the two
// texts of its last exchange, so that that one always fits.
const (
	maxHistory  = 16 << 10
	maxAsked    = 6 << 10
	maxAnswered = 10 << 10
)

// exchange is a question and its answer.
type exchange struct {
	Asked    string `json:"q"`
	Answered string `json:"a"`
}

// history is what was said so far, the latest last.
type history []exchange

// with adds an exchange and drops the oldest ones beyond a number and beyond
// what may be kept in bytes.
func (h history) with(x exchange, most int) history {
	x = exchange{clip.To(x.Asked, maxAsked), clip.To(x.Answered, maxAnswered)}
	return append(h[:len(h):len(h)], x).latest(most)
}

// latest are the last ones that may be kept.
func (h history) latest(most int) history {
	bytes, from := 0, len(h)
	for from > 0 && len(h)-from < most {
		bytes += len(h[from-1].Asked) + len(h[from-1].Answered)
		if bytes > maxHistory {
			break
		}
		from--
	}
	return h[from:]
}

// encode writes a history as a note's value, of at most twice its bytes: what
// clean leaves is escaped with one character at most.
func (h history) encode() string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(h) // texts in a list: nothing to refuse, and a builder takes all
	return strings.TrimSuffix(b.String(), "\n")
}

// decode reads what encode wrote. A note that is no history begins a new one.
func decode(note string) history {
	var h history
	if json.Unmarshal([]byte(note), &h) != nil {
		return nil
	}
	return h
}

// memory is what a skill remembers of conversations, and whose.
type memory struct {
	exchanges int           // kept; 0: nothing is
	keeps     time.Duration // after the last answer
	shared    bool          // a group's members have one in common
}

// recall is what was said in the turn's conversation.
func (m *memory) recall(t *engine.Turn) (history, error) {
	if m.exchanges == 0 {
		return nil, nil
	}
	note, err := t.Recall(m.key(t.Event))
	if err != nil {
		return nil, fmt.Errorf("look up what was said before: %w", err)
	}
	return decode(note).latest(m.exchanges), nil
}

// keep is what is to be remembered after an answer.
func (m *memory) keep(e *engine.Event, past history, x exchange) []engine.Note {
	if m.exchanges == 0 {
		return nil
	}
	return []engine.Note{{
		Key: m.key(e), Value: past.with(x, m.exchanges).encode(), Expires: e.Received.Add(m.keeps),
	}}
}

func (m *memory) key(e *engine.Event) string {
	if m.shared {
		return key("said", e.Conversation)
	}
	return key("said", e.Conversation, e.Sender)
}

// speaker goes before the words of somebody with whom others share the history.
func (m *memory) speaker(e *engine.Event) string {
	name := label(e.SenderName, maxName)
	if !m.shared || !e.Group || name == "" {
		return ""
	}
	return name + "："
}

// maxKey bounds the keys of notes and counts, in bytes (engine.Count).
const maxKey = 256

// key names what is remembered of some ids, of which no two have the same key.
func key(use string, ids ...string) string {
	for _, id := range ids {
		use += fmt.Sprintf("/%d:%s", len(id), id)
	}
	if len(use) <= maxKey {
		return use
	}
	sum := sha256.Sum256([]byte(use))
	return hex.EncodeToString(sum[:])
}
