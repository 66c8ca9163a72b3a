package later_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/trial"
	"bot/engine/turn"
	"bot/skills"
	"bot/skills/skilltest"
)

const reminder = `
[[skill]]
name   = "reminder"
on     = "friend_added"
delay  = "5m"
unless = ["message", "friend_deleted"]
reply  = "还在吗？发“菜单”看看我们有什么"

[[skill]]
name     = "menu"
keywords = ["菜单"]
reply    = "1 奶茶 2 果茶"

[[skill]]
name     = "pay"
keywords = ["下单"]
delay    = "10m"
unless_keywords = ["已付款", "取消"]
reply    = "订单还没有付款"

[[skill]]
name     = "form"
keywords = ["登记"]
[[skill.step]]
save = "phone"
ask  = "手机号？"
`

func build(t *testing.T, toml string) *skills.Set {
	t.Helper()
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// try plays a dialogue: lines with what comes of each behind =>, "-" for nothing.
func try(t *testing.T, set *skills.Set, group bool, dialogue string) {
	t.Helper()
	s := engine.Script{Skill: "it", Where: "test", Account: "shop"}
	for line := range strings.Lines(dialogue) {
		send, expect, ok := strings.Cut(strings.TrimSpace(line), "=>")
		if !ok {
			continue
		}
		s.Send, s.Expect = append(s.Send, strings.TrimSpace(send)), append(s.Expect, strings.TrimSpace(expect))
	}
	o := trial.Options{
		Account: "shop", Start: skilltest.Start, Timeout: time.Minute, Chance: func() float64 { return 0.5 },
		Setup: turn.Setup{Router: set, Accounts: map[string]engine.Account{"shop": {Name: "shop"}}},
	}
	if group {
		o.Group = "room"
	}
	if err := trial.Run(context.Background(), o, s); err != nil {
		t.Error(err)
	}
}

func TestDialogues(t *testing.T) {
	set := build(t, reminder)
	for _, tt := range []struct{ name, dialogue string }{
		{"it comes when its time has come", `
			/event friend_added => waits for 5m
			/wait 4m59s         => -
			/wait 2s            => 还在吗
			/wait 1h            => -
		`},
		{"a message calls it off", `
			/event friend_added => -
			/wait 4m            => -
			菜单                => 1 奶茶
			/wait 5m            => called off: message
		`},
		{"any of the events does", `
			/event friend_added   => -
			/event friend_deleted => -
			/wait 5m              => called off: friend_deleted
		`},
		{"other events do not", `
			/event friend_added    => -
			/event contact_changed => -
			/wait 5m               => 还在吗
		`},
		{"somebody else's message does not", `
			/event friend_added => -
			/as u2              => -
			你好                => -
			/as user            => -
			/wait 5m            => 还在吗
		`},
		{"a message that a form takes does", `
			登记                => 手机号
			/event friend_added => -
			13800000000         => 已完成
			/wait 5m            => called off
		`},
		{"what came before does not", `
			你好                => -
			/event friend_added => -
			/wait 5m            => 还在吗
		`},
		{"what comes after it was sent calls nothing off, the next one waits anew", `
			/event friend_added => -
			/wait 5m            => 还在吗
			你好                => -
			/event friend_added => -
			/wait 5m            => 还在吗
		`},
		{"of two, one before and one after the message, the second comes", `
			/event friend_added => -
			/wait 1m            => -
			你好                => -
			/event friend_added => -
			/wait 4m            => called off
			/wait 1m            => 还在吗
		`},
		{"all that wait are called off together", `
			/event friend_added => -
			/wait 1m            => -
			/event friend_added => -
			你好                => -
			/wait 4m            => called off
			/wait 1m            => called off
		`},
		{"only the words call it off, where words are named", `
			下单     => -
			好的     => -
			/wait 9m => -
			/wait 1m => 还没有付款
			下单     => -
			我已付款了 => -
			/wait 10m  => called off
		`},
	} {
		t.Run(tt.name, func(t *testing.T) { try(t, set, false, tt.dialogue) })
	}
}

func TestWhatBringsItAboutAnewCallsOffTheEarlierOne(t *testing.T) {
	set := build(t, `
[[skill]]
name   = "nag"
match  = "any"
delay  = "5m"
unless = ["message"]
reply  = "{{.Text}}?"
`)
	try(t, set, false, `
		a        => -
		/wait 3m => -
		b        => -
		/wait 3m => called off
		/wait 2m => b?
	`)
}

func TestInGroups(t *testing.T) {
	const welcome = `
[[skill]]
name   = "nudge"
on     = "group_member_joined"
delay  = "5m"
unless = ["message", "group_member_left"]
reply  = "来打个招呼吧"
`
	sender, shared := build(t, welcome), build(t, welcome+`scope = "conversation"`)
	for _, tt := range []struct {
		name     string
		set      *skills.Set
		dialogue string
	}{
		{"the one who joined calls it off", sender, `
			/event member_joined members=u7 => -
			/as u7                          => -
			大家好                          => -
			/wait 5m                        => called off
		`},
		{"by leaving as well", sender, `
			/event member_joined members=u7 => -
			/event member_left members=u7   => -
			/wait 5m                        => called off
		`},
		{"nobody else does", sender, `
			/event member_joined members=u7 => -
			/as u8                          => -
			大家好                          => -
			/event member_left members=u9   => -
			/wait 5m                        => 来打个招呼吧
		`},
		{"without a mention as well", sender, `
			/event member_joined members=u7 => -
			/as u7                          => -
			/nomention 大家好               => -
			/wait 5m                        => called off
		`},
		{"of several who joined together anybody may", sender, `
			/event member_joined members=u7,u8 => -
			/as u9                             => -
			大家好                             => -
			/wait 5m                           => called off
		`},
		{"anybody may where the scope is the conversation", shared, `
			/event member_joined members=u7 => -
			/as u8                          => -
			大家好                          => -
			/wait 5m                        => called off
		`},
	} {
		t.Run(tt.name, func(t *testing.T) { try(t, tt.set, true, tt.dialogue) })
	}
}

func TestAnActionCanBeCalledOff(t *testing.T) {
	set := build(t, `
[[skill]]
name   = "label"
on     = "friend_added"
delay  = "1d"
unless = ["message"]
do     = "set_label"
params = {add = ["沉默"]}
`)
	try(t, set, false, `
		/event friend_added => set_label of skill label waits
		/wait 24h           => /^set_label .*沉默/
		/event friend_added => -
		在                  => -
		/wait 24h           => called off
	`)
}

func TestWhatTheAccountItselfSaysCallsNothingOff(t *testing.T) {
	set := build(t, reminder)
	e := &engine.Event{Account: "shop", Kind: engine.Message, Type: "text", Text: "在吗", Conversation: "u1", Sender: "self", Self: true}
	if c := set.Watch(e); len(c) != 0 {
		t.Errorf("%d skills take note of it", len(c))
	}
	if e.Self = false; len(set.Watch(e)) != 1 {
		t.Error("the same of somebody else is not noted")
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, toml, want string }{
		{"an unknown kind", `
delay = "5m"
unless = ["mesage"]
reply = "a"`, `bot.toml:5:11: skill "it": there is no event "mesage" (did you mean "message"?)`},
		{"nothing waits", `
unless = ["message"]
reply = "a"`, `unless calls off what waits, and nothing waits without a delay`},
		{"nothing is named", `
delay = "5m"
unless = []
reply = "a"`, `unless names kinds of event`},
		{"no word is named", `
delay = "5m"
unless_keywords = []
reply = "a"`, `unless_keywords names words`},
		{"words beside every message", `
delay = "5m"
unless = ["message"]
unless_keywords = ["x"]
reply = "a"`, `every message calls it off already`},
		{"a delay of years", `
delay = "31d"
reply = "a"`, `delay of 744h0m0s is too long: at most 30 days`},
		{"a kind that does more than send", `
delay = "5m"
unless = ["message"]
[skill.http]
url = "https://example.com"
reply = "a"`, `cannot be called off`},
		{"a subscription", `
delay = "5m"
unless = ["message"]
do = "unsubscribe"`, `unsubscribe is done at once`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"it\"\nkeywords = [\"k\"]" + tt.toml
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("problems:\n%v\nwant %q", err, tt.want)
			}
		})
	}
}
