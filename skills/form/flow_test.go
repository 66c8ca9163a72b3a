package form_test

import (
	"strings"
	"testing"

	"bot/skills/skilltest"
)

// branching asks a person and a company different things.
const branching = `
[[skill]]
name = "open"
keywords = ["开户"]
cancel = ["取消"]
back = ["返回"]
done = "{{.Data.type}}/{{.Data.name}}/{{.Data.company}}/{{.Data.seal}}/{{.Data.phone}}"
[[skill.step]]
save = "type"
ask = "类型？"
choices = ["个人", "公司"]
next = {"个人" = "name", "公司" = "company"}
[[skill.step]]
save = "name"
ask = "姓名？"
next = "phone"
[[skill.step]]
save = "company"
ask = "公司名？"
[[skill.step]]
save = "seal"
ask = "有公章吗？"
[[skill.step]]
save = "phone"
ask = "电话？"
`

const types = "bot 类型？⏎1. 个人⏎2. 公司\n"

func TestAnswersLeadOn(t *testing.T) {
	set := build(t, branching)
	for _, tt := range []struct{ name, transcript string }{
		{"one way", "user 开户\n" + types + `
			user 1
			bot  姓名？
			user 李雷
			bot  电话？
			user 138
			bot  个人/李雷///138`},
		{"the other", "user 开户\n" + types + `
			user 公司
			bot  公司名？
			user 四海
			bot  有公章吗？
			user 有
			bot  电话？
			user 138
			bot  公司//四海/有/138`},
		{"going back leads to the question that was really before", "user 开户\n" + types + `
			user 1
			bot  姓名？
			user 李雷
			bot  电话？
			user 返回
			bot  姓名？
			user 返回` + "\n" + types},
		{"what was answered on the other way is forgotten", "user 开户\n" + types + `
			user 2
			bot  公司名？
			user 四海
			bot  有公章吗？
			user 返回
			bot  公司名？
			user 返回` + "\n" + types + `
			user 1
			bot  姓名？
			user 李雷
			bot  电话？
			user 138
			bot  个人/李雷///138`},
		{"before the first there is nothing: it is asked again", "user 开户\n" + types + "user 返回\n" + types + "user 1\nbot 姓名？"},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestNextOfAnyAnswer(t *testing.T) {
	set := build(t, `
[[skill]]
name = "survey"
keywords = ["调查"]
done = "谢谢，{{.Data.score}} 分{{.Data.why}}"
[[skill.step]]
save = "score"
ask = "打几分？"
validate = "number"
next = {"10" = "done", "0" = "why"}
[[skill.step]]
save = "also"
ask = "还有吗？"
optional = true
next = {"跳过" = "done", "ＮＯ" = "done"}
[[skill.step]]
save = "why"
ask = "为什么？"
`)
	for _, tt := range []struct{ name, transcript string }{
		{"an answer as it is saved leads on", "user 调查\nbot 打几分？\nuser 10.0\nbot 谢谢，10 分"},
		{"another leads elsewhere", "user 调查\nbot 打几分？\nuser 0\nbot 为什么？"},
		{"what is not named goes on beneath", "user 调查\nbot 打几分？\nuser 5\nbot 还有吗？\nuser 有\nbot 为什么？"},
		{"a step that is left out leads on by its word", "user 调查\nbot 打几分？\nuser 5\nbot 还有吗？\nuser 跳过\nbot 谢谢，5 分"},
		{"whatever its case and width", "user 调查\nbot 打几分？\nuser 5\nbot 还有吗？\nuser no\nbot 谢谢，5 分"},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestGoingBackByAnAnswer(t *testing.T) {
	set := build(t, `
[[skill]]
name = "order"
keywords = ["下单"]
back = ["返回"]
done = "{{.Data.item}}/{{.Data.room}}"
[[skill.step]]
save = "menu"
ask = "做什么？"
choices = ["点菜", "选房", "提交"]
next = {"点菜" = "item", "选房" = "room", "提交" = "done"}
[[skill.step]]
save = "item"
ask = "什么菜？"
next = "menu"
[[skill.step]]
save = "room"
ask = "哪间？"
next = "menu"
`)
	const menu = "bot 做什么？⏎1. 点菜⏎2. 选房⏎3. 提交\n"
	skilltest.Try(t, "a menu keeps what was answered on each way", set, "user 下单\n"+menu+
		"user 1\nbot 什么菜？\nuser 鱼\n"+menu+"user 2\nbot 哪间？\nuser 201\n"+menu+"user 3\nbot 鱼/201")
	skilltest.Try(t, "going back from a way leads to the menu", set, "user 下单\n"+menu+
		"user 1\nbot 什么菜？\nuser 鱼\n"+menu+"user 2\nbot 哪间？\nuser 返回\n"+menu+"user 3\nbot 鱼/")
}

func TestWhen(t *testing.T) {
	set := build(t, `
[[skill]]
name = "f"
keywords = ["开始"]
back = ["返回"]
done = "[{{.Data.tax}}][{{.Data.seal}}]"
[[skill.step]]
save = "type"
ask = "类型？"
choices = ["个人", "公司", "学校"]
[[skill.step]]
save = "city"
ask = "城市？"
optional = true
[[skill.step]]
save = "tax"
ask = "税号？"
when = {type = ["公司", "学校"], city = "北京"}
[[skill.step]]
save = "seal"
ask = "公章？"
when = {type = "3"}
next = "last"
[[skill.step]]
save = "never"
ask = "？"
when = {city = [""]}
[[skill.step]]
save = "last"
ask = "最后？"
`)
	const types = "bot 类型？⏎1. 个人⏎2. 公司⏎3. 学校\n"
	for _, tt := range []struct{ name, transcript string }{
		{"asked where all holds", "user 开始\n" + types + "user 2\nbot 城市？\nuser 北京\nbot 税号？"},
		{"passed over where one does not", "user 开始\n" + types + "user 1\nbot 城市？\nuser 北京\nbot 最后？\nuser x\nbot [][]"},
		{"several in a row are passed over", "user 开始\n" + types + "user 公司\nbot 城市？\nuser 上海\nbot 最后？"},
		{"a value may be written as its number", "user 开始\n" + types + "user 学校\nbot 城市？\nuser 上海\nbot 公章？\nuser 有\nbot 最后？\nuser x\nbot [][有]"},
		{"going back passes over it too, and it has no answer then", "user 开始\n" + types + `
			user 学校
			bot  城市？
			user 北京
			bot  税号？
			user 123
			bot  公章？
			user 有
			bot  最后？
			user 返回
			bot  公章？
			user 返回
			bot  税号？
			user 返回
			bot  城市？
			user 返回` + "\n" + types + `
			user 1
			bot  城市？
			user 北京
			bot  最后？
			user x
			bot  [][]`},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestAFormWhoseStepsAreAllPassedOverEndsAtOnce(t *testing.T) {
	set := build(t, `
[[skill]]
name = "f"
keywords = ["开始"]
cancel = ["取消"]
[[skill.step]]
save = "a"
ask = "A？"
when = {b = "x"}
next = "b"
[[skill.step]]
save = "b"
ask = "B？"
when = {a = "x"}
next = "a"
`)
	skilltest.NewChat(t, set).Play("user 开始\nbot 已完成，谢谢！⏎Done, thank you!")
}

func TestReloadChangesTheWays(t *testing.T) {
	begun := func(t *testing.T) *skilltest.Chat {
		chat := skilltest.NewChat(t, build(t, branching))
		chat.Play("user 开户\n" + types + "user 个人\nbot 姓名？")
		return chat
	}
	for _, tt := range []struct{ name, old, by, transcript string }{
		{"the next step is another", `next = "phone"`, `next = "seal"`, "user 李雷\nbot 有公章吗？"},
		{"the open step is not asked of others any more, and stays open", `next = "phone"`, "next = \"phone\"\nwhen = {type = \"公司\"}", "user 李雷\nbot 电话？"},
		{"the step in between is gone", "[[skill.step]]\nsave = \"seal\"\nask = \"有公章吗？\"\n", "",
			"user 李雷\nbot 电话？"},
		{"the choice that was taken is gone: going back ends at what can be followed", `choices = ["个人", "公司"]` + "\n" + `next = {"个人" = "name", "公司" = "company"}`, `next = "company"`,
			"user 返回\nbot 姓名？"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chat := begun(t)
			if !strings.Contains(branching, tt.old) {
				t.Fatalf("%q is not in the configuration", tt.old)
			}
			toml := strings.Replace(branching, tt.old, tt.by, 1)
			if tt.by == "" {
				toml = strings.Replace(toml, "/{{.Data.seal}}", "", 1)
			}
			chat.Router = build(t, toml)
			chat.Play(tt.transcript)
		})
	}
}
