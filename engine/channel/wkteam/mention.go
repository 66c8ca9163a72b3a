package wkteam

import (
	"slices"

	"bot/engine"
	"bot/engine/channel/wechat"
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
		case slices.Contains(d.AtList, wechat.Everybody):
			return engine.MentionAll
		}
		return engine.MentionNone
	}
	if _, named := engine.Addressed(shown, a.names); named && quote {
		return engine.MentionMe
	}
	if _, all := engine.Addressed(shown, []string{wechat.EverybodyShown}); all {
		return engine.MentionAll
	}
	return engine.MentionNone
}
