package reply_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

func build(t *testing.T, toml string, opts skills.Options) *skills.Set {
	t.Helper()
	opts.Accounts = []string{"shop"}
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, opts)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestReplies(t *testing.T) {
	set := build(t, `
[[skill]]
name = "coupon"
keywords = ["领券"]
reply = "您的券：https://example.com/c/{{.User}}"
[[skill]]
name = "guide"
keywords = ["怎么走"]
reply = [{text = "看图：{{.UserName}}"}, {image = "https://example.com/{{.User}}.png"}, {text = "再看"}, {file = "https://example.com/map.pdf"}]
[[skill]]
name = "order"
match = "regex"
patterns = ['^查订单\s*(\w+)$']
reply = "订单 {{index .Match 1}}"
[[skill]]
name = "quiet"
keywords = ["静"]
reply = "{{if .Data}}x{{end}}\n"
[[skill]]
name = "no picture"
keywords = ["空图"]
reply = [{text = "a"}, {image = "{{if .Data}}x{{end}}"}]
`, skills.Options{})
	for _, tt := range []struct{ name, transcript string }{
		{"a text with a template in it", `
			user 我要领券
			bot  您的券：https://example.com/c/u1`},
		{"parts in their order", `
			user 怎么走？
			bot  看图：name of u1
			bot  [send_image {"url":"https://example.com/u1.png"}]
			bot  再看
			bot  [send_file {"url":"https://example.com/map.pdf"}]`},
		{"the groups of a pattern", `
			user 查订单　Ａ１２
			bot  订单 A12`},
		{"an empty result sends nothing", `
			user 静`},
		{"an empty part is left out", `
			user 空图
			bot  a`},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestOnce(t *testing.T) {
	set := build(t, `
[[skill]]
name = "daily"
keywords = ["签到"]
once = "{{.User}} {{.Day}}"
once_reply = "今天已经签到过啦"
reply = "签到成功"
[[skill]]
name = "first"
keywords = ["首单"]
once = "{{.User}}"
reply = "首单礼"
`, skills.Options{})
	skilltest.Try(t, "one grant a day, by the account's calendar", set, `
		user 签到
		bot  签到成功
		user 签到
		bot  今天已经签到过啦
		as   u2
		user 签到
		bot  签到成功
		as   u1
		skip 14h
		user 签到
		bot  今天已经签到过啦
		skip 2h
		user 签到
		bot  签到成功`)
	skilltest.Try(t, "without once_reply the second time is silent", set, `
		user 首单
		bot  首单礼
		user 首单`)

	chat := skilltest.NewChat(t, set)
	choice := set.Rules(chat.Message("签到"))[0]
	out, err := choice.Skill.Handle(t.Context(), &engine.Turn{Event: chat.Message("签到"), Account: chat.Account})
	want := []engine.Once{{Key: "u1 2026-03-02", Keep: 400 * 24 * time.Hour}}
	if err != nil || !slices.Equal(out.Once, want) {
		t.Errorf("Once = %v, %v; want %v", out.Once, err, want)
	}
}

func TestCooldown(t *testing.T) {
	set := build(t, `
[[skill]]
name = "fallback"
match = "any"
cooldown = "10m"
reply = "没有听懂"
[[skill]]
name = "gift"
keywords = ["礼物"]
cooldown = "1m"
once = "{{.User}}"
once_reply = "领过了"
reply = "给您"
`, skills.Options{})
	skilltest.Try(t, "one answer in a while, to each", set, `
		user 啊
		bot  没有听懂
		user 啊啊
		as   u2
		user 啊
		bot  没有听懂
		as   u1
		skip 9m
		user 啊
		skip 1m
		user 啊
		bot  没有听懂`)
	skilltest.Try(t, "in groups, to each as well", set, `
		in   room
		user 啊`)
	skilltest.Try(t, "beside a grant", set, `
		user 礼物
		bot  给您
		user 礼物
		skip 1m
		user 礼物
		bot  领过了
		user 礼物`)
}

func TestWhatIsRepeatedOfAVeryLongTextIsItsBeginning(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"echo\"\npatterns = ['^答[^x]*']\nreply = \"{{.Text}}{{.Text}}{{index .Match 0}}\"", skills.Options{})
	said := strings.Join(skilltest.NewChat(t, set).Say(strings.Repeat("答", 30000)), "")
	if n := strings.Count(said, "答"); n < 3*2000 || n > 3*3000 || strings.Count(said, "…") != 3 {
		t.Errorf("%d characters and %d ellipses", n, strings.Count(said, "…"))
	}
}

func TestWhatComesToNothingTakesNoKey(t *testing.T) {
	set := build(t, `
[[skill]]
name = "gift"
keywords = ["礼物"]
once = "{{.Day}}"
once_reply = "送完了"
cooldown = "1m"
reply = '{{if eq .User "u2"}}给您{{end}}'
[[skill]]
name = "picture"
keywords = ["图"]
once = "{{.Day}}"
once_reply = "送完了"
reply = [{image = '{{if eq .User "u2"}}https://example.com/a.png{{end}}'}]
`, skills.Options{})
	skilltest.Try(t, "the next one is granted", set, `
		user 礼物
		as   u2
		user 礼物
		bot  给您
		as   u3
		user 礼物
		bot  送完了`)
	skilltest.Try(t, "of a picture without an address too", set, `
		user 图
		as   u2
		user 图
		bot  [send_image {"url":"https://example.com/a.png"}]
		user 图
		bot  送完了`)

	chat := skilltest.NewChat(t, set)
	e := chat.Message("礼物")
	out, err := set.Rules(e)[0].Skill.Handle(t.Context(), &engine.Turn{Event: e})
	if want := "nothing said: the reply came out empty"; err != nil || len(out.Once) > 0 || out.Note != want {
		t.Errorf("outcome %+v, %v; want no key and the note %q", out, err, want)
	}
	e.Sender, e.Mute = "u2", "the platform takes nothing here"
	out, err = set.Rules(e)[0].Skill.Handle(t.Context(), &engine.Turn{Event: e})
	if err != nil || len(out.Commands) != 1 || len(out.Once) > 0 || out.Note != "" {
		t.Errorf("outcome %+v, %v; want what is not sent to take no key", out, err)
	}
}

func TestAnEmptyOnceKeyGrantsNothing(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"g\"\nkeywords = [\"领\"]\nonce = \"{{.User}}\"\nreply = \"券\"", skills.Options{})
	chat := skilltest.NewChat(t, set)
	e := chat.Message("领")
	e.Sender = ""
	out, err := set.Rules(e)[0].Skill.Handle(t.Context(), &engine.Turn{Event: e})
	if err == nil || len(out.Commands) > 0 {
		t.Errorf("outcome %+v, %v; want an error, since one key would be everybody's", out, err)
	}
}

func TestDelayCountsFromReceipt(t *testing.T) {
	set := build(t, `
[[skill]]
name = "welcome"
on = "friend_added"
delay = "1s..2s"
reply = [{text = "您好！"}, {text = "请发送关键字。"}]
[[skill]]
name = "now"
keywords = ["快"]
reply = "好"
`, skills.Options{})
	chat := skilltest.NewChat(t, set)
	commands := chat.Do(chat.Event(engine.FriendAdded))
	if len(commands) != 2 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, c := range commands {
		if want := skilltest.Start.Add(1500 * time.Millisecond); !c.NotBefore.Equal(want) {
			t.Errorf("%q not before %s, want %s", c.Text, c.NotBefore, want)
		}
	}
	if c := chat.Do(chat.Message("快"))[0]; !c.NotBefore.IsZero() {
		t.Errorf("without a delay not before %s", c.NotBefore)
	}
}

func TestALongTextIsSplit(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"long\"\nkeywords = [\"长\"]\nreply = \"\"\"\n"+strings.Repeat("一二三四五六七八九。\n", 20)+"\"\"\"", skills.Options{TextLimit: 100})
	said := skilltest.NewChat(t, set).Say("长")
	if len(said) < 7 {
		t.Errorf("%d parts", len(said))
	}
	for _, s := range said {
		if len(s) > 100 {
			t.Errorf("a part of %d bytes", len(s))
		}
	}
	if got := strings.Join(said, ""); got != strings.Repeat("一二三四五六七八九。\n", 20) {
		t.Errorf("together %q", got)
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		want        string
	}{
		{"an empty text", `""`, `3:9: skill "r": an empty text says nothing`},
		{"a text that is a remark", `"{{/* later */}}"`, `3:9: skill "r": this text comes out blank whatever is filled in`},
		{"a text that is not to be seen", "\"\u200b\"", `3:9: skill "r": this text comes out blank whatever is filled in`},
		{"an empty list", `[]`, `3:9: skill "r": an empty list says nothing`},
		{"a number", `5`, `3:9: skill "r": reply is a text or a list of parts`},
		{"a list of texts", `["a"]`, `3:10: skill "r": a part is a table`},
		{"a part of an unknown sort", `[{txt = "a"}]`, `3:17: skill "r": unknown part "txt" (did you mean "text"?)`},
		{"a part that is two", `[{text = "a", image = "b"}]`, `3:10: skill "r": a part is one of text, image, file, voice, video and link, not 2 of them`},
		{"a part that is none", `[{}]`, `3:10: skill "r": a part is one of text, image, file, voice, video and link, not 0 of them`},
		{"a part that is no text", `[{image = 5}]`, `3:19: skill "r": image is a text in quotes`},
		{"an unknown field", `[{text = "a"}, {text = "{{.Usr}}"}]`, `3:32: skill "r": bad template: there is no .Usr (did you mean "User"?)`},
		{"data, which only forms collect", `"{{.Data.phone}}"`, `3:9: skill "r": bad template: no step saves "phone"`},
		{"a group that keywords do not have", `"{{index .Match 1}}"`, `3:9: skill "r": bad template: there is no group 1 in .Match`},
		{"once_reply without once", "\"a\"\nonce_reply = \"b\"", `4:14: skill "r": once_reply does nothing without once`},
		{"an empty once", "\"a\"\nonce = \" \"", `4:8: skill "r": once is empty`},
		{"a once-key kept for no time", "\"a\"\nonce = \"x\"\nonce_keep = \"0s\"", `5:13: skill "r": a once-key that is kept for no time`},
		{"a bad template in once_reply", "\"a\"\nonce = \"x\"\nonce_reply = \"{{.Foo}}\"", `5:14: skill "r": bad template: there is no .Foo`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"r\"\nreply = " + tt.reply + "\nkeywords = [\"x\"]"
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.HasPrefix(got[0], "bot.toml:"+tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}

// The limit is that of the account the event came to, or of the permission it
// brought, and not the smallest of all accounts.
func TestALongReplyIsSplitAsTheEventsOwnPlatformDoes(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"long\"\nkeywords = [\"长\"]\nreply = \""+strings.Repeat("x", 300)+"\"", skills.Options{TextLimit: 100})
	for name, tt := range map[string]struct {
		account engine.Account
		ticket  engine.Ticket
		parts   int
	}{
		"an account whose limit is not known": {engine.Account{}, engine.Ticket{}, 3},
		"an account with a limit of its own":  {engine.Account{TextLimit: 1000}, engine.Ticket{}, 1},
		"a permission with a limit":           {engine.Account{TextLimit: 100}, engine.Ticket{Token: "welcome/1", Limit: 150}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			e := &engine.Event{Kind: engine.Message, Type: "text", Text: "长", Ticket: tt.ticket}
			choices := set.Route(e, engine.State{}, engine.State{})
			out, err := choices[0].Skill.Handle(t.Context(), &engine.Turn{Event: e, Account: tt.account, Match: choices[0].Match})
			if err != nil || len(out.Commands) != tt.parts {
				t.Errorf("%d commands, want %d (%v)", len(out.Commands), tt.parts, err)
			}
		})
	}
}
