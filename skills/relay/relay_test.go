package relay_test

import (
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

// build makes skills for two accounts, of which "quiet" can send nothing but texts.
func build(t *testing.T, toml string) *skills.Set {
	t.Helper()
	c := skilltest.Parse(t, toml)
	set, err := skills.Build(c.Sections, skills.Options{
		Accounts: []string{"shop", "quiet"}, Selves: []string{"self-of-shop", "self-of-quiet"},
		Can: func(account string, a engine.Action) bool { return account == "shop" || a == engine.SendText },
	})
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Warnings(); len(w) > 0 {
		t.Fatalf("warnings %q", w)
	}
	return set
}

const pair = `
[[skill]]
name = "pair"
in = ["a", "b"]
match = "any"
relay = {to = ["a", "b", "c"]}
[[skill]]
name = "hello"
where = "any"
keywords = ["hello"]
reply = "hi"
[[skill]]
name = "fallback"
where = "any"
match = "any"
reply = "?"
`

func TestRelay(t *testing.T) {
	set := build(t, pair)
	skilltest.Try(t, "what is said in one group is said in the others, and answered all the same", set, `
		in    a
		user  你好
		bot   → b: name of u1：你好
		bot   → c: name of u1：你好
		bot   ?
		in    b
		as    u2
		user  早
		bot   → a: name of u2：早
		bot   → c: name of u2：早
		bot   ?`)
	skilltest.Try(t, "what another skill matched is not for it", set, `
		in    a
		user  hello
		bot   hi`)
	skilltest.Try(t, "nor is what is said elsewhere", set, `
		user  你好
		bot   ?
		in    c
		user  你好
		bot   ?`)

	t.Run("nobody needs to mention the bot", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		chat.Group = "a"
		e := chat.Message("闲聊")
		e.Mention = engine.MentionNone
		got := chat.Do(e)
		if len(got) != 2 || got[0].Lane != engine.LanePush || got[0].Account != "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a private chat is not carried unless where says so", func(t *testing.T) {
		const keys = "[[skill]]\nname = \"r\"\nmatch = \"any\"\nrelay = {to = [\"staff\"]}\n"
		if got := skilltest.NewChat(t, build(t, keys)).Say("私下说"); len(got) > 0 {
			t.Errorf("carried %q", got)
		}
		if got := skilltest.NewChat(t, build(t, keys+"where = \"private\"")).Say("私下说"); len(got) != 1 || got[0] != "→ staff: name of u1：私下说" {
			t.Errorf("got %q", got)
		}
	})
}

func TestPrefixAndAccount(t *testing.T) {
	const keys = "[[skill]]\nname = \"r\"\nmatch = \"regex\"\npatterns = ['^转 (.+)$']\n"
	for _, tt := range []struct{ name, relay, want string }{
		{"another account speaks", `{to = ["b"], account = "quiet"}`, "→ quiet/b: name of u1：转 话"},
		{"a prefix of its own", `{to = ["b"], prefix = "[{{.Conversation}}] {{index .Match 1}} "}`, "→ b: [a] 话 转 话"},
		{"no prefix", `{to = ["b"], prefix = ""}`, "→ b: 转 话"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chat := skilltest.NewChat(t, build(t, keys+"relay = "+tt.relay))
			chat.Group = "a"
			if got := chat.Say("转 话"); len(got) != 1 || got[0] != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("one whom nobody has named is shown by the id", func(t *testing.T) {
		chat := skilltest.NewChat(t, build(t, keys+`relay = {to = ["b"]}`))
		chat.Group = "a"
		e := chat.Message("转 话")
		e.SenderName = ""
		if got := skilltest.Texts(chat.Do(e)); got[0] != "→ b: u1：转 话" {
			t.Errorf("got %q", got)
		}
	})
}

func TestALongTextIsSplitAndLaterWhereADelaySaysSo(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"r\"\nmatch = \"any\"\ndelay = \"2s\"\nrelay = {to = [\"b\"]}")
	chat := skilltest.NewChat(t, set)
	chat.Group = "a"
	long, whole := strings.Repeat("一二三四五六七八九。", 200), ""
	got := chat.Do(chat.Message(long))
	for _, c := range got {
		whole += c.Text
		if len(c.Text) > 2048 || !c.NotBefore.Equal(skilltest.Start.Add(2e9)) {
			t.Errorf("%d bytes not before %v", len(c.Text), c.NotBefore)
		}
	}
	if whole != "name of u1："+long {
		t.Errorf("together %.40q", whole)
	}
}

func TestWhatIsNoText(t *testing.T) {
	const url = "https://example.com/1"
	media := func(m ...engine.Media) func(*engine.Event) { return func(e *engine.Event) { e.Media = m } }
	for _, tt := range []struct {
		name, typ, account string
		change             func(*engine.Event)
		want               []string
	}{
		{"a picture that has an address", "image", "", media(engine.Media{Kind: "image", URL: url}),
			[]string{"→ b: name of u1：", `→ b: [send_image {"url":"` + url + `"}]`}},
		{"a file and its name", "file", "", media(engine.Media{Kind: "file", URL: url, Name: "a.pdf"}),
			[]string{"→ b: name of u1：", `→ b: [send_file {"name":"a.pdf","url":"` + url + `"}]`}},
		{"where only texts can be sent", "file", "quiet", media(engine.Media{Kind: "file", URL: url, Name: "a.pdf"}),
			[]string{"→ quiet/b: name of u1：[文件 file] a.pdf " + url}},
		{"a picture without an address", "image", "", media(engine.Media{Kind: "image"}), []string{"→ b: name of u1：[图片 image]"}},
		{"text and pictures together", "mixed", "", func(e *engine.Event) {
			e.Text, e.Media = "看", []engine.Media{{Kind: "image", URL: url}, {Kind: "image"}}
		}, []string{"→ b: name of u1：看 [图片 image]", `→ b: [send_image {"url":"` + url + `"}]`}},
		{"a voice message that was understood", "voice", "", func(e *engine.Event) {
			e.Text, e.Media = "你好", []engine.Media{{Kind: "voice"}}
		}, []string{"→ b: name of u1：你好 [语音 voice]"}},
		{"a link", "link", "", func(e *engine.Event) { e.Params = map[string]string{"title": "活动", "url": url} },
			[]string{"→ b: name of u1：[链接 link] 活动 " + url}},
		{"a sticker", "emoji", "", func(*engine.Event) {}, []string{"→ b: name of u1：[表情 emoji]"}},
		{"what nobody has a word for", "hologram", "", func(*engine.Event) {}, []string{"→ b: name of u1：[消息 message hologram]"}},
		{"a quoted message is what was said to it", "quote", "", func(e *engine.Event) { e.Text = "同意" }, []string{"→ b: name of u1：同意"}},
		{"an empty text", "text", "", func(e *engine.Event) { e.Text = " " }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chat := skilltest.NewChat(t, build(t, "[[skill]]\nname = \"r\"\nmatch = \"any\"\nrelay = {to = [\"b\"], account = \""+tt.account+"\"}"))
			chat.Group = "a"
			e := chat.Message("")
			e.Type = tt.typ
			tt.change(e)
			if got := strings.Join(skilltest.Texts(chat.Do(e)), "\n"); got != strings.Join(tt.want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", got, strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, toml, want string }{
		{"nowhere to go", `relay = {}`, `4:9: skill "r": a relay needs the ids of the conversations`},
		{"an empty list", `relay = {to = []}`, `a relay needs the ids of the conversations`},
		{"an empty id", `relay = {to = ["b", ""]}`, `4:21: skill "r": an empty id names no conversation`},
		{"no table", `relay = "b"`, `relay: expected a table`},
		{"an unknown key", `relay = {to = ["b"], form = "x"}`, `unknown key "form"`},
		{"an account that is not there", `relay = {to = ["b"], account = "shoop"}`, `there is no account "shoop" (did you mean "shop"?)`},
		{"one that cannot speak", `relay = {to = ["b"], account = "mute"}`, `the platform of account "mute" cannot send_text`},
		{"a bad prefix", `relay = {to = ["b"], prefix = "{{.Usr}}"}`, `there is no .Usr`},
		{"what is no message", "on = \"member_joined\"\nrelay = {to = [\"b\"]}", `a relay carries messages only`},
		{"a once-key", "once = \"x\"\nrelay = {to = [\"b\"]}", `it guards against loops by itself`},
		{"two things at once", "relay = {to = [\"b\"]}\nreply = \"x\"", `this one holds both relay and reply`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"r\"\nmatch = \"any\"\n" + tt.toml
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{
				Accounts: []string{"shop", "mute"}, Can: func(account string, _ engine.Action) bool { return account != "mute" },
			})
			if got := skilltest.Problems(err); len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
