package skills_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

func build(t testing.TB, toml string) *skills.Set {
	t.Helper()
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop", "vip"}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// replies makes a configuration of skills that say their own name.
func replies(tables ...string) string {
	var b strings.Builder
	for _, table := range tables {
		name, keys, _ := strings.Cut(table, ": ")
		fmt.Fprintf(&b, "[[skill]]\nname = %q\nreply = %q\n%s\n", name, name, strings.ReplaceAll(keys, "; ", "\n"))
	}
	return b.String()
}

// chosen names the skills that answer, in order.
func chosen(choices []engine.Choice) string {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.Skill.Name()
	}
	return strings.Join(names, " ")
}

func TestWhichSkillAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		skills []string
		text   string
		want   string
	}{
		{"none where nothing matches",
			[]string{`a: keywords = ["x"]`}, "y", ""},
		{"the higher priority before the stronger match",
			[]string{`a: keywords = ["x"]; match = "exact"`, `b: keywords = ["x"]; priority = 1`}, "x", "b"},
		{"a negative priority comes after none",
			[]string{`a: keywords = ["x"]; priority = -1; match = "exact"`, `b: keywords = ["x"]`}, "x", "b"},
		{"exact before prefix",
			[]string{`a: keywords = ["xy"]; match = "prefix"`, `b: keywords = ["xy"]; match = "exact"`}, "xy", "b"},
		{"prefix before regex",
			[]string{`a: patterns = ["^x"]; match = "regex"`, `b: keywords = ["x"]; match = "prefix"`}, "xy", "b"},
		{"regex before contains",
			[]string{`a: keywords = ["xyz"]`, `b: patterns = ["y"]; match = "regex"`}, "xyz", "b"},
		{"the longer keyword of two contained",
			[]string{`a: keywords = ["券"]`, `b: keywords = ["优惠券"]`}, "我要优惠券", "b"},
		{"the longer of two prefixes",
			[]string{`a: keywords = ["查"]; match = "prefix"`, `b: keywords = ["查订单"]; match = "prefix"`}, "查订单1", "b"},
		{"length counts characters, not bytes",
			[]string{`a: keywords = ["abcd"]`, `b: keywords = ["优惠"]`}, "优惠abcd", "a"},
		{"else the first in the file",
			[]string{`a: keywords = ["x"]`, `b: keywords = ["y"]`}, "yx", "a"},
		{"the best of each skill's keywords counts",
			[]string{`a: keywords = ["x", "y"]`, `b: keywords = ["yx"]`}, "yx", "b"},
		{"any only where nothing else matched, whatever its priority",
			[]string{`a: match = "any"; priority = 9`, `b: keywords = ["x"]`}, "x", "b"},
		{"any where nothing else matched",
			[]string{`a: match = "any"`, `b: keywords = ["x"]`}, "y", "a"},
		{"any not even behind a skill that does not stop",
			[]string{`a: match = "any"`, `b: keywords = ["x"]; stop = false`}, "x", "b"},
		{"of two any the higher priority",
			[]string{`a: match = "any"`, `b: match = "any"; priority = 1`}, "y", "b"},
		{"later skills run behind one that does not stop",
			[]string{`a: keywords = ["x"]; stop = false`, `b: keywords = ["x"]`, `c: keywords = ["x"]`}, "x", "a b"},
		{"a disabled skill does not answer",
			[]string{`a: keywords = ["x"]; enabled = false`, `b: keywords = ["x"]`}, "x", "b"},
		{"keywords and patterns in one skill",
			[]string{`a: keywords = ["xyz"]`, `b: keywords = ["z"]; patterns = ["^x"]`}, "xyz", "b"},
		{"patterns need no word about regex",
			[]string{`a: patterns = ["^x+$"]`}, "xx", "a"},
		{"the account's own skill and everybody's: the first in the file",
			[]string{`a: keywords = ["x"]`, `b: keywords = ["x"]; accounts = ["shop"]`}, "x", "a"},
		{"another account's skill does not answer",
			[]string{`a: keywords = ["x"]; accounts = ["vip"]`, `b: keywords = ["x"]`}, "x", "b"},
		{"0627 in full width, with a full stop and a zero-width space",
			[]string{`a: keywords = ["0627"]; match = "exact"`}, "０６\u200b２７。", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := build(t, replies(tt.skills...))
			chat := skilltest.NewChat(t, set)
			if got := chosen(set.Rules(chat.Message(tt.text))); got != tt.want {
				t.Errorf("%q is answered by %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestWhereSkillsAnswer(t *testing.T) {
	set := build(t, replies(
		`private: keywords = ["x"]`,
		`group: keywords = ["x"]; where = "group"`,
		`group, unasked: keywords = ["y"]; where = "group"; mention = false`,
		`anywhere: keywords = ["z"]; where = "any"`,
		`here: keywords = ["w"]; where = "any"; mention = false; in = ["room", "u1"]`,
		`elsewhere: keywords = ["v"]; where = "any"; mention = false; not_in = ["room"]`,
		`rest: match = "any"`,
		`joined: on = "member_joined"`,
		`added: on = "friend_added"`,
		`vip request: on = "friend_request"; keywords = ["vip"]`,
	))
	type change func(*engine.Event)
	group := func(e *engine.Event) { e.Group, e.Conversation = true, "room" }
	other := func(e *engine.Event) { e.Conversation = "room 2" }
	mention := func(m engine.Mention) change { return func(e *engine.Event) { e.Mention = m } }
	text := func(s string) change { return func(e *engine.Event) { e.Text = s } }
	kind := func(k engine.Kind) change { return func(e *engine.Event) { e.Kind, e.Type, e.Mention = k, "", "" } }
	for _, tt := range []struct {
		name    string
		changes []change
		want    string
	}{
		{"a private message", []change{text("x")}, "private"},
		{"a group message that mentions the bot", []change{text("x"), group, mention(engine.MentionMe)}, "group"},
		{"a group message that mentions nobody", []change{text("x"), group}, ""},
		{"a group message to all is not to the bot", []change{text("x"), group, mention(engine.MentionAll)}, ""},
		{"mention = false answers in groups unasked", []change{text("y"), group}, "group, unasked"},
		{"where = any in private", []change{text("z")}, "anywhere"},
		{"where = any in a group, mentioned", []change{text("z"), group, mention(engine.MentionMe)}, "anywhere"},
		{"where = any in a group, not mentioned", []change{text("z"), group}, ""},
		{"in one of its groups", []change{text("w"), group}, "here"},
		{"in one of its private chats", []change{text("w")}, "here"},
		{"in a group that is none of its own", []change{text("w"), group, other}, ""},
		{"in a group it is shut out of", []change{text("v"), group}, ""},
		{"in any other group", []change{text("v"), group, other}, "elsewhere"},
		{"a picture with a keyword in its text", []change{text("x"), func(e *engine.Event) { e.Type = "image" }}, "rest"},
		{"our own message", []change{text("x"), func(e *engine.Event) { e.Self = true }}, ""},
		{"someone joins a group, mentioning nobody", []change{kind(engine.MemberJoined), group}, "joined"},
		{"a new friend", []change{kind(engine.FriendAdded)}, "added"},
		{"a request with the keyword in its greeting", []change{kind(engine.FriendRequest), text("我是VIP客户")}, "vip request"},
		{"a request without", []change{kind(engine.FriendRequest), text("hi")}, ""},
		{"an event that nobody answers", []change{kind(engine.Unknown)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := skilltest.NewChat(t, set).Message("")
			for _, c := range tt.changes {
				c(e)
			}
			if got := chosen(set.Route(e, engine.State{}, engine.State{})); got != tt.want {
				t.Errorf("answered by %q, want %q", got, tt.want)
			}
		})
	}
}

func TestChoice(t *testing.T) {
	set := build(t, `
[[skill]]
name = "order"
patterns = ['^查订单\s*(\w+)$']
timeout = "3s"
scope = "conversation"
stop = false
reply = "x"
`)
	c := set.Rules(skilltest.NewChat(t, set).Message("查订单 A1"))[0]
	if !slices.Equal(c.Match, []string{"查订单 A1", "A1"}) || c.Timeout != 3*time.Second || c.Scope != engine.ScopeConversation || c.Stop {
		t.Errorf("choice %+v", c)
	}
	if want := `pattern "^查订单\\s*(\\w+)$"`; c.Why != want {
		t.Errorf("Why = %s, want %s", c.Why, want)
	}
}

// Scenario 28: whatever the order of the files, priority, mode and length of
// the keywords decide; only what they leave open is left to the order.
func TestTheWinnerDoesNotDependOnTheOrderOfTheFile(t *testing.T) {
	tables := []string{
		`a: keywords = ["领"]`, `b: keywords = ["领优惠券"]`, `c: keywords = ["领优惠"]; match = "prefix"`,
		`d: keywords = ["领"]; match = "prefix"`, `e: patterns = ["券$"]`, `f: match = "any"; priority = 5`,
		`g: keywords = ["领优惠券"]; match = "exact"; priority = -1`, `h: keywords = ["无关"]; priority = 9`,
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		rng.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
		set := build(t, replies(tables...))
		e := skilltest.NewChat(t, set).Message("领优惠券")
		for range 2 {
			if got := chosen(set.Rules(e)); got != "c" {
				t.Fatalf("in the order %q %q answers", tables, got)
			}
		}
	}
}

func TestTwoWithTheSameKeywordAlwaysHaveTheSameWinner(t *testing.T) {
	for range 100 {
		set := build(t, replies(`a: keywords = ["x"]`, `b: keywords = ["x"]`))
		if got := chosen(set.Rules(skilltest.NewChat(t, set).Message("x"))); got != "a" {
			t.Fatalf("%q answers, want the first in the file", got)
		}
	}
}

const form = `
[[skill]]
name = "form"
keywords = ["填"]
[[skill.step]]
save = "a"
ask = "?"
`

func TestTheStateChooses(t *testing.T) {
	set := build(t, form+replies(`x: keywords = ["x"]; priority = 99`))
	live := engine.State{Skill: "form", Node: "a", Expires: skilltest.Start.Add(time.Minute)}
	over := live
	over.Expires = skilltest.Start.Add(-time.Minute)
	other := engine.State{Skill: "gone"}
	for _, tt := range []struct {
		name           string
		kind           engine.Kind
		sender, shared engine.State
		want           string
		scope          engine.Scope
	}{
		{"before any rule", engine.Message, live, engine.State{}, "form", engine.ScopeSender},
		{"though it has run out", engine.Message, over, engine.State{}, "form", engine.ScopeSender},
		{"the whole conversation's", engine.Message, engine.State{}, live, "form", engine.ScopeConversation},
		{"the sender's before the conversation's", engine.Message, live, other, "form", engine.ScopeSender},
		{"one whose skill is gone is ended", engine.Message, other, engine.State{}, "gone", engine.ScopeSender},
		{"not for other events", engine.FriendAdded, live, engine.State{}, "", engine.ScopeSender},
		{"at its expiry", engine.Expired, over, engine.State{}, "form", engine.ScopeSender},
		{"an expiry that comes too late: the conversation has gone on", engine.Expired, live, engine.State{}, "", engine.ScopeSender},
		{"an expiry whose state is ended", engine.Expired, engine.State{}, engine.State{}, "", engine.ScopeSender},
		{"the expiry of the conversation's beside a live one", engine.Expired, live, over, "form", engine.ScopeConversation},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := skilltest.NewChat(t, set).Message("x")
			if e.Kind = tt.kind; tt.kind == engine.Expired && tt.scope == engine.ScopeConversation {
				e.Sender = "" // that is how it says whose it is
			}
			choices := set.Route(e, tt.sender, tt.shared)
			if got := chosen(choices); got != tt.want {
				t.Fatalf("chosen %q, want %q", got, tt.want)
			}
			if len(choices) > 0 && (choices[0].Scope != tt.scope || !choices[0].Stop || choices[0].Match != nil) {
				t.Errorf("choice %+v, want scope %d, alone, without a match", choices[0], tt.scope)
			}
		})
	}
	if got := chosen(set.Rules(skilltest.NewChat(t, set).Message("x"))); got != "x" {
		t.Errorf("by the rules %q answers, want x", got)
	}
}

func FuzzRoute(f *testing.F) {
	set := build(f, form+replies(`x: keywords = ["x", "优惠券"]`, `p: patterns = ['(\w+)单']`, `rest: match = "any"; where = "any"; mention = false`))
	f.Add("x", "text", false)
	f.Add("０６２７\u200b", "image", true)
	f.Fuzz(func(t *testing.T, text, typ string, group bool) {
		e := skilltest.NewChat(t, set).Message(text)
		e.Type, e.Group = typ, group
		choices := set.Rules(e)
		if len(choices) != 1 {
			t.Fatalf("%d choices, want one: the last skill takes all there is", len(choices))
		}
		if again := set.Rules(e); chosen(again) != chosen(choices) || !slices.Equal(again[0].Match, choices[0].Match) {
			t.Errorf("routed again: %v, then %v", choices, again)
		}
	})
}
