package form_test

import (
	"strings"
	"testing"

	"bot/engine"
	"bot/skills/skilltest"
)

const confirmed = `
[[skill]]
name = "f"
keywords = ["开始"]
cancel = ["取消"]
exit = ["人工"]
back = ["返回"]
cancel_reply = "已取消"
too_many = "下次再来"
confirm = "{{.Data.a}} {{.Data.b}}，对吗？"
done = "好：{{.Data.a}}/{{.Data.b}}"
[[skill.step]]
save = "a"
ask = "A？"
[[skill.step]]
save = "b"
ask = "B？"
optional = true
[[skill]]
name = "staff"
keywords = ["人工"]
reply = "转接中"
`

func TestConfirm(t *testing.T) {
	const toTheQuestion = "user 开始\nbot A？\nuser 1\nbot B？\nuser 2\nbot 1 2，对吗？\n"
	for _, tt := range []struct{ name, more, transcript string }{
		{"yes", "", toTheQuestion + "user 是的！\nbot 好：1/2"},
		{"yes in English", "", toTheQuestion + "user OK\nbot 好：1/2"},
		{"no begins again, with nothing answered", "", toTheQuestion + "user 不对\nbot A？\nuser 3\nbot B？\nuser 跳过\nbot 3 ，对吗？\nuser 好\nbot 好：3/"},
		{"no may end it", "confirm_no = \"cancel\"\n", toTheQuestion + "user no\nbot 已取消\nuser 是"},
		{"anything else is asked for again, three times at most", "", toTheQuestion + `
			user 也许
			bot  请回复“是”或“否”。⏎Please answer yes or no.
			user 1
			bot  请回复“是”或“否”。⏎Please answer yes or no.
			user 嗯嗯嗯嗯
			bot  下次再来
			user 是`},
		{"words of the operator's own, and no others", "yes = [\"1\", \"提交\"]\nno = [\"2\"]\n", toTheQuestion + `
			user 是
			bot  请回复“1”或“2”。⏎Please answer “1” or “2”.
			user ２。
			bot  A？
			user 5
			bot  B？
			user 6
			bot  5 6，对吗？
			user 提交
			bot  好：5/6`},
		{"a picture is no answer and no miss", "", toTheQuestion + `
			sends image
			bot  这里只能看文字，请打字回答。⏎I can only read text here, please type your answer.
			user 是
			bot  好：1/2`},
		{"the word that ends forms ends it here", "", toTheQuestion + "user 取消\nbot 已取消"},
		{"and the one that leaves them", "", toTheQuestion + "user 人工\nbot 转接中"},
		{"going back asks the last step", "", toTheQuestion + "user 返回\nbot B？\nuser 9\nbot 1 9，对吗？\nuser 是\nbot 好：1/9"},
		{"it has the whole time limit for itself", "expired_reply = \"超时\"\n", "user 开始\nbot A？\nwait 9m\nuser 1\nbot B？\nwait 9m\nuser 2\nbot 1 2，对吗？\nwait 9m\nuser 也许\nbot 请回复“是”或“否”。⏎Please answer yes or no.\nwait 2m\nbot 超时\nuser 是"},
	} {
		set := build(t, strings.Replace(confirmed, "[[skill.step]]", tt.more+"[[skill.step]]", 1))
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestOnceIsTakenOnlyWhenConfirmed(t *testing.T) {
	set := build(t, strings.Replace(confirmed, "[[skill.step]]", "once = \"{{.Data.a}}\"\nonce_reply = \"领过了\"\n[[skill.step]]", 1))
	skilltest.NewChat(t, set).Play(`
		user 开始
		bot  A？
		user 1
		bot  B？
		user 2
		bot  1 2，对吗？
		user 取消
		bot  已取消
		user 开始
		bot  A？
		user 1
		bot  B？
		user 2
		bot  1 2，对吗？
		user 是
		bot  好：1/2
		user 开始
		bot  A？
		user 1
		bot  B？
		user 2
		bot  1 2，对吗？
		user 是
		bot  领过了`)
}

func TestTheConfirmationIsInTheState(t *testing.T) {
	chat := skilltest.NewChat(t, build(t, confirmed))
	chat.Play("user 开始\nbot A？\nuser 1\nbot B？\nuser 2\nbot 1 2，对吗？")
	s := chat.States[engine.StateKey{Account: "shop", Conversation: "u1", Sender: "u1"}]
	if s.Node != "(confirm)" || s.Data["a"] != "1" || s.Data["b"] != "2" {
		t.Errorf("the state is %+v", s)
	}
	t.Run("a reload that takes it away ends the form politely", func(t *testing.T) {
		chat.Router = build(t, strings.Replace(confirmed, "confirm = ", "#", 1))
		chat.Play("user 是\nbot 这个流程有变动，请重新开始。⏎This flow has changed, please start again.")
	})
}
