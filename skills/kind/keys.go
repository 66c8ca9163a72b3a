package kind

import (
	"time"

	"bot/engine"
	"bot/skills/match"
)

// Keys are what every skill may have, of whatever kind.
//
//	[[skill]]
//	name = "coupon"
//	on = "message"
//	where = "private"
//	scope = "sender"
//	keywords = ["领券", "优惠券"]
//	match = "contains"
//	not = ["退券"]
//	priority = 10
//	concurrency = 100
//	delay = "1s..2s"
//	reply = "您的券：https://example.com/c/{{.User}}"
//	once = "{{.User}} {{.Day}}"
//	once_reply = "今天已经领过啦"
//	once_keep = "400d"
type Keys struct { // embedded, by value, in what a kind decodes its section into
	// Unique: it appears in logs and metrics.
	Name string `toml:"name" default:"required"`
	// The event that it answers.
	On string `toml:"on" is:"@events"`
	// Only for these accounts.
	Accounts []string `toml:"accounts" default:"all"`
	// In private chats, in groups, or in both.
	Where string `toml:"where" is:"private|group|any" default:"'\"private\"' for messages, else anywhere"`
	// Only in these conversations, by their ids.
	In []string `toml:"in" default:"everywhere"`
	// Everywhere but in these conversations.
	NotIn []string `toml:"not_in"`
	// In groups: only when the bot is mentioned.
	Mention bool `toml:"mention"`
	// Higher ones come first.
	Priority int `toml:"priority"`
	// Words that a message is compared with, as `match` says.
	Keywords []string `toml:"keywords"`
	// Regular expressions (RE2).
	Patterns []string `toml:"patterns"`
	// `any` is what nothing else matched; `regex` reads patterns.
	Match string `toml:"match" is:"exact|prefix|regex|contains|any"`
	// Keywords that are contained, one of which must be there.
	AnyOf []string `toml:"any_of"`
	// Words that must all be there.
	AllOf []string `toml:"all_of"`
	// Words of which none may be there.
	Not []string `toml:"not"`
	// A name of `[hours]`: only then; with `!` before it only outside of them.
	Hours string `toml:"hours" default:"always"`
	// `false` lets later skills answer too.
	Stop bool `toml:"stop"`
	// `false` switches it off.
	Enabled bool `toml:"enabled"`
	// Whose state a skill of several turns keeps: the sender's, or the whole conversation's.
	Scope string `toml:"scope" is:"sender|conversation"`
	// Of one run; past it the event is tried again.
	Timeout engine.Duration `toml:"timeout" default:"'\"30s\"'"`
	// Runs at once, over all conversations; whoever comes beyond waits.
	Concurrency int `toml:"concurrency" is:"0.." default:"none; http 16, llm 8"`
	// A wait before the answer, counted from receipt, at most 30d.
	Delay engine.Range `toml:"delay"`
	// Kinds of event that call the answer off while it waits.
	Unless []string `toml:"unless" is:"@events"`
	// Words of a message that call it off, in place of every message.
	UnlessKeywords []string `toml:"unless_keywords"`
	// At most one answer to somebody in this time.
	Cooldown engine.Duration `toml:"cooldown"`
	// A template: at most one answer for each value of it.
	Once string `toml:"once"`
	// What the second one gets, a template.
	OnceReply string `toml:"once_reply"`
	// How long a value is remembered.
	OnceKeep engine.Duration `toml:"once_keep"`
	// Asks whether they are sure before it runs.
	Sensitive bool `toml:"sensitive"`
	// That question, a template.
	SensitiveAsk string `toml:"sensitive_ask" default:"a line in both languages"`
	Test         []Test `toml:"test"`
}

// Test is a dialogue that `bot check` and `bot reload` play.
//
//	[[skill]]
//	name = "hello"
//	keywords = ["你好"]
//	reply = "您好！"
//
//	[[skill.test]]
//	send = ["你好"]
//	expect = ["您好"]
type Test struct {
	// What is sent, line by line; `/wait 11m`, `/event friend_added`, `/as u2` and more are explained in
	// [skills](skills.md).
	Send []string `toml:"send" default:"required"`
	// What each line is answered: a text that the reply contains, `/…/` a regular expression, `-` no reply.
	Expect []string `toml:"expect" default:"required"`
	// What other systems answer, in order: a text, or `{status = 404, body = "…"}`.
	Answers []any `toml:"answers" is:"$text|$table"`
}

// Config is a struct that embeds Keys.
type Config interface{ keys() *Keys }

func (k *Keys) keys() *Keys { return k }

// The values of `where`.
const (
	Private = "private"
	Group   = "group"
	Any     = "any"
)

// chinese are values that are written in the words of the comments beside them.
var chinese = map[string]string{
	"私聊": Private, "群": Group, "群聊": Group, "都": Any, "全部": Any, "任意": Any, "所有": Any,
	"发送者": string(Sender), "成员": string(Members), "所有人": string(All),
	"包含": "contains", "完全": "exact", "完全相同": "exact", "精确": "exact", "前缀": "prefix", "开头": "prefix", "正则": "regex",
}

// onceKeep outlasts a yearly campaign.
const onceKeep = 400 * 24 * time.Hour

// Defaults are the keys of a section that says nothing.
func Defaults() Keys {
	return Keys{
		On: string(engine.Message), Where: Private, Mention: true, Match: match.Contains.String(),
		Stop: true, Enabled: true, Scope: "sender", OnceKeep: engine.Duration(onceKeep),
	}
}
