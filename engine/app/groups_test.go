package app_test

import (
	"slices"
	"testing"

	"bot/engine"
	"bot/engine/stub"
)

const groupFlows = `
[[skill]]
name = "guest"
on = "group_member_joined"
at = "members"
reply = "WELCOME"
[[skill]]
name = "ask"
where = "group"
keywords = ["几点"]
match = "exact"
reply = "NOON"
[[skill]]
name = "bridge"
match = "any"
in = ["10@chatroom", "20@chatroom"]
[skill.relay]
to = ["10@chatroom", "20@chatroom"]
prefix = "{{.UserName}}: "
`

// The same flows on every gateway that has groups like these.
func TestGroupFlows(t *testing.T) {
	for _, name := range []string{"gewe", "wkteam"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manners, text := talkOf(t, name, groupFlows)
			r := start(t, manners, text)
			r.happens(stub.Said{Kind: engine.MemberJoined, User: "wxid_host", Group: "30@chatroom", Members: []string{"wxid_guest"}, Name: "小新"})
			r.texts("30@chatroom", 1)
			welcome := r.platform.Calls(stub.Text("30@chatroom"))[0]
			if at := welcome.JSON(); at["ats"] != "wxid_guest" && at["at"] != "wxid_guest" {
				t.Errorf("the welcome mentions nobody: %s", welcome.Body)
			}
			r.happens(stub.Said{User: "wxid_u1", Name: "小王", Group: "30@chatroom", Text: "几点"}) // says nothing to the bot
			r.happens(stub.Said{User: "wxid_u1", Name: "小王", Group: "30@chatroom", Text: "几点", Mention: engine.MentionMe})
			if got := r.texts("30@chatroom", 2); got[1] != "NOON" {
				t.Errorf("said %q", got)
			}
			r.happens(stub.Said{User: "wxid_u1", Name: "小王", Group: "10@chatroom", Text: "有货吗"})
			r.happens(stub.Said{User: "wxid_u2", Name: "小李", Group: "20@chatroom", Text: "有"})
			r.idle()
			if got := r.texts("20@chatroom", 1); len(got) != 1 || !slices.Contains(got, "小王: 有货吗") && !slices.Contains(got, ": 有货吗") {
				t.Errorf("relayed to the second group: %q", got)
			}
			if got := r.texts("10@chatroom", 1); len(got) != 1 {
				t.Errorf("relayed to the first group: %q", got)
			}
			if got := r.texts("30@chatroom", 2); len(got) != 2 {
				t.Errorf("said to the third group: %q", got)
			}
		})
	}
}
