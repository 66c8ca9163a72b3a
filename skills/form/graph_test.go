package form_test

import (
	"strings"
	"testing"

	"bot/skills"
	"bot/skills/skilltest"
)

func TestGraph(t *testing.T) {
	for _, tt := range []struct{ name, toml, want string }{
		{"two steps one after the other", bind, `
form "bind" (bot.toml:2): contains ["绑定"]
  begin
    → phone
  phone: 请输入手机号
    any answer → code
  code: 请输入 {{.Data.phone}} 收到的验证码
    any answer → done
  done
  from every question
    取消, 算了 → cancelled
    人工 → left, other skills answer
    bad answer number 3 → too many
    10m without an answer → expired
`},
		{"all that there is", `
[[skill]]
name = "open"
keywords = ["开户"]
back = ["返回"]
expires = "1h"
confirm = "对吗？\n回复是或否"
no = ["改"]
enabled = false
[[skill.step]]
save = "type"
ask = "请问您要办理的业务是下面的哪一种呢？请从这几个选项里面选择一个告诉我们，谢谢您"
choices = ["个人", "公司", "其他"]
next = {"公司" = "company", "个人" = "name"}
[[skill.step]]
save = "other"
ask = "什么业务？"
next = "done"
[[skill.step]]
save = "company"
ask = "公司名？"
optional = true
next = {"没有" = "done", "skip" = "type"}
attempts = 5
[[skill.step]]
save = "name"
ask = "姓名？"
[[skill.step]]
save = "seal"
ask = "公章？"
type = "image"
when = {company = ["四海", "跳过"], type = "公司"}
[[skill.then]]
text = "x"
to = "staff"
[[skill.then]]
do = "set_label"
params = {add = ["x"]}
[[skill]]
name = "hello"
keywords = ["你好"]
reply = "您好"
`, `
form "open" (bot.toml:2, disabled): contains ["开户"]
  begin
    → type
  type: 请问您要办理的业务是下面的哪一种呢？请从这几个选项里面选择一…
    个人 → name
    公司 → company
    any other answer → other
  other: 什么业务？
    any answer → (confirm)
  company: 公司名？
    没有 → (confirm)
    any other answer → name
    skipped (跳过, skip) → type
  name: 姓名？
    any answer → seal
  seal: 公章？
    unless company is 四海 or skipped and type is 公司 → (confirm)
    image → (confirm)
  (confirm): 对吗？ …
    是, yes, 是的, … → done
    改 → type, all answers forgotten
  done
    text → staff
    set_label
  from every question
    返回 → the question before
    bad answer number 3 to 5 → too many
    1h without an answer → expired
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := skills.Build(skilltest.Parse(t, tt.toml).Sections, skills.Options{Accounts: []string{"shop"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(set.Graphs(), ""); got != tt.want[1:] {
				t.Errorf("drawn as\n%s\nwant%s", got, tt.want)
			}
		})
	}
}
