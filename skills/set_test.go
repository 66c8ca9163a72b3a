package skills_test

import (
	"sync"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

// The skills of the contract with the operators, and how they are promised to
// answer.
const promised = `
[[skill]]
name     = "coupon"
keywords = ["领券", "优惠券"]
match    = "contains"
reply    = "您的券：https://example.com/c/{{.User}}"
once     = "{{.User}} {{.Day}}"
once_reply = "今天已经领过啦"
once_keep  = "400d"
[[skill]]
name = "accept"
on   = "friend_request"
do   = "accept_friend"
[[skill]]
name  = "welcome"
on    = "friend_added"
delay = "1s..2s"
reply = "您好！请发送您的需求关键字。"
[[skill]]
name     = "bind"
keywords = ["绑定"]
cancel   = ["取消"]
expires  = "10m"
expired_reply = "会话已过期，请重新发送“绑定”"
done     = "绑定成功：{{.Data.phone}}"
[[skill.step]]
save    = "phone"
ask     = "请输入手机号"
pattern = '^1\d{10}$'
invalid = "手机号格式不对，请重新输入"
attempts = 3
[[skill.step]]
save    = "code"
ask     = "请输入验证码"
pattern = '^\d{6}$'
[[skill.test]]
send   = ["绑定", "12", "13800000000", "123456"]
expect = ["请输入手机号", "手机号格式不对", "请输入验证码", "绑定成功：13800000000"]
[[skill]]
name = "guest"
on = "member_joined"
reply = "欢迎 {{.UserName}}"
`

func TestPromisedSkills(t *testing.T) {
	c := skilltest.Parse(t, promised)
	set, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Warnings(); len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
	skilltest.Try(t, "coupon", set, `
		user 我要领券！
		bot  您的券：https://example.com/c/u1
		user 优惠券
		bot  今天已经领过啦`)
	skilltest.Try(t, "bind", set, `
		user 绑定
		bot  请输入手机号
		user 12
		bot  手机号格式不对，请重新输入
		user 13800000000
		bot  请输入验证码
		user 123456
		bot  绑定成功：13800000000`)
	skilltest.Try(t, "the friend flow is two pipelines", set, `
		event friend_request
		bot  [accept_friend {"scene":"ticket-1"}]
		event friend_added
		bot  您好！请发送您的需求关键字。`)
	t.Run("a guest in a group is welcomed", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		chat.Group = "room"
		chat.Play(`
			event member_joined
			bot  欢迎 name of u1`)
	})
}

func TestASetServesManyAtOnce(t *testing.T) {
	set := build(t, promised)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			chat := skilltest.NewChat(t, set)
			for range 20 {
				if said := chat.Say("绑定"); len(said) != 1 {
					t.Errorf("said %q", said)
				}
				chat.Say("取消")
				chat.Do(chat.Event(engine.FriendAdded))
			}
		})
	}
	wg.Wait()
}

// "查订单" and "算了" a second later: each is answered by itself, in its turn.
func TestMessagesAreAnsweredOneByOne(t *testing.T) {
	set := build(t, replies(`order: keywords = ["查订单"]`, `bye: keywords = ["算了"]`))
	skilltest.NewChat(t, set).Play(`
		user 查订单
		bot  order
		user 算了
		bot  bye`)
}
