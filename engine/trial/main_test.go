package trial_test

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/trial"
	"bot/engine/turn"
	"bot/skills"
	"bot/skills/skilltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is a configuration with something of each kind.
const shop = `
[[skill]]
name = "accept"
on = "friend_request"
do = "accept_friend"
[[skill]]
name = "welcome"
on = "friend_added"
delay = "1s..2s"
reply = [{text = "欢迎 {{.User}}"}, {text = "请发送关键字"}]
[[skill]]
name = "newcomer"
on = "member_joined"
reply = "欢迎入群"
[[skill]]
name = "coupon"
keywords = ["领券"]
reply = "券 {{.User}} {{.Day}}"
once = "{{.User}} {{.Day}}"
once_reply = "今天已经领过啦"
once_keep = "48h"
[[skill]]
name = "bind"
keywords = ["绑定"]
match = "exact"
cancel = ["取消"]
expires = "10m"
expired_reply = "{{.User}} 的会话已过期"
done = "绑定成功：{{.Data.phone}}"
[[skill.step]]
save = "phone"
ask = "请输入手机号"
pattern = '^1\d{10}$'
invalid = "手机号格式不对"
attempts = 3
[[skill]]
name = "quiet"
keywords = ["悄悄"]
match = "exact"
expires = "5m"
done = "好"
[[skill.step]]
save = "x"
ask = "说吧"
[[skill]]
name = "slash"
match = "regex"
patterns = ['^/']
reply = "收到 {{.Text}}"
[[skill]]
name = "clock"
match = "exact"
keywords = ["几点"]
reply = '{{.Now.Format "15:04"}}'
[[skill]]
name = "group"
where = "group"
keywords = ["hello"]
reply = "hi {{.User}} in {{.Conversation}}"
`

// options tries the skills of a configuration, beginning on a Monday at 09:00 in Shanghai.
func options(tb testing.TB, toml string) trial.Options {
	tb.Helper()
	set, err := skills.Build(skilltest.Parse(tb, toml).Sections, skills.Options{
		Accounts: []string{"shop"}, Can: func(string, engine.Action) bool { return true },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return trial.Options{
		Setup: turn.Setup{
			Router:   set,
			Accounts: map[string]engine.Account{"shop": {Name: "shop", Location: time.FixedZone("CST", 8*3600)}},
		},
		Account: "shop", Start: skilltest.Start, Timeout: 5 * time.Second,
		Chance:  func() float64 { return 0.5 },
		Explain: set.Explain,
	}
}

// play carries out lines of a dialogue and returns what came of each, texts
// and actions, joined by " | ".
func play(tb testing.TB, o trial.Options, lines ...string) []string {
	tb.Helper()
	t := trial.New(o)
	out := make([]string, len(lines))
	for i, line := range lines {
		r, err := t.Do(tb.Context(), line)
		if err != nil {
			tb.Fatalf("%q: %v", line, err)
		}
		out[i] = strings.Join(append(r.Texts, r.Actions...), " | ")
	}
	return out
}
