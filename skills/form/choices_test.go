package form_test

import (
	"testing"

	"bot/engine"
	"bot/skills/skilltest"
)

func TestChoices(t *testing.T) {
	set := build(t, `
[[skill]]
name = "open"
keywords = ["开户"]
cancel = ["取消"]
too_many = "下次再来"
done = "类型：{{.Data.type}}"
[[skill.step]]
save = "type"
ask = "个人还是公司？\n"
choices = ["个人", "公司 A", "{{.User}}"]
attempts = 2
`)
	const asked = "bot  个人还是公司？⏎1. 个人⏎2. 公司 A⏎3. {{.User}}\n"
	for _, tt := range []struct{ name, transcript string }{
		{"they are shown with their numbers, and a template in one is no template", "user 开户\n" + asked},
		{"one is chosen by its number", "user 开户\n" + asked + "user 2\nbot 类型：公司 A"},
		{"by a full-width number with a point", "user 开户\n" + asked + "user ２．\nbot 类型：公司 A"},
		{"by a circled number", "user 开户\n" + asked + "user ②\nbot 类型：公司 A"},
		{"by its words, and what is saved is written as in the form", "user 开户\n" + asked + "user 公司　ａ！\nbot 类型：公司 A"},
		{"by what looks like a template", "user 开户\n" + asked + "user {{.User}}\nbot 类型：{{.User}}"},
		{"anything else gets the list again, and is counted", "user 开户\n" + asked + `
			user 4
			bot  请选一个，回复编号或文字。⏎Please choose one, by its number or its words.⏎1. 个人⏎2. 公司 A⏎3. {{.User}}
			user 学生
			bot  下次再来`},
	} {
		skilltest.Try(t, tt.name, set, tt.transcript)
	}
}

func TestChoicesHaveTheOperatorsOwnWordsForABadAnswer(t *testing.T) {
	set := build(t, `
[[skill]]
name = "open"
keywords = ["开户"]
cancel = ["取消"]
[[skill.step]]
save = "type"
ask = "？"
choices = ["个人", "公司"]
invalid = "回复 1 或 2"
`)
	skilltest.NewChat(t, set).Play(`
		user 开户
		bot  ？⏎1. 个人⏎2. 公司
		user 3
		bot  回复 1 或 2`)
}

func TestOptionalSteps(t *testing.T) {
	const head = "[[skill]]\nname = \"f\"\nkeywords = [\"开始\"]\ndone = \"[{{.Data.a}}][{{.Data.b}}]\"\n"
	const steps = `
[[skill.step]]
save = "a"
ask = "A？"
validate = "number"
optional = true
[[skill.step]]
save = "b"
ask = "B？"
pattern = '^b$'
`
	for _, tt := range []struct{ name, toml, transcript string }{
		{"the usual words leave it out", head + steps, `
			user 开始
			bot  A？
			user 跳过。
			bot  B？
			user b
			bot  [][b]`},
		{"in English and in capitals too", head + steps, `
			user 开始
			bot  A？
			user SKIP
			bot  B？`},
		{"an answer is an answer", head + steps, `
			user 开始
			bot  A？
			user 1,000
			bot  B？
			user b
			bot  [1000][b]`},
		{"what must be answered is not left out", head + steps, `
			user 开始
			bot  A？
			user 跳过
			bot  B？
			user 跳过
			bot  这个回答不符合要求，请重新输入。⏎That answer does not fit, please try again.`},
		{"words of the form's own", head + "skip = [\"无\"]\n" + steps, `
			user 开始
			bot  A？
			user 无
			bot  B？`},
		{"words of the step's own go before those", head + "skip = [\"无\"]\n" + steps[:len(steps)-len(after(steps))] + "skip = [\"没有\"]\n" + after(steps), `
			user 开始
			bot  A？
			user 无
			bot  请输入一个数字。⏎Please enter a number.
			user 没有
			bot  B？`},
	} {
		skilltest.Try(t, tt.name, build(t, tt.toml), tt.transcript)
	}
}

// after is what follows the first step.
func after(steps string) string {
	return steps[len(steps)-len("[[skill.step]]\nsave = \"b\"\nask = \"B？\"\npattern = '^b$'\n"):]
}

func TestWhatIsNoTextInATextStep(t *testing.T) {
	set := build(t, `
[[skill]]
name = "f"
keywords = ["开始"]
cancel = ["取消"]
not_text = "请打字"
confirm = "对吗？"
[[skill.step]]
save = "a"
ask = "A？"
attempts = 1
[[skill.step]]
save = "b"
ask = "B？"
not_text = "B 请打字，{{.Data.a}}"
`)
	skilltest.Try(t, "the form's own words, the step's own, and no miss in either", set, `
		user  开始
		bot   A？
		sends image
		bot   请打字
		sends sticker
		bot   请打字
		user  x
		bot   B？
		sends voice
		bot   B 请打字，x
		user  y
		bot   对吗？
		sends image
		bot   请打字
		user  好
		bot   已完成，谢谢！⏎Done, thank you!`)
	t.Run("a voice that the platform wrote down is an answer", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		chat.Say("开始")
		e := chat.Message("x")
		e.Type = "voice"
		if got := skilltest.Texts(chat.Do(e)); len(got) != 1 || got[0] != "B？" {
			t.Errorf("says %q", got)
		}
	})
}

func TestStepsThatWantAnAttachment(t *testing.T) {
	set := build(t, `
[[skill]]
name = "f"
keywords = ["报修"]
cancel = ["取消"]
too_many = "下次再来"
done = "收到：{{.Data.photo}}"
[[skill.step]]
save = "photo"
ask = "请发故障照片，没有请回复“跳过”"
type = "image"
optional = true
attempts = 2
`)
	for _, tt := range []struct {
		name string
		e    engine.Event
		want string
	}{
		{"its address is saved", engine.Event{Type: "image", Media: []engine.Media{{Kind: "image", URL: "https://example.com/a.jpg", Name: "a.jpg"}}}, "收到：https://example.com/a.jpg"},
		{"else its name", engine.Event{Type: "image", Media: []engine.Media{{Kind: "image", Name: "a.jpg"}}}, "收到：a.jpg"},
		{"else the message's id", engine.Event{Type: "image"}, "收到：2"},
		{"a picture among words", engine.Event{Type: "mixed", Text: "看", Media: []engine.Media{{Kind: "file", URL: "f"}, {Kind: "image", URL: "i"}}}, "收到：i"},
		{"a file is no picture", engine.Event{Type: "file", Media: []engine.Media{{Kind: "file", URL: "f"}}}, "请发一张图片。\nPlease send a picture."},
		{"words are no picture", engine.Event{Type: "text", Text: "没有"}, "请发一张图片。\nPlease send a picture."},
		{"words may leave it out", engine.Event{Type: "text", Text: "跳过"}, "收到："},
		{"and the form", engine.Event{Type: "text", Text: "取消"}, "已取消。\nCancelled."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chat := skilltest.NewChat(t, set)
			chat.Say("报修")
			e := chat.Message(tt.e.Text)
			e.Type, e.Media = tt.e.Type, tt.e.Media
			if got := skilltest.Texts(chat.Do(e)); len(got) != 1 || got[0] != tt.want {
				t.Errorf("says %q, want %q", got, tt.want)
			}
		})
	}
	skilltest.Try(t, "words are counted, what is no text is not", set, `
		user  报修
		bot   请发故障照片，没有请回复“跳过”
		sends sticker
		bot   请发一张图片。⏎Please send a picture.
		sends voice
		bot   请发一张图片。⏎Please send a picture.
		user  没有
		bot   请发一张图片。⏎Please send a picture.
		user  真没有
		bot   下次再来`)
}
