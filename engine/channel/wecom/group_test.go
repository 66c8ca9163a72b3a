package wecom

import (
	"testing"

	"bot/engine"
	"bot/engine/channel"
)

func TestGroupsOfAnApp(t *testing.T) {
	chat := short("t-1")
	for _, c := range []struct {
		name, path string
		does       engine.Command
		want, note string
	}{
		{"text", "appchat/send", engine.Command{TaskID: "t-1", Conversation: "appchat/g1", Action: engine.SendText, Text: "a", Params: map[string]any{"at": "lina,all"}},
			`{"chatid":"g1","msgtype":"text","text":{"content":"a","mentioned_list":["lina","@all"]}}`, ""},
		{"image", "appchat/send", does("t-1", "appchat/g1", engine.SendImage, map[string]any{"media_id": "M"}),
			`{"chatid":"g1","image":{"media_id":"M"},"msgtype":"image"}`, ""},
		{"create", "appchat/create", does("t-1", "", engine.CreateGroup, map[string]any{"members": []any{"lina", "wang"}, "name": "队", "owner": "lina"}),
			`{"chatid":"` + chat + `","name":"队","owner":"lina","userlist":["lina","wang"]}`, `{"chatid":"` + chat + `","conversation":"appchat/` + chat + `"}`},
		{"add", "appchat/update", does("t-1", "appchat/g1", engine.AddMember, map[string]any{"members": "lina,wang"}),
			`{"add_user_list":["lina","wang"],"chatid":"g1"}`, ""},
		{"add, as other systems ask", "appchat/update", does("t-1", "x", engine.AddMember, map[string]any{"invited_wxid": "lina", "room_id": "appchat/g1"}),
			`{"add_user_list":["lina"],"chatid":"g1"}`, ""},
		{"remove", "appchat/update", does("t-1", "appchat/g1", engine.RemoveMember, map[string]any{"members": "lina"}),
			`{"chatid":"g1","del_user_list":["lina"]}`, ""},
		{"rename", "appchat/update", does("t-1", "appchat/g1", engine.RenameGroup, map[string]any{"name": "n"}),
			`{"chatid":"g1","name":"n"}`, ""},
		{"hand to another owner", "appchat/update", does("t-1", "appchat/g1", engine.TransferGroup, map[string]any{"user": "wang"}),
			`{"chatid":"g1","owner":"wang"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := appRig(t)
			if note := sent(t, r.sender(t), c.does); note != c.note {
				t.Errorf("noted %q, want %q", note, c.note)
			}
			r.wantBody(t, c.path, c.want)
		})
	}
}

func TestWhatGroupsCannot(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	many := make([]any, 2001)
	for i := range many {
		many[i] = "u"
	}
	for name, c := range map[string]engine.Command{
		"a group of one":     does("t-1", "", engine.CreateGroup, map[string]any{"members": "lina"}),
		"a group of a crowd": does("t-1", "", engine.CreateGroup, map[string]any{"members": many}),
		"a card":             does("t-1", "appchat/g1", engine.SendCard, map[string]any{"card": map[string]any{}}),
		"nobody added":       does("t-1", "appchat/g1", engine.AddMember, nil),
		"a name of a novel":  does("t-1", "appchat/g1", engine.RenameGroup, map[string]any{"name": "一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一"}),
	} {
		t.Run(name, func(t *testing.T) { failed(t, s, c, channel.Permanent) })
	}
	if n := len(r.calls); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

// Creation under an id of our own is safe to repeat.
func TestAGroupThatIsThereAlready(t *testing.T) {
	r := appRig(t)
	r.says("appchat/create", refuses(86215, "chatid exists"))
	if note := sent(t, r.sender(t), does("t-1", "", engine.CreateGroup, map[string]any{"members": "lina,wang"})); note == "" {
		t.Error("the group's id is not noted")
	}
}
