package handoff

import (
	"cmp"
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/kind"
)

// atStaff tells whether something was said in the staff's own conversation.
func (s *skill) atStaff(e *engine.Event) bool {
	return s.staff != "" && e.Conversation == s.staff && (s.account == "" || e.Account == s.account)
}

// Hears implements kind.Listener: staff release a conversation from their own, by
// a word and the conversation's id, wherever the skill's rule applies.
func (s *skill) Hears(e *engine.Event) ([]string, bool) {
	if e.Kind != engine.Message || !e.Spoken() || !s.atStaff(e) {
		return nil, false
	}
	word, id, ok := strings.Cut(strings.TrimSpace(e.Text), " ")
	if id = strings.TrimSpace(id); !ok || id == "" || !s.release.Hits(s.folding.Read(word)) {
		return nil, false
	}
	return []string{word, id}, true
}

// giveBack raises the event that ends the hand-off where it is.
func (v *visit) giveBack(words []string) (engine.Outcome, error) {
	account, conversation := v.event.Account, words[1]
	if a, rest, ok := strings.Cut(conversation, "/"); ok && slices.Contains(v.accounts, a) {
		account, conversation = a, rest
	}
	back := &engine.Event{Account: account, Kind: engine.Released, Conversation: conversation, Actor: cmp.Or(v.event.Sender, v.event.Conversation)}
	text := "已请求交还机器人 / asked to give back to the bot：" + words[1]
	return engine.Outcome{
		Raise: []*engine.Event{back}, Commands: kind.Texts(text, v.limit), Note: "released " + words[1],
	}, nil
}
