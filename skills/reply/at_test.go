package reply_test

import (
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

func TestMentions(t *testing.T) {
	set := build(t, `
[[skill]]
name = "welcome"
on = "group_member_joined"
at = "members"
reply = "欢迎"
[[skill]]
name = "answer"
keywords = ["在吗"]
where = "any"
at = "sender"
reply = "在的"
[[skill]]
name = "notice"
keywords = ["通知"]
where = "group"
at = "all"
reply = [{image = "https://example.com/a.png"}, {text = "开会"}, {text = "别迟到"}]
[[skill]]
name = "parts"
keywords = ["分别"]
where = "group"
at = "all"
reply = [{text = "一", at = "sender"}, {text = "二"}, {text = "三", at = "all"}]
`, skills.Options{})
	skilltest.Try(t, "in a group", set, `
		in    room
		event member_joined
		bot   @u1(name of u1) 欢迎
		user  在吗
		bot   @u1(name of u1) 在的
		user  通知
		bot   [send_image {"url":"https://example.com/a.png"}]
		bot   @all 开会
		bot   别迟到
		user  分别
		bot   @u1(name of u1) 一
		bot   二
		bot   @all 三`)
	skilltest.Try(t, "in a private chat there is nobody to mention", set, `
		user 在吗
		bot  在的`)

	chat := skilltest.NewChat(t, set)
	chat.Group = "room"
	for _, tt := range []struct {
		name           string
		members, names []string
		want           string
	}{
		{"several", []string{"a", "b"}, []string{"甲", "乙"}, "@a(甲) @b(乙) 欢迎"},
		{"without their names", []string{"a", "b"}, nil, "@a @b 欢迎"},
		{"nobody", nil, nil, "欢迎"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := chat.Event(engine.MemberJoined)
			e.Members, e.MemberNames = tt.members, tt.names
			if got := skilltest.Texts(chat.Do(e)); len(got) != 1 || got[0] != tt.want {
				t.Errorf("says %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("a sender nobody has named, and one nobody knows", func(t *testing.T) {
		e := chat.Message("在吗")
		e.SenderName = ""
		if got := skilltest.Texts(chat.Do(e)); got[0] != "@u1 在的" {
			t.Errorf("says %q", got)
		}
		e.Sender = ""
		if got := skilltest.Texts(chat.Do(e)); got[0] != "在的" {
			t.Errorf("says %q", got)
		}
	})
}

func TestOnlyTheFirstPartOfALongTextMentions(t *testing.T) {
	text := strings.Repeat("一二三四五六七八九。", 12)
	set := build(t, "[[skill]]\nname = \"long\"\nwhere = \"group\"\nkeywords = [\"长\"]\nat = \"sender\"\nreply = \""+text+"\"", skills.Options{TextLimit: 100})
	chat := skilltest.NewChat(t, set)
	chat.Group = "room"
	whole := ""
	for i, c := range chat.Do(chat.Message("长")) {
		whole += c.Text
		if (c.Params["at"] != nil) != (i == 0) {
			t.Errorf("part %d has params %v", i, c.Params)
		}
		if shown := "@name of u1\u2005" + c.Text; i == 0 && len(shown) > 100 {
			t.Errorf("with its mention the first part has %d bytes", len(shown))
		}
	}
	if whole != text {
		t.Errorf("together %q", whole)
	}
}

func TestAMentionOfManyLeavesRoomForTheText(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"w\"\non = \"member_joined\"\nat = \"members\"\nreply = \"欢迎\"", skills.Options{TextLimit: 100})
	chat := skilltest.NewChat(t, set)
	chat.Group = "room"
	e := chat.Event(engine.MemberJoined)
	e.Members, e.MemberNames = nil, nil
	for range 50 {
		e.Members = append(e.Members, "wxid_123456")
	}
	if got := chat.Do(e); len(got) != 1 || got[0].Text != "欢迎" || len(got[0].Params["at"].([]string)) != 50 {
		t.Errorf("got %q", skilltest.Texts(got))
	}
}

func TestProblemsAndWarningsOfMentions(t *testing.T) {
	for _, tt := range []struct{ name, keys, problem, warning string }{
		{"nobody there is", "where = \"group\"\nreply = \"a\"\nat = \"owner\"", `unknown at "owner" (known: sender, members, all)`, ""},
		{"in Chinese", "where = \"group\"\nreply = \"a\"\nat = \"所有人\"", `unknown at "所有人" (write "all")`, ""},
		{"an empty one", "where = \"group\"\nreply = \"a\"\nat = \"\"", `unknown at ""`, ""},
		{"no text", "where = \"group\"\nreply = [{image = \"a\"}]\nat = \"all\"", `only a text can mention somebody`, ""},
		{"of a part", "where = \"group\"\nreply = [{text = \"a\", at = \"owner\"}]", `unknown reply.0.at "owner"`, ""},
		{"of what is no text", "where = \"group\"\nreply = [{image = \"a\", at = \"all\"}]", `unknown part "at"`, ""},
		{"in private chats", "reply = \"a\"\nat = \"sender\"", "", `there is nobody to mention in a private chat`},
		{"of members of no event", "where = \"group\"\nreply = \"a\"\nat = \"members\"", "", `message is not about members, so nobody is mentioned`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := skilltest.Parse(t, "[[skill]]\nname = \"r\"\nkeywords = [\"x\"]\n"+tt.keys)
			_, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}})
			only(t, "problems", skilltest.Problems(err), tt.problem)
			only(t, "warnings", c.Warnings(), tt.warning)
		})
	}
}

// only wants one line with some words in it; none for "".
func only(t *testing.T, what string, lines []string, want string) {
	t.Helper()
	if want == "" && len(lines) == 0 {
		return
	}
	if want == "" || len(lines) != 1 || !slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, want) }) {
		t.Errorf("%s %q, want %q", what, lines, want)
	}
}
