package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/quota"
	"bot/store"
)

// knownKey is the note that a conversation is known (engine.Kind.Meets).
func knownKey(conversation string) string { return noteKey("known/", conversation) }

// noteKey makes a key of an id, which may be longer than keys can be.
func noteKey(use, id string) string {
	if len(use)+len(id) <= store.MaxNoteKey {
		return use + id
	}
	sum := sha256.Sum256([]byte(id))
	return use + hex.EncodeToString(sum[:])
}

// factKey is the note that skills have seen a fact, and factKeep how long it
// stands: longer than platforms take to tell it a second time.
func factKey(fact string) string { return noteKey("fact/", fact) }

const factKeep = 72 * time.Hour

// read makes the event what skills are to see of it: with the kind it has by
// what is remembered, and the words without the mention of the bot. The logged
// event is left as it is.
func (p *play) read() error {
	e := p.event
	noted, err := p.remembers(e.IfNoted)
	if err != nil {
		return err
	}
	if p.account.Meets || e.IfKnown != "" {
		if p.known, err = p.remembers(knownKey(e.Conversation)); err != nil {
			return err
		}
	}
	seen := *e
	seen.Kind = e.KindWhen(p.known, noted)
	if e.Fact != "" && seen.Kind.Begins() {
		if p.told, err = p.remembers(factKey(e.Fact)); err != nil {
			return err
		}
	}
	if e.Kind == engine.Online {
		note, err := p.Memory.Recall(e.Account, OfflineKey)
		if err != nil {
			return fmt.Errorf("look up when the account went offline: %w", err)
		}
		p.gone, _ = OfflineNote(note)
	}
	if p.account.Hears > 0 && quota.Hears(e) {
		if p.heard, err = quota.Heard(e.Conversation, p.recall); err != nil {
			return fmt.Errorf("look up when the person last wrote: %w", err)
		}
	}
	if e.Mention == engine.MentionAll && p.account.MentionAll {
		seen.Mention = engine.MentionMe
	}
	if e.Group && seen.Mention == engine.MentionMe {
		seen.Text = unnamed(unaddressed(e.Text, p.account.Names))
	}
	if seen.Kind != e.Kind || seen.Mention != e.Mention || seen.Text != e.Text {
		p.event = &seen
	}
	if p.Contact == nil {
		return nil
	}
	p.contact, err = p.Contact(p.event)
	return err
}

func (p *play) recall(key string) (string, error) { return p.Memory.Recall(p.event.Account, key) }

// remembers tells whether a note of the account stands.
func (p *play) remembers(key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	value, err := p.Memory.Recall(p.event.Account, key)
	if err != nil {
		return false, fmt.Errorf("look up %s: %w", key, err)
	}
	return value != "", nil
}

// unaddressed takes the mentions that a text begins or ends with away: those of
// the names (engine.Addressed), and at its beginning whatever is closed by the
// space that WeChat's clients put behind the name they show, which in a group may
// be one that nobody configured.
func unaddressed(text string, names []string) string {
	text = strings.TrimSpace(text)
	for {
		rest, _ := engine.Addressed(text, names)
		rest, closed := withoutClosed(rest)
		if !closed {
			return rest
		}
		text = rest
	}
}

// unnamed takes the one mention that a text begins with away, whatever the name:
// the platform said that the account is meant, and in a group it may go by a name
// that nobody configured. Where several are mentioned it is left as it is.
func unnamed(text string) string {
	if !strings.HasPrefix(text, "@") || strings.Count(text, "@") > 1 {
		return text
	}
	name, rest, found := strings.Cut(text, " ")
	if !found || len(name) > maxName {
		return text
	}
	return strings.TrimSpace(rest)
}

// afterMention is the space that closes a mention.
const afterMention = "\u2005"

// maxName bounds a name in a group in bytes: 32 characters of four.
const maxName = 128

// withoutClosed takes a mention that is closed off the front. Names hold spaces,
// but not this one, and are short.
func withoutClosed(text string) (rest string, found bool) {
	after, at := strings.CutPrefix(text, "@")
	if !at {
		after, at = strings.CutPrefix(text, "＠")
	}
	name, rest, closed := strings.Cut(after, afterMention)
	if !at || !closed || len(name) > maxName || strings.ContainsRune(name, '\n') {
		return text, false
	}
	return strings.TrimSpace(rest), true
}
