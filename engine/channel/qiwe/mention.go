package qiwe

import "bot/engine"

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
	if _, named := engine.Addressed(text, a.names); named && len(d.AtList) == 0 {
		return engine.MentionMe
	}
	return said
}
