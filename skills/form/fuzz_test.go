package form_test

import (
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/skills/skilltest"
)

// Whatever is said, one line a message: the form answers each message, stands
// at a question that it has, and keeps nothing but answers to its own questions.
func FuzzForm(f *testing.F) {
	set := build(f, strings.Replace(branching, "[[skill.step]]", `confirm = "对吗？"
[[skill.step]]
save = "born"
ask = "生日？"
validate = "date"
max = "today"
optional = true
[[skill.step]]`, 1))
	for _, s := range []string{
		"跳过\n1\n李雷\n138\n否", "2020-02-30\n2020年2月29日\n公司\n四海\n返回\n返回\n①\n返回", "返回\n返回\n取消", "昨天\n3\n4\n5", "\xff\n\u200b",
	} {
		f.Add(s)
	}
	nodes := []string{"born", "type", "name", "company", "seal", "phone", "(confirm)"}
	f.Fuzz(func(t *testing.T, said string) {
		chat := skilltest.NewChat(t, set)
		key := engine.StateKey{Account: "shop", Conversation: "u1", Sender: "u1"}
		chat.Say("开户")
		for _, text := range strings.SplitN(said, "\n", 30) {
			open := chat.States[key]
			if !open.Exists() {
				return
			}
			if got := chat.Say(text); len(got) == 0 {
				t.Fatalf("%q at %s is answered by nothing", text, open.Node)
			}
			s := chat.States[key]
			if s.Exists() && !slices.Contains(nodes, s.Node) {
				t.Fatalf("%q at %s leads to %q", text, open.Node, s.Node)
			}
			for name := range s.Data {
				if !slices.Contains(nodes, name) {
					t.Fatalf("%q at %s saves %q", text, open.Node, name)
				}
			}
		}
	})
}
