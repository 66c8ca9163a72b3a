package kind

import (
	"fmt"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/nearest"
	"bot/skills/match"
)

// Keys are the keys that all kinds have in common. A kind embeds them, by
// value, in the struct it decodes its section into.
type Keys struct {
	Name        string          `toml:"name"`
	On          string          `toml:"on"`
	Accounts    []string        `toml:"accounts"` // none: all
	Where       string          `toml:"where"`
	Mention     bool            `toml:"mention"`
	Priority    int             `toml:"priority"`
	Keywords    []string        `toml:"keywords"`
	Patterns    []string        `toml:"patterns"`
	Match       string          `toml:"match"`
	Stop        bool            `toml:"stop"`
	Enabled     bool            `toml:"enabled"`
	Scope       string          `toml:"scope"`
	Timeout     engine.Duration `toml:"timeout"`
	Concurrency int             `toml:"concurrency"`
	Delay       engine.Range    `toml:"delay"`
	Once        string          `toml:"once"`
	OnceReply   string          `toml:"once_reply"`
	OnceKeep    engine.Duration `toml:"once_keep"`
	Test        []Test          `toml:"test"`
}

// Test is a dialogue beside a skill.
type Test struct {
	Send   []string `toml:"send"`
	Expect []string `toml:"expect"`
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

// kinds are the events that skills can answer; the engine's own are left out.
var kinds = []string{
	string(engine.Message), string(engine.FriendRequest), string(engine.FriendAdded),
	string(engine.MemberJoined), string(engine.MemberLeft),
}

// check looks at the common keys, all but `accounts`, which only Build can judge.
func (d *Draft) check() {
	if d.Lacks("name", d.Name == "") {
		d.Problem("", `a skill needs a name (name = "coupon")`)
	}
	d.oneOf("on", d.On, kinds)
	d.oneOf("where", d.Where, []string{Private, Group, Any})
	d.oneOf("scope", d.Scope, []string{"sender", "conversation"})
	d.place()
	before := len(d.problems)
	d.Rule = d.rule()
	d.unsure = d.undecoded || len(d.problems) > before
	switch {
	case d.Concurrency < 0:
		d.Problem("concurrency", "concurrency cannot be below zero (0 = no limit of its own)")
	case d.Concurrency > 0:
		d.Warn("concurrency", "concurrency limits skills that wait for other systems; this one waits for none, so it has no effect")
	}
	for i, t := range d.Test {
		if key := Path("test", i); d.Has(key) && d.Lacks(key, len(t.Send) == 0 || len(t.Expect) == 0) {
			d.Problem(key, `a test needs both send and expect (send = ["hello"], expect = ["Hi"])`)
		}
	}
}

// place sets where a skill works that does not say so: messages in private
// chats, other events wherever they happen.
func (d *Draft) place() {
	message := d.On == string(engine.Message)
	if !message && !d.Has("where") {
		d.Where = Any
	}
	group := d.On == string(engine.MemberJoined) || d.On == string(engine.MemberLeft)
	if group && d.Where == Private {
		d.Warn("where", "%s happens in groups only, so this skill never answers (where = \"group\")", d.On)
	}
	friend := d.On == string(engine.FriendRequest) || d.On == string(engine.FriendAdded)
	if friend && d.Where == Group {
		d.Warn("where", "%s never happens in a group, so this skill never answers (where = \"private\")", d.On)
	}
}

// rule compiles keywords and patterns.
func (d *Draft) rule() match.Rule {
	mode, ok := match.ParseMode(d.Match)
	if !ok {
		d.oneOf("match", d.Match, match.Modes())
		mode = match.Contains
	}
	rule := match.Rule{Bare: match.Every}
	bare := len(d.Keywords) == 0 && len(d.Patterns) == 0
	switch {
	case mode == match.Any:
		rule.Bare = match.Any
		if !bare {
			d.Problem("match", `match = "any" answers what nothing else matched and takes no keywords or patterns`)
			return rule
		}
	case mode == match.Regex && len(d.Keywords) > 0:
		d.Problem("keywords", `match = "regex" reads patterns, not keywords (patterns = ['…'])`)
	case mode == match.Regex && d.Lacks("patterns", len(d.Patterns) == 0):
		d.Problem("match", `match = "regex" needs patterns = ['…']`)
	case mode != match.Regex && d.On == string(engine.Message) && d.Lacks("keywords", bare) && d.Lacks("patterns", bare):
		d.Problem("", `a skill that answers messages needs keywords, patterns or match = "any"`)
	}
	if mode != match.Regex {
		d.keywords(&rule, mode)
	}
	for i, expr := range d.Patterns {
		if expr == "" && !d.Lacks(Path("patterns", i), true) {
			continue
		}
		re, err := match.NewPattern(expr)
		if err != nil {
			d.Problem(Path("patterns", i), "%v", err)
			continue
		}
		rule.Patterns = append(rule.Patterns, re)
	}
	return rule
}

func (d *Draft) keywords(rule *match.Rule, mode match.Mode) {
	for i, typed := range d.Keywords {
		if typed == "" && !d.Lacks(Path("keywords", i), true) {
			continue
		}
		k, err := match.NewKeyword(typed, mode)
		if err != nil {
			d.Problem(Path("keywords", i), "%v", err)
			continue
		}
		rule.Keywords = append(rule.Keywords, k)
	}
}

func (d *Draft) oneOf(key, value string, known []string) {
	if slices.Contains(known, value) || !d.Lacks(key, true) && value == "" {
		return
	}
	hint := nearest.Hint(value, known)
	if meant := chinese[value]; slices.Contains(known, meant) {
		hint = fmt.Sprintf(" (write %q)", meant)
	}
	d.Problem(key, "unknown %s %q%s", key, value, hint)
}
