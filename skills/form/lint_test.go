package form_test

import (
	"strings"
	"testing"

	"bot/skills"
	"bot/skills/skilltest"
)

// begin wants lines that begin with some words, as many.
func begin(t *testing.T, what string, lines, want []string) {
	t.Helper()
	if len(lines) != len(want) {
		t.Fatalf("%ss %q, want %q", what, lines, want)
	}
	for i := range lines {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("%s %q, want %q", what, lines[i], want[i])
		}
	}
}

func TestWarnings(t *testing.T) {
	const head = "[[skill]]\nname = \"f\"\nkeywords = [\"开始\"]\n"
	const step = head + "cancel = [\"取消\"]\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"\n"
	const second = "\n[[skill.step]]\nsave = \"b\"\nask = \"B？\"\n"
	const third = "\n[[skill.step]]\nsave = \"c\"\nask = \"C？\"\n"
	for _, tt := range []struct {
		name, toml string
		want       []string
	}{
		{"a form as they mostly are", head + "[[skill.step]]\nsave = \"a\"\nask = \"A？\"\n", nil},
		{"a step that no way leads to", step + `next = "c"` + second + third, []string{`bot.toml:10:8: skill "f": no way leads to the step "b", so it is never asked`}},
		{"a step that no choice leads to", step + "choices = [\"x\", \"y\"]\nnext = {x = \"c\", y = \"done\"}" + second + third, []string{`bot.toml:11:8: skill "f": no way leads to the step "b"`}},
		{"a step that some other choice leads to", step + "choices = [\"x\", \"y\"]\nnext = {x = \"c\"}" + second + third, nil},
		{"a step that is asked by a later answer", step + `when = {c = "x"}` + second + third, []string{`bot.toml:8:13: skill "f": no way leads from "c" to this step, so it is never asked`}},
		{"unless a way leads back", step + `when = {c = "x"}` + second + third + "next = {x = \"a\"}", nil},
		{"an end that no way leads to", step + second + `next = "a"`, []string{`bot.toml:5:9: skill "f": from "a" no answer leads to the end, so done is never said`}},
		{"a trap behind one answer", step + "choices = [\"x\", \"y\"]\nnext = {y = \"done\"}" + second + `next = "b"`, []string{`bot.toml:13:8: skill "f": from "b" no answer leads to the end`}},
		{"a loop with a way out", step + second + "choices = [\"再来\", \"好了\"]\nnext = {\"再来\" = \"a\", \"好了\" = \"done\"}", nil},
		{"many attempts and no word out", head + "[[skill.step]]\nsave = \"a\"\nask = \"A？\"\nattempts = 50", []string{`bot.toml:7:12: skill "f": whoever cannot answer this is asked 50 times, and no word ends the form (cancel = ["取消"])`}},
		{"many attempts and a word out", step + "attempts = 50", nil},
		{"a choice that cancels", step + "choices = [\"提交\", \"取消！\"]", []string{`bot.toml:8:18: skill "f": the choice "取消！" is a word of cancel, which goes first`}},
		{"a choice that skips", step + "optional = true\nchoices = [\"Skip\"]", []string{`bot.toml:9:12: skill "f": the choice "Skip" is a word of skip`}},
		{"a choice that is another's number", step + "choices = [\"2\", \"1\", \"5\"]", []string{
			`bot.toml:8:12: skill "f": "2" is also the number of the choice "1"; who answers it gets "2"`,
			`bot.toml:8:17: skill "f": "1" is also the number of the choice "2"`}},
		{"a pattern that rejects one choice", step + "choices = [\"x\", \"1\"]\npattern = '\\d'", []string{
			`bot.toml:8:17: skill "f": "1" is also the number`, `bot.toml:9:11: skill "f": the pattern rejects some of the choices`}},
		{"a yes that cancels", head + "cancel = [\"取消\"]\nconfirm = \"？\"\nyes = [\"好\", \"取消\"]\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"", []string{`bot.toml:6:13: skill "f": "取消" ends the form or goes back wherever it is said, so it is never a yes`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := skilltest.Parse(t, tt.toml)
			if _, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}}); err != nil {
				t.Fatal(err)
			}
			begin(t, "warning", c.Warnings(), tt.want)
		})
	}
}
