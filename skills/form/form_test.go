package form_test

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

const bind = `
[[skill]]
name     = "bind"
keywords = ["绑定"]
cancel   = ["取消", "算了"]
exit     = ["人工"]
cancel_reply = "好的，已取消"
expires  = "10m"
expired_reply = "会话已过期，请重新发送“绑定”"
too_many = "错误太多，先到这里"
done     = "绑定成功：{{.Data.phone}}"
[[skill.step]]
save    = "phone"
ask     = "请输入手机号"
pattern = '^1\d{10}$'
invalid = "手机号格式不对，请重新输入"
attempts = 3
[[skill.step]]
save    = "code"
ask     = "请输入 {{.Data.phone}} 收到的验证码"
pattern = '^\d{6}$'

[[skill]]
name     = "staff"
keywords = ["人工"]
reply    = "正在为您转接客服"

[[skill]]
name     = "coupon"
keywords = ["领券"]
reply    = "您的券"
`

func build(t testing.TB, toml string) *skills.Set {
	t.Helper()
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDialogues(t *testing.T) {
	set := build(t, bind)
	for _, tt := range []struct{ name, transcript string }{
		{"from the first question to the last", `
			user 绑定
			bot  请输入手机号
			user 13800000000
			bot  请输入 13800000000 收到的验证码
			user 123456
			bot  绑定成功：13800000000
			user 领券
			bot  您的券`},
		{"answers in full width, with spaces around", `
			user 绑定！
			bot  请输入手机号
			user 　１３８００００００００
			bot  请输入 13800000000 收到的验证码
			user １２３４５６
			bot  绑定成功：13800000000`},
		{"a wrong answer is asked for again", `
			user 绑定
			bot  请输入手机号
			user 12
			bot  手机号格式不对，请重新输入
			user 13800000000
			bot  请输入 13800000000 收到的验证码
			user abc
			bot  这个回答不符合要求，请重新输入。⏎That answer does not fit, please try again.
			user 123456
			bot  绑定成功：13800000000`},
		{"the third miss ends it politely", `
			user 绑定
			bot  请输入手机号
			user 1
			bot  手机号格式不对，请重新输入
			user 2
			bot  手机号格式不对，请重新输入
			user 3
			bot  错误太多，先到这里
			user 13800000000`},
		{"misses are counted for each step", `
			user 绑定
			bot  请输入手机号
			user 1
			bot  手机号格式不对，请重新输入
			user 2
			bot  手机号格式不对，请重新输入
			user 13800000000
			bot  请输入 13800000000 收到的验证码
			user 1
			bot  这个回答不符合要求，请重新输入。⏎That answer does not fit, please try again.
			user 123456
			bot  绑定成功：13800000000`},
		{"stickers and voice are no misses", `
			user 绑定
			bot  请输入手机号
			sends sticker
			bot  这里只能看文字，请打字回答。⏎I can only read text here, please type your answer.
			sends voice
			bot  这里只能看文字，请打字回答。⏎I can only read text here, please type your answer.
			sends image
			bot  这里只能看文字，请打字回答。⏎I can only read text here, please type your answer.
			user 13800000000
			bot  请输入 13800000000 收到的验证码`},
		{"the cancel word, with punctuation", `
			user 绑定
			bot  请输入手机号
			user 取消。
			bot  好的，已取消
			user 领券
			bot  您的券`},
		{"a cancel word inside an answer is an answer", `
			user 绑定
			bot  请输入手机号
			user 不取消
			bot  手机号格式不对，请重新输入`},
		{"an exit word is answered by the skill it belongs to", `
			user 绑定
			bot  请输入手机号
			user 人工
			bot  正在为您转接客服
			user 13800000000`},
		{"another skill's keyword is an answer", `
			user 绑定
			bot  请输入手机号
			user 领券
			bot  手机号格式不对，请重新输入`},
		{"its own keyword is an answer", `
			user 绑定
			bot  请输入手机号
			user 绑定
			bot  手机号格式不对，请重新输入`},
		{"when the time is up it says so, once", `
			user 绑定
			bot  请输入手机号
			wait 11m
			bot  会话已过期，请重新发送“绑定”
			user 13800000000`},
		{"each accepted answer gives the full time again", `
			user 绑定
			bot  请输入手机号
			wait 9m
			user 13800000000
			bot  请输入 13800000000 收到的验证码
			wait 9m
			user 123456
			bot  绑定成功：13800000000`},
		{"an answer that does not fit gives no more time", `
			user 绑定
			bot  请输入手机号
			wait 9m
			user 1
			bot  手机号格式不对，请重新输入
			wait 2m
			bot  会话已过期，请重新发送“绑定”`},
		{"the keyword after the time is up: one notice, one restart", `
			user 绑定
			bot  请输入手机号
			skip 11m
			user 绑定
			bot  会话已过期，请重新发送“绑定”
			bot  请输入手机号
			user 13800000000
			bot  请输入 13800000000 收到的验证码`},
		{"an answer after the time is up: the notice only", `
			user 绑定
			bot  请输入手机号
			skip 11m
			user 13800000000
			bot  会话已过期，请重新发送“绑定”`},
		{"two users fill it in side by side", `
			user 绑定
			bot  请输入手机号
			as   u2
			user 绑定
			bot  请输入手机号
			user 13900000000
			bot  请输入 13900000000 收到的验证码
			as   u1
			user 13800000000
			bot  请输入 13800000000 收到的验证码`},
		{"another event is no answer", `
			user 绑定
			bot  请输入手机号
			event friend_added
			user 13800000000
			bot  请输入 13800000000 收到的验证码`},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestAnAnswerThatIsALetterIsNoAnswer(t *testing.T) {
	set := build(t, bind+"[[skill]]\nname = \"note\"\nkeywords = [\"留言\"]\ndone = \"{{.Data.a}}\"\n[[skill.step]]\nsave = \"a\"\nask = \"说吧\"\ninvalid = \"太长了\"")
	chat := skilltest.NewChat(t, set)
	chat.Say("留言")
	if said := chat.Say(strings.Repeat("长", 2000)); len(said) != 1 || said[0] != "太长了" {
		t.Errorf("said %.80q", said)
	}
	if said := chat.Say(strings.Repeat("长", 1000)); strings.Join(said, "") != strings.Repeat("长", 1000) {
		t.Errorf("said %.80q", said)
	}
}

func TestDefaultTexts(t *testing.T) {
	set := build(t, `
[[skill]]
name = "ask"
keywords = ["问"]
cancel = ["取消"]
[[skill.step]]
save = "name"
ask = "名字？"
attempts = 1
pattern = '^\w+$'
`)
	for _, tt := range []struct{ name, transcript string }{
		{"done", `
			user 问
			bot  名字？
			user Ann
			bot  已完成，谢谢！⏎Done, thank you!`},
		{"cancelled", `
			user 问
			bot  名字？
			user 取消
			bot  已取消。⏎Cancelled.`},
		{"too many", `
			user 问
			bot  名字？
			user !
			bot  错误次数过多，已退出，请重新开始。⏎Too many answers did not fit. Please start again.`},
		{"no word about expiry unless asked for", `
			user 问
			bot  名字？
			wait 11m
			user Ann`},
		{"silent expiry, then the keyword: a restart", `
			user 问
			bot  名字？
			skip 11m
			user 问
			bot  名字？`},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestWithoutAPatternAnyAnswerButAnEmptyOneFits(t *testing.T) {
	set := build(t, `
[[skill]]
name = "ask"
patterns = ['^叫我(.+)$']
done = "{{.Data.note}}"
[[skill.step]]
save = "note"
ask = "{{index .Match 1}}，说吧"
invalid = "请说点什么"
`)
	skilltest.NewChat(t, set).Play(`
		user 叫我李雷
		bot  李雷，说吧
		user 　
		bot  请说点什么
		user ａ b。
		bot  a b。`)
}

func TestOnceIsTakenAtTheEnd(t *testing.T) {
	set := build(t, `
[[skill]]
name = "gift"
keywords = ["礼物"]
once = "{{.Data.phone}}"
once_reply = "{{.Data.phone}} 已经领过"
once_keep = "30d"
done = "礼物给 {{.Data.phone}}"
[[skill.step]]
save = "phone"
ask = "手机号？"
`)
	chat := skilltest.NewChat(t, set)
	chat.Play(`
		user 礼物
		bot  手机号？
		user 138
		bot  礼物给 138
		user 礼物
		bot  手机号？
		user 138
		bot  138 已经领过
		user 138
		as   u2
		user 礼物
		bot  手机号？
		user 139
		bot  礼物给 139`)
	if len(chat.States) != 0 {
		t.Errorf("states are left: %v", chat.States)
	}
}

func TestAFormThatComesToNothingTakesNoKey(t *testing.T) {
	set := build(t, `
[[skill]]
name = "gift"
keywords = ["礼物"]
once = "{{.Day}}"
once_reply = "送完了"
done = '{{if eq .Data.size "大"}}给您{{end}}'
[[skill.step]]
save = "size"
ask = "大的还是小的？"
`)
	skilltest.NewChat(t, set).Play(`
		user 礼物
		bot  大的还是小的？
		user 小
		user 礼物
		bot  大的还是小的？
		user 大
		bot  给您
		user 礼物
		bot  大的还是小的？
		user 大
		bot  送完了`)
}

func TestState(t *testing.T) {
	chat := skilltest.NewChat(t, build(t, bind))
	chat.Say("绑定")
	key := engine.StateKey{Account: "shop", Conversation: "u1", Sender: "u1"}
	s := chat.States[key]
	if s.Skill != "bind" || s.Node != "phone" || !s.Notify || !s.Expires.Equal(skilltest.Start.Add(10*time.Minute)) {
		t.Errorf("after the first question: %+v", s)
	}
	chat.Say("1")
	if s = chat.States[key]; s.Misses != 1 {
		t.Errorf("after a miss: %+v", s)
	}
	chat.Say("13800000000")
	if s = chat.States[key]; s.Node != "code" || s.Misses != 0 || s.Data["phone"] != "13800000000" {
		t.Errorf("after the first answer: %+v", s)
	}
}

func TestGroups(t *testing.T) {
	group := strings.Replace(bind, `name     = "bind"`, "name = \"bind\"\nwhere = \"any\"", 1)
	t.Run("one member's form is not answered by another", func(t *testing.T) {
		chat := skilltest.NewChat(t, build(t, group))
		chat.Group = "room"
		chat.Play(`
			user 绑定
			bot  请输入手机号
			as   u2
			user 13900000000
			as   u1
			user 13800000000
			bot  请输入 13800000000 收到的验证码`)
	})
	t.Run("unless the form belongs to the conversation", func(t *testing.T) {
		shared := strings.Replace(group, `where = "any"`, "where = \"any\"\nscope = \"conversation\"", 1)
		chat := skilltest.NewChat(t, build(t, shared))
		chat.Group = "room"
		chat.Play(`
			user 绑定
			bot  请输入手机号
			as   u2
			user 13900000000
			bot  请输入 13900000000 收到的验证码
			wait 11m
			bot  会话已过期，请重新发送“绑定”`)
	})
}

func TestReloadInMidForm(t *testing.T) {
	begun := func(t *testing.T) *skilltest.Chat {
		chat := skilltest.NewChat(t, build(t, bind))
		chat.Play(`
			user 绑定
			bot  请输入手机号
			user 13800000000
			bot  请输入 13800000000 收到的验证码`)
		return chat
	}
	const changed = "bot  这个流程有变动，请重新开始。⏎This flow has changed, please start again.\n"
	for _, tt := range []struct{ name, old, by, transcript string }{
		{"the step is renamed: a notice, and the rules answer", `save    = "code"`, `save = "sms"`,
			"user 领券\n" + changed + "bot 您的券\nuser 123456\n"},
		{"the pattern changes: the new one holds", `'^\d{6}$'`, `'^\d{4}$'`,
			"user 1234\nbot 绑定成功：13800000000\n"},
		{"a step is put in front: the open one stays open", "[[skill.step]]", "[[skill.step]]\nsave = \"name\"\nask = \"名字？\"\n[[skill.step]]",
			"user 123456\nbot 绑定成功：13800000000\n"},
		{"the form is renamed: a notice, and the rules answer", `name     = "bind"`, `name = "bind2"`,
			"user 绑定\n" + changed + "bot 请输入手机号\n"},
		{"the form is disabled: a notice, and the conversation is over", `name     = "bind"`, "name = \"bind\"\nenabled = false",
			"user 123456\n" + changed + "user 123456\n"},
		{"the form is gone and its time is up: silence", `name     = "bind"`, `name = "bind2"`,
			"wait 11m\nuser 123456\n"},
		{"the form is gone and a late message comes: no notice", `name     = "bind"`, `name = "bind2"`,
			"skip 11m\nuser 领券\nbot 您的券\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chat := begun(t)
			if !strings.Contains(bind, tt.old) {
				t.Fatalf("%q is not in the configuration", tt.old)
			}
			chat.Router = build(t, strings.Replace(bind, tt.old, tt.by, 1))
			chat.Play(tt.transcript)
			for _, s := range chat.States {
				if s.Node == "code" {
					t.Errorf("the old state is left: %+v", s)
				}
			}
		})
	}
	t.Run("a plain reply has taken the form's name: a notice", func(t *testing.T) {
		chat := begun(t)
		chat.Router = build(t, "[[skill]]\nname = \"bind\"\nkeywords = [\"绑定\"]\nreply = \"请到柜台办理\"")
		chat.Play("user 绑定\n" + changed + "bot 请到柜台办理\n")
	})
}

func TestProblems(t *testing.T) {
	const head = "[[skill]]\nname = \"f\"\nkeywords = [\"开始\"]\n"
	for _, tt := range []struct {
		name, toml string
		want       []string
	}{
		{"a step without a name and a question", "[[skill.step]]\npattern = 'a'", []string{
			`bot.toml:4:9: skill "f": a step needs a question`,
			`bot.toml:4:9: skill "f": save names the answer in templates`,
		}},
		{"a name that templates cannot say", "[[skill.step]]\nsave = \"my-phone\"\nask = \"?\"", []string{
			`bot.toml:5:8: skill "f": save names the answer`,
		}},
		{"two steps save the same", "[[skill.step]]\nsave = \"a\"\nask = \"?\"\n[[skill.step]]\nsave = \"a\"\nask = \"?\"", []string{
			`bot.toml:8:8: skill "f": "a" is already saved by the step at bot.toml:5`,
		}},
		{"a pattern that does not compile", "[[skill.step]]\nsave = \"a\"\nask = \"?\"\npattern = '('", []string{
			`bot.toml:7:11: skill "f": bad pattern`,
		}},
		{"no attempts", "[[skill.step]]\nsave = \"a\"\nask = \"?\"\nattempts = 0", []string{
			`bot.toml:7:12: skill "f": attempts must be between 1 and 100, not 0`,
		}},
		{"too many attempts", "[[skill.step]]\nsave = \"a\"\nask = \"?\"\nattempts = 101", []string{
			`bot.toml:7:12: skill "f": attempts must be between 1 and 100, not 101`,
		}},
		{"attempts that are no number are reported once", "[[skill.step]]\nsave = \"a\"\nask = \"?\"\nattempts = \"3\"", []string{
			`bot.toml:7:12: skill "f": step 1: attempts: expected an integer`,
		}},
		{"data that no step saves", "done = \"{{.Data.phone}}\"\n[[skill.step]]\nsave = \"fone\"\nask = \"?\"", []string{
			`bot.toml:4:8: skill "f": bad template: no step saves "phone", so there is no .Data.phone (did you mean "fone"?)`,
		}},
		{"the match is gone after the first question", "[[skill.step]]\nsave = \"a\"\nask = \"?\"\n[[skill.step]]\nsave = \"b\"\nask = \"{{index .Match 0}}\"", []string{
			`bot.toml:9:7: skill "f": bad template: there is no .Match here`,
		}},
		{"no time to answer", "expires = \"0s\"\n[[skill.step]]\nsave = \"a\"\nask = \"?\"", []string{
			`bot.toml:4:11: skill "f": a form that expires at once`,
		}},
		{"an empty cancel word", "cancel = [\"取消\", \"\"]\n[[skill.step]]\nsave = \"a\"\nask = \"?\"", []string{
			`bot.toml:4:17: skill "f": an empty keyword`,
		}},
		{"no steps", "step = []", []string{`bot.toml:4:8: skill "f": a form needs at least one step`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skills.Build(skilltest.Parse(t, head+tt.toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != len(tt.want) {
				t.Fatalf("problems %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], tt.want[i]) {
					t.Errorf("problem %q, want %q", got[i], tt.want[i])
				}
			}
		})
	}
}
