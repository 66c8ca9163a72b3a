package wkteam

import (
	"encoding/json"
	"testing"

	"bot/engine"
)

func TestMentions(t *testing.T) {
	const list = `,"atlist":`
	tests := []struct {
		name, typ, text, more string
		want                  engine.Mention
	}{
		{"listed", "80001", "@小助手 x", list + `["` + bot + `"]`, engine.MentionMe},
		{"listed under the other name", "80001", "x", `,"atList":["` + bot + `"]`, engine.MentionMe},
		{"listed in one text", "80001", "x", list + `"wxid_a, ` + bot + `"`, engine.MentionMe},
		{"an id that begins alike", "80001", "@小助手 x", list + `["` + bot + `9"]`, engine.MentionNone},
		{"everybody and us", "80001", "x", list + `["notify@all","` + bot + `"]`, engine.MentionMe},
		{"everybody", "80001", "@所有人 x", list + `["notify@all"]`, engine.MentionAll},
		{"everybody by the words alone", "80001", "通知\u2005@所有人\u2005x", "", engine.MentionAll},
		{"everybody by the words, and a list of others", "80001", "@所有人 x", list + `["wxid_a"]`, engine.MentionNone},
		{"all people of somewhere", "80001", "@所有人类 x", "", engine.MentionNone},
		{"our name in a text without a list", "80001", "@小助手 x", "", engine.MentionNone},
		{"our name in a quote without a list", "80014", "@小助手\u2005x", "", engine.MentionMe},
		{"our name at the end of a quote", "80014", "x@小助手", list + `[]`, engine.MentionMe},
		{"a longer name in a quote", "80014", "@小助手二号 x", "", engine.MentionNone},
		{"a longer name and then ours", "80014", "@小助手二号 @小助手 x", "", engine.MentionMe},
		{"our name in a quote for others", "80014", "@小助手 x", list + `["wxid_a"]`, engine.MentionNone},
		{"in private there are none", "60001", "@所有人 x", list + `["` + bot + `"]`, engine.MentionNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			where := `,"fromUser":"u"`
			if tt.typ[0] == '8' {
				where += `,"fromGroup":"1@chatroom"`
			}
			quoted, _ := json.Marshal(tt.text)
			e := one(t, said(tt.typ, where+`,"content":`+string(quoted)+`,"title":`+string(quoted)+tt.more))
			if e.Mention != tt.want || e.Text != tt.text {
				t.Errorf("mention %q of text %q, want %q", e.Mention, e.Text, tt.want)
			}
		})
	}
}
