package reply_test

import (
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

func TestPartsOfEverySort(t *testing.T) {
	skilltest.Try(t, "with all they may have", build(t, `
[[skill]]
name = "all"
keywords = ["全部"]
reply = [
  {file = "https://example.com/1.pdf", name = "{{.UserName}} 的报价.pdf"},
  {voice = "https://example.com/a.silk", duration = 3},
  {video = "https://example.com/a.mp4", cover = "https://example.com/a.jpg", duration = 12},
  {link = "https://example.com/?u={{.User}}", title = "活动", description = "给 {{.UserName}}", cover = "https://example.com/c.jpg"},
]
[[skill]]
name = "plain"
keywords = ["只要"]
reply = [{file = "https://example.com/1.pdf"}, {voice = "https://example.com/a.amr"}, {video = "https://example.com/a.mp4"}, {link = "https://example.com", title = "活动"}, {link = "{{if .Data}}x{{end}}", title = "空"}]
`, skills.Options{}), `
		user 全部
		bot  [send_file {"name":"name of u1 的报价.pdf","url":"https://example.com/1.pdf"}]
		bot  [send_voice {"duration":3,"url":"https://example.com/a.silk"}]
		bot  [send_video {"cover_url":"https://example.com/a.jpg","duration":12,"url":"https://example.com/a.mp4"}]
		bot  [send_link {"cover_url":"https://example.com/c.jpg","description":"给 name of u1","title":"活动","url":"https://example.com/?u=u1"}]
		user 只要
		bot  [send_file {"url":"https://example.com/1.pdf"}]
		bot  [send_voice {"url":"https://example.com/a.amr"}]
		bot  [send_video {"url":"https://example.com/a.mp4"}]
		bot  [send_link {"title":"活动","url":"https://example.com"}]`)
}

func TestProblemsOfParts(t *testing.T) {
	text := func(_ string, a engine.Action) bool { return a == engine.SendText }
	for _, tt := range []struct {
		name, reply string
		can         func(string, engine.Action) bool
		want        string
	}{
		{"a link without a title", `[{link = "https://example.com"}]`, nil, `a link needs a title`},
		{"a title that is no text", `[{link = "https://example.com", title = 5}]`, nil, `title is a text in quotes`},
		{"a bad title", `[{link = "https://example.com", title = "{{.Usr}}"}]`, nil, `there is no .Usr`},
		{"a duration in words", `[{voice = "https://example.com", duration = "3s"}]`, nil, `duration is a whole number of seconds`},
		{"no duration at all", `[{voice = "https://example.com", duration = 0}]`, nil, `duration is a whole number of seconds`},
		{"a key of another sort", `[{image = "https://example.com", name = "a.png"}]`, nil, `unknown part "name"`},
		{"a mistyped key", `[{file = "https://example.com", nmae = "a.png"}]`, nil, `unknown part "nmae" (did you mean "name"?)`},
		{"what the platform lacks", `[{text = "a"}, {link = "https://example.com", title = "a"}]`, text, `3:32: skill "r": the platform of account "shop" cannot send_link`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"r\"\nreply = " + tt.reply + "\nkeywords = [\"x\"]"
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}, Can: tt.can})
			if got := skilltest.Problems(err); len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
