package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode"

	"bot/engine"
	"bot/store"
)

// KnownKey is the note that a conversation is known (engine.Kind.Meets).
func KnownKey(conversation string) string { return noteKey("known/", conversation) }

// noteKey makes a key of an id, which may be longer than keys can be.
func noteKey(use, id string) string {
	if len(use)+len(id) <= store.MaxNoteKey {
		return use + id
	}
	sum := sha256.Sum256([]byte(id))
	return use + hex.EncodeToString(sum[:])
}

// OfflineKey is the note that an account is not connected to its platform. Its
// value is what the platform said of it.
const OfflineKey = "hold/offline"

// factKey is the note that skills have seen a fact, and factKeep how long it
// stands: longer than platforms take to tell it a second time.
func factKey(fact string) string { return noteKey("fact/", fact) }

const factKeep = 72 * time.Hour

// read makes the event what skills are to see of it: with the kind it has by
// what is known, and the words without the mention of the bot. The logged event
// is left as it is.
func (p *play) read() error {
	e := p.event
	if p.account.Meets || e.IfKnown != "" {
		known, err := p.Memory.Recall(e.Account, KnownKey(e.Conversation))
		if err != nil {
			return fmt.Errorf("look up conversation: %w", err)
		}
		p.known = known != ""
	}
	seen := *e
	if p.known && e.IfKnown != "" {
		seen.Kind = e.IfKnown
	}
	if e.Fact != "" && seen.Kind == e.Kind {
		told, err := p.Memory.Recall(e.Account, factKey(e.Fact))
		if err != nil {
			return fmt.Errorf("look up fact: %w", err)
		}
		p.told = told != ""
	}
	if e.Mention == engine.MentionAll && p.account.MentionAll {
		seen.Mention = engine.MentionMe
	}
	if e.Group && seen.Mention == engine.MentionMe {
		seen.Text = Unaddressed(e.Text, p.account.Names)
	}
	if seen.Kind != e.Kind || seen.Mention != e.Mention || seen.Text != e.Text {
		p.event = &seen
	}
	return nil
}

// afterMention is what WeChat's clients put behind the name they mention.
const afterMention = '\u2005'

// Unaddressed takes the mention that a text begins or ends with away: one of
// the names, or whatever is closed by the space that clients put there. What a
// text mentions in its middle is part of what it says.
func Unaddressed(text string, names []string) string {
	text = strings.TrimFunc(text, space)
	for {
		rest, found := leading(text, names)
		if !found {
			break
		}
		text = rest
	}
	for _, name := range names {
		if rest, found := strings.CutSuffix(text, "@"+name); found && name != "" {
			text = strings.TrimFunc(rest, space)
		}
	}
	return text
}

// leading cuts a mention off the front.
func leading(text string, names []string) (rest string, found bool) {
	after, at := strings.CutPrefix(text, "@")
	if !at {
		after, at = strings.CutPrefix(text, "\uFF20") // the full-width sign
	}
	if !at {
		return text, false
	}
	for _, name := range names {
		rest, found = strings.CutPrefix(after, name)
		if found && name != "" && (rest == "" || strings.IndexFunc(rest, space) == 0) {
			return strings.TrimFunc(rest, space), true
		}
	}
	// Names hold spaces, but not this one, and are short.
	name, rest, found := strings.Cut(after, string(afterMention))
	if found && len(name) <= maxName && !strings.ContainsRune(name, '\n') {
		return strings.TrimFunc(rest, space), true
	}
	return text, false
}

// maxName bounds a name in a group in bytes: 32 characters of four.
const maxName = 128

func space(r rune) bool { return r == afterMention || unicode.IsSpace(r) }
