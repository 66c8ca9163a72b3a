package form_test

import (
	"fmt"
	"testing"

	"bot/skills"
	"bot/skills/skilltest"
)

// TestWhatAStepTakes asks one question; the time is 2026-03-02 in Shanghai.
func TestWhatAStepTakes(t *testing.T) {
	const (
		again  = "这个回答不符合要求，请重新输入。⏎That answer does not fit, please try again."
		number = "请输入一个数字。⏎Please enter a number."
		date   = "请输入日期，例如 2026-01-31。⏎Please enter a date such as 2026-01-31."
	)
	for _, tt := range []struct{ name, keys, user, bot string }{
		{"a mobile number is saved plain", `validate = "mobile_cn"`, "＋86 138-0000-0000", "[13800000000]"},
		{"what is none is told so", `validate = "mobile_cn"`, "12345", "请输入 11 位手机号。⏎Please enter a mobile number of 11 digits."},
		{"an identity card", `validate = "id_card_cn"`, "１１０１０５１９４９１２３１００２ｘ", "[11010519491231002X]"},
		{"a wrong check digit", `validate = "id_card_cn"`, "110105194912310021", "身份证号不对，请核对 18 位号码。⏎That is no valid identity card number, please check its 18 characters."},
		{"an e-mail address", `validate = "email"`, "Li@Example.COM", "[Li@example.com]"},
		{"no e-mail address", `validate = "email"`, "li", "请输入邮箱地址。⏎Please enter an e-mail address."},

		{"a date in Chinese", `validate = "date"`, "2026年3月2号", "[2026-03-02]"},
		{"a date that there is not", `validate = "date"`, "2026-02-30", date},
		{"tomorrow, by the account's clock", `validate = "date"`, "明天", "[2026-03-03]"},
		{"the first day that is allowed", "validate = \"date\"\nmin = \"2026-03-01\"", "2026/3/1", "[2026-03-01]"},
		{"a day before it", "validate = \"date\"\nmin = \"2026-03-01\"", "2026/2/28", date + "⏎最小 at least: 2026-03-01"},
		{"a limit as TOML writes dates", "validate = \"date\"\nmax = 2026-03-01", "2026/3/2", date + "⏎最大 at most: 2026-03-01"},
		{"today is not before today", "validate = \"date\"\nmin = \"today\"", "今天", "[2026-03-02]"},
		{"yesterday is", "validate = \"date\"\nmin = \"today\"", "2026-03-01", date},
		{"within thirty days", "validate = \"date\"\nmax = \"today+30d\"", "2026-04-01", "[2026-04-01]"},
		{"beyond thirty days", "validate = \"date\"\nmax = \"today + 30d\"", "2026-04-02", date},
		{"before a day ago", "validate = \"date\"\nmax = \"today-1d\"", "2026-03-02", date},

		{"a number is saved plain", `validate = "number"`, "１，２００．５０", "[1200.5]"},
		{"no number", `validate = "number"`, "三", number},
		{"the least", "validate = \"number\"\nmin = 1\nmax = 20", "1", "[1]"},
		{"the most", "validate = \"number\"\nmin = 1\nmax = 20", "20", "[20]"},
		{"a little more", "validate = \"number\"\nmin = 1\nmax = 20", "20.01", number + "⏎最小 at least: 1⏎最大 at most: 20"},
		{"a little less, as numbers and not as texts", "validate = \"number\"\nmin = 0.5\nmax = 100", "9", "[9]"},
		{"below zero", "validate = \"number\"\nmin = -5", "-6", number + "⏎最小 at least: -5"},
		{"a limit in quotes", "validate = \"number\"\nmin = \"1,000\"", "999", number + "⏎最小 at least: 1000"},
		{"whole numbers only, by what would be saved", "validate = \"number\"\npattern = '^\\d+$'", "3.0", "[3]"},
		{"no fraction then", "validate = \"number\"\npattern = '^\\d+$'", "3.5", number},

		{"characters are counted, not bytes", "min_length = 2\nmax_length = 4", "上海闵行", "[上海闵行]"},
		{"too many of them", "max_length = 4", "上海市闵行", again + "⏎最多字数 characters, at most: 4"},
		{"too few", "min_length = 2", "上", again + "⏎最少字数 characters, at least: 2"},
		{"of an answer that a validator takes", "validate = \"email\"\nmax_length = 6", "a@bb.cn", "请输入邮箱地址。⏎Please enter an e-mail address.⏎最多字数 characters, at most: 6"},

		{"an example helps", "pattern = '^A'\nexample = \"A{{1\"", "x", again + "⏎例如 for example: A{{1"},
		{"the operator's own words go before all that", "validate = \"number\"\nmin = 1\nexample = \"3\"\ninvalid = \"要数字\"", "x", "要数字"},
	} {
		set := build(t, "[[skill]]\nname = \"f\"\nkeywords = [\"开始\"]\ndone = \"[{{.Data.a}}]\"\n[[skill.step]]\nsave = \"a\"\nask = \"？\"\n"+tt.keys)
		skilltest.Try(t, tt.name, set, fmt.Sprintf("user 开始\nbot ？\nuser %s\nbot %s", tt.user, tt.bot))
	}
}

func TestProblemsOfSteps(t *testing.T) {
	const head = "[[skill]]\nname = \"f\"\nkeywords = [\"开始\"]\ncancel = [\"取消\"]\n"
	const step = head + "[[skill.step]]\nsave = \"a\"\nask = \"A？\"\n"
	const second = "\n[[skill.step]]\nsave = \"b\"\nask = \"B？\"\n"
	for _, tt := range []struct {
		name, toml string
		want       []string
	}{
		{"a pattern that refuses its own example", step + "pattern = '^1\\d{10}$'\nexample = \"1380000000\"", []string{`bot.toml:9:11: skill "f": the step refuses its own example "1380000000"`}},
		{"a validator that does", step + "validate = \"id_card_cn\"\nexample = \"110105194912310021\"", []string{`bot.toml:9:11: skill "f": the step refuses its own example`}},
		{"a limit that does", step + "validate = \"number\"\nmin = 5\nexample = \"4\"", []string{`bot.toml:10:11: skill "f": the step refuses its own example "4"`}},
		{"an example that is no choice", step + "choices = [\"x\"]\nexample = \"y\"", []string{`bot.toml:9:11: skill "f": the step refuses its own example "y"`}},
		{"today's limits refuse no example", step + "validate = \"date\"\nmin = \"today\"\nmax = \"today+9d\"\nexample = \"2020-01-01\"", nil},
		{"a good example of what the future could forbid", step + "validate = \"id_card_cn\"\nexample = \"11010519491231002X\"", nil},

		{"no such validator", step + `validate = "moblie_cn"`, []string{`bot.toml:8:12: skill "f": unknown validate "moblie_cn" (did you mean "mobile_cn"?)`}},
		{"an empty one", step + `validate = ""`, []string{`bot.toml:8:12: skill "f": unknown validate ""`}},
		{"min without a validator", step + "min = 3", []string{`bot.toml:8:7: skill "f": min and max are for validate = "number" and "date" (min_length`}},
		{"max of a mobile number", step + "validate = \"mobile_cn\"\nmax = 3", []string{`bot.toml:9:7: skill "f": min and max are for`}},
		{"min of another sort", step + "validate = \"date\"\nmin = 3", []string{`bot.toml:9:7: skill "f": 3 is no limit of a date (it looks like "2026-01-31", "today" or "today+30d")`}},
		{"max of another sort", step + "validate = \"number\"\nmax = \"many\"", []string{`bot.toml:9:7: skill "f": many is no limit of a number (it looks like 18 or 0.5)`}},
		{"a day that there is not", step + "validate = \"date\"\nmin = \"2026-02-30\"", []string{`bot.toml:9:7: skill "f": 2026-02-30 is no limit of a date`}},
		{"min above max", step + "validate = \"number\"\nmin = 20\nmax = 3", []string{`bot.toml:9:7: skill "f": min 20 is more than max 3, so no answer fits`}},
		{"min after max, both from today", step + "validate = \"date\"\nmin = \"today+3d\"\nmax = \"today\"", []string{`bot.toml:9:7: skill "f": min today+3d is more than max today`}},
		{"min_length above max_length", step + "min_length = 5\nmax_length = 4", []string{`bot.toml:8:14: skill "f": min_length 5 is more than max_length 4`}},
		{"a length of nothing", step + "max_length = 0", []string{`bot.toml:8:14: skill "f": max_length counts characters from 1`}},

		{"no choices", step + "choices = []", []string{`bot.toml:8:11: skill "f": choices is empty`}},
		{"an empty choice", step + "choices = [\"x\", \"　\"]", []string{`bot.toml:8:17: skill "f": an empty choice cannot be chosen`}},
		{"two that read alike", step + "choices = [\"VIP\", \"ｖｉｐ\"]", []string{`bot.toml:8:19: skill "f": "ｖｉｐ" reads like the choice "VIP"`}},
		{"two lines", step + "choices = [\"x\\ny\"]", []string{`bot.toml:8:12: skill "f": a choice stands in one line`}},
		{"a pattern that rejects every choice", step + "choices = [\"个人\", \"公司\"]\npattern = '^\\d$'", []string{`bot.toml:9:11: skill "f": the pattern rejects every choice`}},
		{"a validator of choices", step + "choices = [\"x\"]\nvalidate = \"email\"", []string{`bot.toml:9:12: skill "f": validate does nothing beside choices`}},
		{"a length of choices", step + "choices = [\"x\"]\nmin_length = 1", []string{`bot.toml:9:14: skill "f": min_length does nothing beside choices`}},

		{"no such type", step + `type = "picture"`, []string{`bot.toml:8:8: skill "f": unknown type "picture" (known: text, image, file, voice, video)`}},
		{"what a picture cannot be", step + "type = \"image\"\npattern = 'x'\nnot_text = \"x\"", []string{
			`bot.toml:9:11: skill "f": pattern is about texts, and this step is of type image`,
			`bot.toml:10:12: skill "f": not_text is for steps that take a text`,
		}},
		{"words to skip what must be answered", step + `skip = ["无"]`, []string{`bot.toml:8:8: skill "f": skip does nothing in a step that must be answered`}},
		{"the same of a form", head + "skip = [\"无\"]\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"", []string{`bot.toml:5:8: skill "f": skip does nothing where no step is optional`}},
		{"no word to skip by", step + "optional = true\nskip = []", []string{`bot.toml:9:8: skill "f": step.0.skip is empty`}},

		{"next to nowhere", step + `next = "c"` + second, []string{`bot.toml:8:8: skill "f": there is no step "c"`}},
		{"next by an answer to nowhere", step + "choices = [\"x\", \"y\"]\nnext = {x = \"b\", y = \"bb\"}" + second, []string{`bot.toml:9:22: skill "f": there is no step "bb" (known: a, b, done)`}},
		{"next by what is no choice", step + "choices = [\"个人\"]\nnext = {\"公司\" = \"b\"}" + second, []string{`bot.toml:9:16: skill "f": the step "a" never takes the answer "公司"`}},
		{"next by what does not fit", step + "validate = \"number\"\nnext = {x = \"b\"}" + second, []string{`bot.toml:9:13: skill "f": the step "a" never takes the answer "x"`}},
		{"next by the same answer twice", step + "choices = [\"x\"]\nnext = {x = \"b\", 1 = \"done\"}" + second, []string{`bot.toml:9:13: skill "f": "x" is the same answer as another in this table`}},
		{"next of another sort", step + "next = 2" + second, []string{`bot.toml:8:8: skill "f": next is the name of a step`}},
		{"next by an answer of another sort", step + "next = {x = 2}" + second, []string{`bot.toml:8:13: skill "f": "x" is to lead to the name of a step`}},
		{"next by a picture", step + "type = \"image\"\nnext = {x = \"b\"}" + second, []string{`bot.toml:9:8: skill "f": a step of type image has no answers to tell apart`}},
		{"a step with the end's name", step + "next = \"done\"\n[[skill.step]]\nsave = \"done\"\nask = \"？\"", []string{`bot.toml:8:8: skill "f": "done" is the end of the form here`}},
		{"when of no step", step + second + `when = {c = ["x"]}`, []string{`bot.toml:12:13: skill "f": there is no step "c"`}},
		{"when of itself", step + second + `when = {b = "x"}`, []string{`bot.toml:12:13: skill "f": whether a step is asked cannot depend on its own answer`}},
		{"when of what is no choice", step + "choices = [\"个人\", \"公司\"]" + second + `when = {a = ["公司", "学校"]}`, []string{`bot.toml:12:20: skill "f": the step "a" never takes the answer "学校" (known: 个人, 公司)`}},
		{"when of no answer", step + second + `when = {a = []}`, []string{`bot.toml:12:13: skill "f": no answer is listed`}},
		{"when of a number", step + second + `when = {a = 3}`, []string{`bot.toml:12:13: skill "f": an answer is a text`}},

		{"nobody can leave", "[[skill]]\nname = \"f\"\nkeywords = [\"开始\"]\n[[skill.step]]\nsave = \"a\"\nask = \"？\"\n" + second + `next = "a"`, []string{
			`bot.toml:4:9: skill "f": nobody can leave this form: from "a" no answer leads to the end, and no word ends it (next = "done", or cancel = ["取消"])`}},
		{"the match, where the first question may come again", head + "back = [\"返回\"]\n[[skill.step]]\nsave = \"a\"\nask = \"{{index .Match 0}}\"", []string{`bot.toml:8:7: skill "f": bad template: there is no .Match here`}},

		{"words for a confirmation that there is not", head + "yes = [\"是\"]\nconfirm_no = \"cancel\"\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"", []string{
			`bot.toml:5:7: skill "f": yes does nothing without confirm`,
			`bot.toml:6:14: skill "f": confirm_no does nothing without confirm`}},
		{"a no that is none", head + "confirm = \"？\"\nconfirm_no = \"end\"\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"", []string{`bot.toml:6:14: skill "f": unknown confirm_no "end" (known: again, cancel)`}},
		{"no words for it", head + "confirm = \"？\"\nno = []\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"", []string{`bot.toml:6:6: skill "f": no is empty`}},
		{"a word for both", head + "confirm = \"？\"\nyes = [\"1\"]\nno = [\"2\", \"１。\"]\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"", []string{`bot.toml:7:12: skill "f": "１。" says yes as well`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skills.Build(skilltest.Parse(t, tt.toml).Sections, skills.Options{Accounts: []string{"shop"}})
			begin(t, "problem", skilltest.Problems(err), tt.want)
		})
	}
}
