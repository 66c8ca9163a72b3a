package do_test

import (
	"encoding/json"
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

// table builds one skill out of its keys.
func table(t *testing.T, keys string) *skills.Set {
	t.Helper()
	set, err := skills.Build(skilltest.Parse(t, "[[skill]]\nname = \"d\"\n"+keys).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestEveryActionIsDoneFromItsEvent(t *testing.T) {
	for _, tt := range []struct{ name, keys, transcript string }{
		{"a group that is not allowed is left", "on = \"group_created\"\nnot_in = [\"home\"]\ndo = \"leave_group\"", `
			in    home
			event group_created
			in    away
			event group_created
			bot   [leave_group {}]`},
		{"an invitation is accepted by what it carries", "on = \"group_invite_card\"\ndo = \"accept_group\"", `
			event group_invite_card
			bot   [accept_group {"scene":"ticket-1"}]`},
		{"a join request is approved by what it carries", "on = \"group_join_request\"\ndo = \"approve_member\"", `
			in    room
			event group_join_request
			bot   [approve_member {"scene":"ticket-1"}]`},
		{"who joined is removed", "on = \"member_joined\"\ndo = \"remove_member\"", `
			in    room
			event member_joined
			bot   [remove_member {"members":["u1"]}]`},
		{"a list of templates is a list", "where = \"group\"\nkeywords = [\"广告\"]\nmention = false\ndo = \"remove_member\"\nparams = {members = [\"{{.User}}\", \"{{.Actor}}\", \"boss\"]}", `
			in    room
			user  广告
			bot   [remove_member {"members":["u1","boss"]}]`},
		{"somebody is added to a group from a private chat", "keywords = [\"进群\"]\ndo = \"add_member\"\nparams = {room_id = \"room\", members = [\"{{.User}}\"]}", `
			user  进群
			bot   → room: [add_member {"members":["u1"],"room_id":"room"}]`},
		{"a group is renamed", "where = \"group\"\npatterns = ['^改名 (.+)$']\ndo = \"rename_group\"\nparams = {name = \"{{index .Match 1}}\"}", `
			in    room
			user  改名 茶友会
			bot   [rename_group {"name":"茶友会"}]`},
		{"an announcement is the command's text", "where = \"group\"\nkeywords = [\"公告\"]\ndo = \"set_announcement\"\nparams = {content = \"{{.Day}} 开会\"}", `
			in    room
			user  公告
			bot   [set_announcement "2026-03-02 开会" {}]`},
		{"an administrator is made", "where = \"group\"\nkeywords = [\"管理\"]\ndo = \"set_admin\"\nparams = {user = \"{{.User}}\", on = true}", `
			in    room
			user  管理
			bot   [set_admin {"on":true,"user":"u1"}]`},
		{"a group is given away", "where = \"group\"\nkeywords = [\"群主\"]\ndo = \"transfer_group\"\nparams = {user = \"{{.User}}\"}", `
			in    room
			user  群主
			bot   [transfer_group {"user":"u1"}]`},
		{"a group is dissolved from elsewhere", "keywords = [\"解散\"]\ndo = \"dissolve_group\"\nparams = {room_id = \"room\"}", `
			user  解散
			bot   → room: [dissolve_group {"room_id":"room"}]`},
		{"a group is made", "keywords = [\"建群\"]\ndo = \"create_group\"\nparams = {members = [\"{{.User}}\", \"boss\"], name = \"{{.UserName}} 的群\"}", `
			user  建群
			bot   [create_group {"members":["u1","boss"],"name":"name of u1 的群"}]`},
		{"a contact gets a remark", "on = \"friend_added\"\ndo = \"set_remark\"\nparams = {remark = \"{{.Day}} {{.UserName}}\"}", `
			event friend_added
			bot   [set_remark {"remark":"2026-03-02 name of u1"}]`},
		{"and labels", "keywords = [\"vip\"]\ndo = \"set_label\"\nparams = {add = [\"vip\"]}", `
			user  vip
			bot   [set_label {"add":["vip"]}]`},
		{"a contact is deleted", "keywords = [\"再见\"]\ndo = \"delete_friend\"", `
			user  再见
			bot   [delete_friend {}]`},
		{"somebody is deleted from a group", "where = \"group\"\nkeywords = [\"再见\"]\ndo = \"delete_friend\"\nparams = {user = \"{{.User}}\"}", `
			in    room
			user  再见
			bot   → u1: [delete_friend {"user":"u1"}]`},
		{"a customer is handed over", "keywords = [\"人工\"]\ndo = \"hand_over\"", `
			user  人工
			bot   [hand_over {}]`},
		{"a card may be a table", "on = \"button\"\ndo = \"update_card\"\nparams = {card = {card_type = \"text_notice\", main_title = {title = \"{{.UserName}} 已处理\"}, ids = [1, 2]}}", `
			event button
			bot   [update_card {"card":{"card_type":"text_notice","ids":[1,2],"main_title":{"title":"name of u1 已处理"}}}]`},
		{"a message is withdrawn", "on = \"feedback\"\ndo = \"revoke_message\"\nparams = {msg_id = \"{{.Params.msg_id}}7\"}", `
			event feedback
			bot   [revoke_message {"msg_id":"7"}]`},
	} {
		skilltest.Try(t, tt.name, table(t, tt.keys), tt.transcript)
	}
}

// What an event carries is for what answers it, and must not be taken for the
// operator's own params elsewhere.
func TestOnlyAnAnswerCarriesWhatTheEventCarries(t *testing.T) {
	chat := skilltest.NewChat(t, table(t, "on = \"group_created\"\ndo = \"leave_group\""))
	chat.Group = "room"
	e := chat.Event(engine.GroupCreated)
	e.Params = map[string]string{"room_id": "another", "scene": "x"}
	if got := skilltest.Texts(chat.Do(e)); got[0] != "[leave_group {}]" {
		t.Errorf("got %q", got)
	}
	chat = skilltest.NewChat(t, table(t, "on = \"button\"\ndo = \"update_card\"\nparams = {button = \"已处理\"}"))
	e = chat.Event(engine.Button)
	e.Params = map[string]string{"response_code": "c1", "empty": ""}
	if got := skilltest.Texts(chat.Do(e)); got[0] != `[update_card {"button":"已处理","response_code":"c1"}]` {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsNotDoneSaysWhy(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		event      engine.Kind
		note       string
	}{
		{"no credential", "on = \"friend_request\"\ndo = \"accept_friend\"\nonce = \"{{.User}}\"", engine.FriendRequest, "not accepted: the request carries nothing to accept it by"},
		{"no invitation", "on = \"group_invite_card\"\ndo = \"accept_group\"\nparams = {x = \"y\"}", engine.GroupInvitation, "not accepted: the request carries nothing to accept it by"},
		{"no group", "where = \"any\"\nkeywords = [\"x\"]\ndo = \"leave_group\"", engine.Message, "leave_group not done: this is no group"},
		{"nothing to rename it to", "where = \"any\"\nkeywords = [\"x\"]\ndo = \"rename_group\"\nparams = {name = \"{{.Actor}} \"}", engine.Message, "rename_group not done: params.name came out empty"},
		{"nobody to remove", "keywords = [\"x\"]\nwhere = \"any\"\ndo = \"remove_member\"\nparams = {members = [\"{{.Actor}}\"]}", engine.Message, "remove_member not done: params.members came out empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chat := skilltest.NewChat(t, table(t, tt.keys))
			e := chat.Event(tt.event)
			e.Type, e.Text, e.Params = "text", "x", map[string]string{"scene": ""}
			out, err := chat.Router.Rules(e)[0].Skill.Handle(t.Context(), &engine.Turn{Event: e})
			if err != nil || out.Note != tt.note || len(out.Commands)+len(out.Once) > 0 {
				t.Errorf("outcome %+v, %v; want only the note %q", out, err, tt.note)
			}
		})
	}
	t.Run("a group is no friend", func(t *testing.T) {
		chat := skilltest.NewChat(t, table(t, "where = \"any\"\nkeywords = [\"x\"]\ndo = \"delete_friend\""))
		chat.Group = "room"
		if got := chat.Say("x"); len(got) > 0 {
			t.Errorf("got %q", got)
		}
	})
}

func TestProblemsOfActions(t *testing.T) {
	for _, tt := range []struct{ name, toml, want string }{
		{"accepting what is no invitation", `do = "accept_group"`, `accept_group answers group_invite_card, not message (on = "group_invite_card")`},
		{"approving what nobody asked", `do = "approve_member"`, `approve_member answers group_join_request`},
		{"a card nobody pressed", "do = \"update_card\"\nparams = {card = {a = \"b\"}}", `update_card answers button`},
		{"no group to leave", `do = "leave_group"`, `leave_group is done to a group, and there is none here`},
		{"nor where friends are made", "on = \"friend_added\"\ndo = \"add_member\"\nparams = {members = [\"{{.User}}\"]}", `add_member is done to a group`},
		{"no friend to delete", "where = \"group\"\ndo = \"delete_friend\"", `delete_friend is done to a contact, and a group is none`},
		{"nobody to add", "do = \"add_member\"\nparams = {room_id = \"r1\"}", `add_member needs params = {members = …} or {invited_wxid = …}`},
		{"no name", "where = \"group\"\ndo = \"rename_group\"", `rename_group needs params = {name = …}`},
		{"a fraction", "do = \"set_remark\"\nparams = {remark = 1.5}", `5:20: skill "d": a param is a text, a whole number`},
		{"a bad template in a list", "do = \"create_group\"\nparams = {members = [\"a\", \"{{.Usr}}\"]}", `5:27: skill "d": bad template: there is no .Usr`},
		{"a card to send", `do = "send_link"`, `send_link is what a reply does`},
		{"what no skill does", `do = "send_miniapp"`, `unknown action "send_miniapp" (docs/skills.md lists all)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"d\"\nkeywords = [\"x\"]\n" + tt.toml
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}

// Params are kept as JSON: what a skill puts there must come back as it was.
func TestParamsAreJSON(t *testing.T) {
	chat := skilltest.NewChat(t, table(t, "keywords = [\"x\"]\ndo = \"set_label\"\nparams = {add = [\"a\"], id = 9007199254740993, card = {on = true}}"))
	b, err := json.Marshal(chat.Do(chat.Message("x"))[0].Params)
	if want := `{"add":["a"],"card":{"on":true},"id":9007199254740993}`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
}
