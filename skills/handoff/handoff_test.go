package handoff_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

const desk = `
[[skill]]
name = "coupon"
keywords = ["领券"]
reply = "您的券"
[[skill]]
name = "bind"
keywords = ["绑定"]
exit = ["人工"]
done = "绑定成功"
[[skill.step]]
save = "phone"
ask = "手机号？"
[[skill]]
name = "staff"
keywords = ["人工"]
reply = "正在为您转接客服"
[skill.handoff]
notify = {to = "staff-room"}
until = "2h"
release = ["/release", "结束"]
released_reply = "机器人回来了，{{.Data.name}}"
expired_reply = "客服已离开"
`

func build(t testing.TB, toml string) *skills.Set {
	t.Helper()
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop", "desk"}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDialogues(t *testing.T) {
	set := build(t, desk)
	for _, tt := range []struct{ name, transcript string }{
		{"staff are told, and read what is said meanwhile; the bot is silent", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			user 领券
			bot  → staff-room: name of u1：领券
			sends image
			bot  → staff-room: name of u1：[图片 image]`},
		{"a word gives the conversation back", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			user 结束！
			bot  机器人回来了，name of u1
			user 领券
			bot  您的券`},
		{"so does a word of staff, by hand, without more words", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			hand 您好，我是客服
			hand /release
			user 领券
			bot  您的券`},
		{"so do staff from where they are told, naming whom", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			as   clerk
			in   staff-room
			user /release u2
			bot  已请求交还机器人 / asked to give back to the bot：u2
			user ／Release u1
			bot  已请求交还机器人 / asked to give back to the bot：u1
			bot  → u1: 机器人回来了，name of u1
			as   u1
			in   -
			user 领券
			bot  您的券`},
		{"so does time, counted from the last word of either side", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			wait 90m
			hand 您好
			wait 90m
			user 在吗
			bot  → staff-room: name of u1：在吗
			wait 121m
			bot  客服已离开
			user 领券
			bot  您的券`},
		{"what comes after the time, before that was noticed, is the bot's", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			skip 3h
			user 领券
			bot  您的券`},
		{"others are answered", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			as   u2
			user 领券
			bot  您的券`},
		{"a form is left for it", `
			user 绑定
			bot  手机号？
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			user 13800000000
			bot  → staff-room: name of u1：13800000000`},
		{"staff's word without anybody named is an ordinary message", `
			in   staff-room
			user /release`},
		{"where staff are is never handed over", `
			as   clerk
			in   staff-room
			user 人工`},
		{"the word from elsewhere releases nobody", `
			user 人工
			bot  正在为您转接客服
			bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
			as   u2
			user /release u1
			as   u1
			user 领券
			bot  → staff-room: name of u1：领券`},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestAStaffMembersOwnChatIsNeverHandedOver(t *testing.T) {
	set := build(t, strings.Replace(desk, "staff-room", "clerk", 1))
	skilltest.Try(t, "", set, `
		user 人工
		bot  正在为您转接客服
		bot  → clerk: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
		as   clerk
		user 有人工需求吗
		user /release u1
		bot  已请求交还机器人 / asked to give back to the bot：u1
		bot  → u1: 机器人回来了，name of u1`)
}

func TestAnotherAccountMayTellStaff(t *testing.T) {
	set := build(t, `
[[skill]]
name = "staff"
accounts = ["shop"]
keywords = ["人工"]
[skill.handoff]
notify = {account = "desk", to = "staff-room"}
text = "{{.User}}：{{.Text}}"
meanwhile = "count"
`)
	chat := skilltest.NewChat(t, set)
	chat.Play(`
		user 人工
		bot  → desk/staff-room: u1：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release shop/u1
		user 在吗
		user 有人吗`)
	shared := engine.StateKey{Account: "shop", Conversation: "u1"}
	if n := chat.States[shared].Data["messages"]; n != "2" {
		t.Errorf("%s messages counted, want 2", n)
	}
	chat.Account.Name, chat.Group = "desk", "staff-room"
	chat.Play(`
		user /release shop/u1
		bot  已请求交还机器人 / asked to give back to the bot：shop/u1
		bot  → u1: 机器人已恢复服务。⏎The bot is back.`)
	if st := chat.States[shared]; st.Exists() {
		t.Errorf("still handed over: %+v", st)
	}
}

func TestInAGroupTheWordsOfOthersAreNotCarried(t *testing.T) {
	set := build(t, strings.Replace(desk, `reply = "正在为您转接客服"`, "where = \"group\"\nreply = \"正在为您转接客服\"", 1))
	skilltest.Try(t, "", set, `
		in   room
		user 人工
		bot  正在为您转接客服
		bot  → staff-room: name of u1 需要人工服务 / asks for a person：人工⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release room
		as   u2
		user 我也想问
		as   u1
		user 我的订单
		bot  → staff-room: name of u1：我的订单`)
}

// A form's own words are not needed to see a person: a ticket that fails costs its
// number only.
func TestATicketIsOpened(t *testing.T) {
	answers := []string{`{"id": 42}`, ""}
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		asked = append(asked, string(b))
		if answers[0] == "" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		io.WriteString(w, answers[0])
		answers = answers[1:]
	}))
	defer srv.Close()
	set := build(t, strings.Replace(`
[[skill]]
name = "staff"
keywords = ["人工"]
reply = "工单{{with .Response}} {{.id}}{{end}}：客服马上来"
[skill.handoff]
notify = {to = "staff-room"}
text = "{{.User}}{{with .Response}} 工单 {{.id}}{{end}}"
[skill.handoff.http]
url = "SERVER/tickets"
json = {user = "{{.User}}", text = "{{.Text}}"}
retries = 0
`, "SERVER", srv.URL, 1))
	skilltest.NewChat(t, set).Play(`
		user 人工
		bot  工单 42：客服马上来
		bot  → staff-room: u1 工单 42⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u1
		as   u2
		user 人工
		bot  工单：客服马上来
		bot  → staff-room: u2⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release u2`)
	if want := `{"text":"人工","user":"u1"}`; len(asked) != 2 || strings.TrimSpace(asked[0]) != want {
		t.Errorf("asked %q, want %q first", asked, want)
	}
}

func TestNobodysFormSpeaksWhilePeopleHaveTheGroup(t *testing.T) {
	set := build(t, `
[[skill]]
name = "bind"
where = "group"
keywords = ["绑定"]
expires = "10m"
expired_reply = "会话已过期"
[[skill.step]]
save = "phone"
ask = "手机号？"
[[skill]]
name = "staff"
where = "group"
keywords = ["人工"]
[skill.handoff]
notify = {to = "staff-room"}
text = "{{.User}}"
`)
	skilltest.Try(t, "", set, `
		in   room
		user 绑定
		bot  手机号？
		as   u2
		user 人工
		bot  → staff-room: u2⏎⏎回复下面这行交还机器人 / to give it back to the bot, send:⏎/release room
		wait 11m
		user /release
		bot  机器人已恢复服务。⏎The bot is back.
		as   u1
		user 13800000000`)
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, handoff, want string }{
		{"no word that ends it", `release = []`, `5:11: skill "h": without a word that ends it`},
		{"an empty word", `release = [" "]`, `5:12: skill "h": an empty keyword`},
		{"no time", `until = "0s"`, `5:9: skill "h": a hand-off that ends at once`},
		{"relay to nobody", `meanwhile = "relay"`, `5:13: skill "h": there is nobody to relay to`},
		{"an unknown word", `meanwhile = "cuont"`, `5:13: skill "h": unknown meanwhile "cuont" (did you mean "count"?)`},
		{"staff nowhere", `notify = {account = "shop"}`, `5:10: skill "h": notify needs the id`},
		{"an unknown account", `notify = {account = "shp", to = "x"}`, `5:21: skill "h": there is no account "shp" (did you mean "shop"?)`},
		{"a field that is not there", `text = "{{.Data.phone}}"`, `5:8: skill "h": bad template`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"h\"\nkeywords = [\"人工\"]\n[skill.handoff]\n" + tt.handoff
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.HasPrefix(got[0], "bot.toml:"+tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
