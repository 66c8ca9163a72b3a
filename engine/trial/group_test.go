package trial_test

import (
	"slices"
	"testing"
)

// groups is what a bot does in groups.
const groups = `
[[skill]]
name = "welcome"
on = "member_joined"
at = "members"
reply = "欢迎 {{.Members}}"
[[skill]]
name = "renamed"
on = "group_renamed"
reply = "本群改名为 {{.Text}}"
[[skill]]
name = "intruder"
on = "group_created"
not_in = ["home@chatroom"]
do = "leave_group"
[[skill]]
name = "approve"
on = "group_join_request"
do = "approve_member"
[[skill]]
name = "notice"
where = "group"
keywords = ["公告"]
do = "set_announcement"
params = {content = "{{.User}} 的公告"}
[[skill]]
name = "carry"
in = ["a@chatroom"]
match = "any"
relay = {to = ["b@chatroom"]}
[[skill]]
name = "added"
on = "friend_added"
reply = "你好"
`

func TestWhatHappensInGroups(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a newcomer is mentioned", []string{"/event member_joined"}, []string{"@user 欢迎 user"}},
		{"an event may have a text", []string{"/event group_renamed 新 群"}, []string{"本群改名为 新 群"}},
		{"one that is allowed stays", []string{"/in home@chatroom", "/event group_created"}, []string{"", ""}},
		{"one that is not is left", []string{"/in other@chatroom", "/event group_created"}, []string{"", "leave_group"}},
		{"a request carries what it is accepted by", []string{"/event group_join_request"}, []string{"approve_member scene=trial"}},
		{"an action shows its text", []string{"公告"}, []string{"set_announcement text=user 的公告"}},
		{"what goes elsewhere says where", []string{"/in a@chatroom", "你好"}, []string{"", "→ b@chatroom: user：你好"}},
		{"the same a few times over", []string{"/in a@chatroom", "1", "1", "1", "1", "/wait 10m", "1"},
			[]string{"", "→ b@chatroom: user：1", "→ b@chatroom: user：1", "→ b@chatroom: user：1", "", "", "→ b@chatroom: user：1"}},
		{"friends are not made in groups", []string{"/event friend_added"}, []string{"你好"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t, groups)
			o.Group = "g1"
			if got := play(t, o, tt.lines...); !slices.Equal(got, tt.want) {
				t.Errorf("\nsent %q\ngot  %q\nwant %q", tt.lines, got, tt.want)
			}
		})
	}
}
