package wkteam

import (
	"slices"
	"strings"
	"unicode/utf8"

	"bot/engine"
)

// everybody is how the platform writes that a message is for all members, and
// everybodyShown what the members see.
const (
	everybody      = "notify@all"
	everybodyShown = "所有人"
)

// mention reads whom a group message is for. The list of ids decides where
// there is one. Without it the words decide: that everybody is called may stand
// in them alone (the page marks this as inferred), and the list is missing from
// some quotes, where our own name counts too.
func (a *account) mention(d *data, shown string, quote bool) engine.Mention {
	if len(d.AtList) > 0 {
		switch {
		case slices.Contains(d.AtList, a.self):
			return engine.MentionMe
		case slices.Contains(d.AtList, everybody):
			return engine.MentionAll
		}
		return engine.MentionNone
	}
	if quote && slices.ContainsFunc(a.names, func(name string) bool { return shows(shown, name) }) {
		return engine.MentionMe
	}
	if shows(shown, everybodyShown) {
		return engine.MentionAll
	}
	return engine.MentionNone
}

// shows tells whether text has "@name" in it as WeChat writes it: up to a
// four-per-em space (U+2005), a space of another kind, or the end. A longer name
// that begins alike is another one.
func shows(text, name string) bool {
	if name == "" {
		return false
	}
	for {
		_, rest, found := strings.Cut(text, "@"+name)
		if !found {
			return false
		}
		next, _ := utf8.DecodeRuneInString(rest)
		if rest == "" || strings.ContainsRune(" \u2005\u00a0\n\r\t", next) {
			return true
		}
		text = rest
	}
}
