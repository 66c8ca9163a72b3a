package qiwe

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"bot/engine"
)

// everybody is the user id that stands for all members of a room. It is
// documented for what is sent; that received messages use it too is inferred.
const everybody = "0"

// mention tells whom a group message addresses: those in atList, by their ids.
// Only where that list is empty or missing does the text count.
func (a *account) mention(v *event, d *data, text string) engine.Mention {
	said := engine.MentionNone
	for _, at := range d.AtList {
		switch id := at.UserID; {
		case id == everybody:
			said = engine.MentionAll
		case id != "" && a.is(v, string(id)):
			return engine.MentionMe
		}
	}
	if len(d.AtList) == 0 && addresses(text, a.names) {
		return engine.MentionMe
	}
	return said
}

// addresses tells whether the text holds an @ before one of the names. The
// name must end there: @小助手 does not address 小助, nor the other way round.
func addresses(text string, names []string) bool {
	for _, name := range names {
		if name == "" {
			continue
		}
		for rest, more := text, true; more; {
			if _, rest, more = strings.Cut(rest, "@"+name); !more {
				break
			}
			if r, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
				return true
			}
		}
	}
	return false
}
