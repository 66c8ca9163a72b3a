package sensitive_test

import (
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/kind"
	"bot/skills/skilltest"
)

const account = `
[[skill]]
name = "erase"
match = "regex"
patterns = ['^注销\s*(\w+)$']
sensitive = true
sensitive_ask = "真的注销 {{index .Match 1}} 吗？"
once = "{{index .Match 1}}"
once_reply = "已经注销过了"
reply = "{{index .Match 1}} 已注销"
[[skill]]
name = "move"
keywords = ["搬家"]
sensitive = true
done = "搬到 {{.Data.city}}"
[[skill.step]]
save = "city"
ask = "搬到哪里？"
[[skill]]
name = "hello"
keywords = ["你好"]
reply = "您好"
`

func TestDialogues(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, account).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, transcript string }{
		{"a yes runs it on what was said at first", `
			user 注销 A12
			bot  真的注销 A12 吗？
			user 是！
			bot  A12 已注销
			user 是`},
		{"a no does not", `
			user 注销 A12
			bot  真的注销 A12 吗？
			user 取消
			bot  已取消。⏎Cancelled.
			user 是`},
		{"nor does anything else, which is answered", `
			user 注销 A12
			bot  真的注销 A12 吗？
			user 你好
			bot  已取消。⏎Cancelled.
			bot  您好`},
		{"nor a picture", `
			user 注销 A12
			bot  真的注销 A12 吗？
			sends image
			bot  已取消。⏎Cancelled.`},
		{"nor a yes that comes late", `
			user 注销 A12
			bot  真的注销 A12 吗？
			skip 6m
			user 是`},
		{"asked again, it is a new question", `
			user 注销 A12
			bot  真的注销 A12 吗？
			user 注销 B34
			bot  已取消。⏎Cancelled.
			bot  真的注销 B34 吗？
			user Yes
			bot  B34 已注销`},
		{"a grant is taken by what runs, not by the question", `
			user 注销 A12
			bot  真的注销 A12 吗？
			user 否
			bot  已取消。⏎Cancelled.
			user 注销 A12
			bot  真的注销 A12 吗？
			user 是
			bot  A12 已注销
			user 注销 A12
			bot  真的注销 A12 吗？
			user 是
			bot  已经注销过了`},
		{"a form is asked about once, before it begins", `
			user 搬家
			bot  请确认：搬家⏎回复“是”继续，其他内容取消。⏎Please confirm: reply "yes" to go on, anything else cancels.
			user 是
			bot  搬到哪里？
			user 是
			bot  搬到 是`},
		{"a picture is not asked about", `
			sends image`},
		{"nobody confirms for another", `
			user 注销 A12
			bot  真的注销 A12 吗？
			as   u2
			user 是
			as   u1
			user 是
			bot  A12 已注销`},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestInASharedStateOnlyTheOneWhoWasAskedConfirms(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, `
[[skill]]
name = "dissolve"
where = "group"
scope = "conversation"
keywords = ["解散"]
sensitive = true
sensitive_ask = "真的？是 / yes"
reply = "已解散"
[[skill]]
name = "hello"
where = "group"
keywords = ["你好"]
reply = "您好"
`).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	skilltest.Try(t, "", set, `
		in   room
		user 解散
		bot  真的？是 / yes
		as   u2
		user 是
		user 你好
		bot  您好
		as   u1
		user 是
		bot  已解散`)
}

// A reload may make a plain skill of what was a form; whoever is in the form must
// not have it run on whatever they say next.
func TestALeftoverStateRunsNothing(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, "[[skill]]\nname = \"bind\"\nkeywords = [\"注销\"]\nsensitive = true\nreply = \"已注销\"").Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	chat := skilltest.NewChat(t, set)
	chat.States[engine.StateKey{Account: "shop", Conversation: "u1", Sender: "u1"}] = engine.State{Skill: "bind", Node: "phone", Version: 1}
	if said := chat.Say("13800000000"); len(said) != 1 || said[0] != kind.Changed {
		t.Errorf("said %q", said)
	}
}

// Where the bot keeps quiet, an action that asks first would break it.
func TestWhatAsksIsNotAside(t *testing.T) {
	for extra, want := range map[string]bool{"": true, "sensitive = true\n": false} {
		toml := "[[skill]]\nname = \"a\"\nkeywords = [\"删我\"]\n" + extra + "do = \"delete_friend\""
		set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Rules(skilltest.NewChat(t, set).Message("删我"))[0].Aside; got != want {
			t.Errorf("%q: aside %v, want %v", extra, got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, skill, want string }{
		{"an event that nobody wrote", "on = \"friend_request\"\nsensitive = true\ndo = \"accept_friend\"", `4:13: skill "s": a question can only be asked`},
		{"a cooldown", "keywords = [\"x\"]\nsensitive = true\ncooldown = \"1m\"\nreply = \"a\"", `5:12: skill "s": a sensitive skill asks before it runs`},
		{"a hand-off", "keywords = [\"x\"]\nsensitive = true\n[skill.handoff]", `4:13: skill "s": a hand-off needs no second question`},
		{"a text without its skill being sensitive", "keywords = [\"x\"]\nsensitive_ask = \"?\"\nreply = \"a\"", `4:17: skill "s": sensitive_ask does nothing without sensitive = true`},
		{"a field that is not there", "keywords = [\"x\"]\nsensitive = true\nsensitive_ask = \"{{.Data.x}}\"\nreply = \"a\"", `5:17: skill "s": bad template`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skills.Build(skilltest.Parse(t, "[[skill]]\nname = \"s\"\n"+tt.skill).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.HasPrefix(got[0], "bot.toml:"+tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
