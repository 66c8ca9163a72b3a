package wechat

import (
	"testing"

	"bot/engine"
)

// FuzzDocument: whatever stands in a message is read into ids that can be kept,
// and names that are none or one for each.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{
		sentence(`"$username$"邀请你和"$names$"加入了群聊`, link("username", "a"), link("names", "b", "C")),
		`<sysmsg type="pat"><pat><fromusername>a</fromusername>`,
		`<msg fromusername="a" encryptusername="v3_a@stranger" content="&amp;"/>`,
		"a:\n<msg><appmsg><type>40</type><realinnertype>19",
		`<!DOCTYPE m [<!ENTITY e "eeee">]><m>&e;</m>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc := Parse(s)
		told := ReadTemplate(doc).Read(self)
		inviter, members, names := JoinRequest(doc)
		from, patted := Pat(doc)
		ids := append([]string{told.Actor, inviter, from, patted, ReadFriendRequest(doc).From}, append(told.Members, members...)...)
		for _, id := range ids {
			if !IsID(id) {
				t.Errorf("%q is taken for an id", id)
			}
		}
		if told.Names != nil && len(told.Names) != len(told.Members) || names != nil && len(names) != len(members) {
			t.Errorf("%q are called %q, %q are called %q", told.Members, told.Names, members, names)
		}
		if told.Kind == engine.GroupCreated && told.Members[0] != self {
			t.Errorf("a group made of %q", told.Members)
		}
		ReadApp(doc).IsInvitation()
	})
}
