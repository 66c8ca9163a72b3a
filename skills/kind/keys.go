package kind

import (
	"time"

	"bot/engine"
	"bot/skills/match"
)

// Keys are the keys that all kinds have in common. A kind embeds them, by
// value, in the struct it decodes its section into.
type Keys struct {
	Name           string          `toml:"name"`
	On             string          `toml:"on"`
	Accounts       []string        `toml:"accounts"` // none: all
	Where          string          `toml:"where"`
	In             []string        `toml:"in"`     // ids of conversations; none: all
	NotIn          []string        `toml:"not_in"` // all but these
	Mention        bool            `toml:"mention"`
	Priority       int             `toml:"priority"`
	Keywords       []string        `toml:"keywords"`
	Patterns       []string        `toml:"patterns"`
	Match          string          `toml:"match"`
	AnyOf          []string        `toml:"any_of"` // keywords that are contained
	AllOf          []string        `toml:"all_of"`
	Not            []string        `toml:"not"`
	Hours          string          `toml:"hours"` // a name in [hours], with ! outside of them
	Stop           bool            `toml:"stop"`
	Enabled        bool            `toml:"enabled"`
	Scope          string          `toml:"scope"`
	Timeout        engine.Duration `toml:"timeout"`
	Concurrency    int             `toml:"concurrency"`
	Delay          engine.Range    `toml:"delay"`
	Unless         []string        `toml:"unless"`          // kinds of event that call off what the delay keeps
	UnlessKeywords []string        `toml:"unless_keywords"` // words of messages that do
	Cooldown       engine.Duration `toml:"cooldown"`
	Once           string          `toml:"once"`
	OnceReply      string          `toml:"once_reply"`
	OnceKeep       engine.Duration `toml:"once_keep"`
	Sensitive      bool            `toml:"sensitive"`
	SensitiveAsk   string          `toml:"sensitive_ask"`
	Test           []Test          `toml:"test"`
}

// Test is a dialogue beside a skill.
type Test struct {
	Send    []string `toml:"send"`
	Expect  []string `toml:"expect"`
	Answers []any    `toml:"answers"` // a text, or {status = 404, body = "…"}
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

func defaults() Keys {
	return Keys{
		On: string(engine.Message), Where: Private, Mention: true, Match: match.Contains.String(),
		Stop: true, Enabled: true, Scope: "sender", OnceKeep: engine.Duration(onceKeep),
	}
}
