package gewe

import (
	"strings"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// What a phone's notification says of a group message that mentions its owner,
// in a Chinese interface (v2.0, which has no list of the mentioned).
const (
	pushMe  = "在群聊中@了你"
	pushAll = "@了所有人"
)

// mention tells whom a group message addresses. v1.0 lists the mentioned in
// MsgSource, and the list decides. Without one the notification does; without a
// notification, the account's names in the text.
func (in *inbound) mention(said string) engine.Mention {
	if in.room == "" && !in.unplaced || in.mine {
		return engine.MentionNone
	}
	if list := wechat.Parse(in.source).Child("atuserlist").Text(); list != "" {
		return listed(list, in.self)
	}
	// The notification of an ordinary message quotes it. Who writes the
	// platform's phrase into a message has not mentioned anybody.
	switch {
	case strings.Contains(in.push, pushMe) && !strings.Contains(said, pushMe):
		return engine.MentionMe
	case strings.Contains(in.push, pushAll) && !strings.Contains(said, pushAll):
		return engine.MentionAll
	case in.source != "" || in.push != "":
		return engine.MentionNone
	}
	if _, named := engine.Addressed(said, in.account.names); named {
		return engine.MentionMe
	}
	return engine.MentionNone
}

// listed reads the list of ids, which may begin with a comma. Ids are compared
// whole: one may be the beginning of another.
func listed(list, self string) engine.Mention {
	m := engine.MentionNone
	for id := range strings.SplitSeq(list, ",") {
		switch strings.TrimSpace(id) {
		case "":
		case self:
			return engine.MentionMe
		case wechat.Everybody:
			m = engine.MentionAll
		}
	}
	return m
}
