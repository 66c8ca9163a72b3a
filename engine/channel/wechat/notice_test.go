package wechat

import (
	"reflect"
	"strings"
	"testing"

	"bot/engine"
)

const self = "wxid_self"

// link is a place of a template for the people of those ids, of whom those in
// capitals have no name.
func link(name string, ids ...string) string {
	s := `<link name="` + name + `" type="link_profile"><memberlist>`
	for _, id := range ids {
		called := strings.ToUpper(id)
		if called == id {
			called = ""
		}
		s += "<member><username>" + id + "</username><nickname><![CDATA[" + called + "]]></nickname></member>"
	}
	return s + "</memberlist></link>"
}

func sentence(words string, links ...string) string {
	return `<sysmsg type="sysmsgtemplate"><sysmsgtemplate><content_template type="tmpl_type_profile"><template><![CDATA[` + words +
		"]]></template><link_list>" + strings.Join(links, "") + "</link_list></content_template></sysmsgtemplate></sysmsg>"
}

func TestTemplates(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		want      Told
	}{
		{"invited", sentence(`"$username$"邀请"$names$"加入了群聊`, link("username", "a"), link("names", "b", "c")),
			Told{Kind: engine.MemberJoined, Actor: "a", Members: []string{"b", "c"}, Names: []string{"B", "C"}}},
		{"in English", sentence(`$username$ invited $names$ to the group chat`, link("username", "a"), link("names", "b")),
			Told{Kind: engine.MemberJoined, Actor: "a", Members: []string{"b"}, Names: []string{"B"}}},
		{"of whom one has no name", sentence(`"$username$"邀请"$names$"加入了群聊`, link("username", "a"), link("names", "b", "C", "d")),
			Told{Kind: engine.MemberJoined, Actor: "a", Members: []string{"b", "C", "d"}, Names: []string{"B", "", "D"}}},
		{"of whom nobody has a name", sentence(`"$username$"邀请"$names$"加入了群聊`, link("username", "a"), link("names", "B", "C")),
			Told{Kind: engine.MemberJoined, Actor: "a", Members: []string{"B", "C"}}},
		{"by us", sentence(`你邀请"$names$"加入了群聊`, link("names", "b")),
			Told{Kind: engine.MemberJoined, Actor: self, Members: []string{"b"}, Names: []string{"B"}}},
		{"by a code", sentence(`"$adder$"通过扫描"$from$"分享的二维码加入群聊`, link("adder", "b"), link("from", "a")),
			Told{Kind: engine.MemberJoined, Actor: "a", Members: []string{"b"}, Names: []string{"B"}}},
		{"by our code", sentence(`"$adder$"通过扫描你分享的二维码加入群聊`, link("adder", "b")),
			Told{Kind: engine.MemberJoined, Actor: self, Members: []string{"b"}, Names: []string{"B"}}},
		{"we were invited", sentence(`"$username$"邀请你加入了群聊，群聊参与人还有：$others$`, link("username", "a"), link("others", "c")),
			Told{Kind: engine.GroupCreated, Actor: "a", Members: []string{self}}},
		{"we and another", sentence(`"$username$"邀请你和"$names$"加入了群聊`, link("username", "a"), link("names", "b")),
			Told{Kind: engine.GroupCreated, Actor: "a", Members: []string{self, "b"}, Names: []string{"", "B"}}},
		{"removed", sentence(`你将"$kickoutname$"移出了群聊`, link("kickoutname", "b")),
			Told{Kind: engine.MemberRemoved, Actor: self, Members: []string{"b"}, Names: []string{"B"}}},
		{"dissolved", sentence(`群主"$identity$"已解散该群聊`, link("identity", "a")), Told{Kind: engine.GroupDissolved, Actor: "a"}},
		{"renamed", sentence(`"$username$"修改群名为“$remark$”`, link("username", "a"), `<link name="remark"><plain>二群</plain></link>`),
			Told{Kind: engine.GroupRenamed, Actor: "a", Text: "二群"}},
		{"renamed by us", sentence(`你修改群名为“$remark$”`, `<link name="remark"><plain>二群</plain></link>`),
			Told{Kind: engine.GroupRenamed, Actor: self, Text: "二群"}},
		{"something else", sentence(`"$username$"做了什么`, link("username", "a")), Told{}},
		{"an id that is none", sentence(`你将"$kickoutname$"移出了群聊`, link("kickoutname", strings.Repeat("x", 257))),
			Told{Kind: engine.MemberRemoved, Actor: self}},
		{"another document", "<msg/>", Told{}},
		{"none", "", Told{}},
	} {
		if got := ReadTemplate(Parse(tt.doc)).Read(self); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

// A platform may say itself that somebody came in, and hand on a plain line.
func TestJoiningByAPlainLine(t *testing.T) {
	for words, want := range map[string]Told{
		`"小测"邀请你加入了群聊`:  {Kind: engine.GroupCreated, Members: []string{self}},
		`你通过扫描二维码加入群聊`:  {Kind: engine.GroupCreated, Members: []string{self}},
		`你邀请"小测"加入了群聊`:  {Kind: engine.MemberJoined, Actor: self},
		`"甲"邀请"乙"加入了群聊`: {Kind: engine.MemberJoined},
	} {
		if got := (Template{Words: words}).Joining(self); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", words, got)
		}
	}
}

func TestSentences(t *testing.T) {
	for line, want := range map[string]Told{
		`你被"小测"移出群聊`:    {Kind: engine.BotRemoved},
		`你将"小测"移出了群聊`:   {Kind: engine.MemberRemoved, Actor: self},
		`你已成为新群主`:       {Kind: engine.GroupOwnerChanged, Members: []string{self}},
		`你修改群名为“一群”`:    {Kind: engine.GroupRenamed, Actor: self, Text: "一群"},
		`"小测"修改群名为“一群”`: {Kind: engine.GroupRenamed, Text: "一群"},
		`"你被踢"把小测移出群聊`:  {}, // whoever is called so
		`"小测"邀请你加入了群聊`:  {},
		`收到红包，请在手机上查看`:  {},
		``:              {},
	} {
		if got := Sentence(line, self); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestGreetings(t *testing.T) {
	for line, want := range map[string]struct {
		name string
		ok   bool
	}{
		"你已添加了小测，现在可以开始聊天了。":  {"小测", true},
		"以上是打招呼的内容":           {"", true},
		"你已添加了":               {"", false},
		"他说你已添加了小测，现在可以开始聊天了": {"", false},
		"": {"", false},
	} {
		if name, ok := Greeting(line); name != want.name || ok != want.ok {
			t.Errorf("%q: %q, %v", line, name, ok)
		}
	}
}

func TestSystemDocuments(t *testing.T) {
	if id := Revoked(Parse(`<sysmsg type="revokemsg"><revokemsg><newmsgid>9007199254740993</newmsgid></revokemsg></sysmsg>`)); id != "9007199254740993" {
		t.Errorf("revoked %q", id)
	}
	from, patted := Pat(Parse(`<sysmsg type="pat"><pat><fromusername>a</fromusername><pattedusername>b</pattedusername></pat></sysmsg>`))
	if from != "a" || patted != "b" {
		t.Errorf("%q patted %q", from, patted)
	}
	doc := `<sysmsg type="mmchatroombarannouncememt"><mmchatroombarannouncememt><content> 周日休息 </content></mmchatroombarannouncememt></sysmsg>`
	if text := Announcement(Parse(doc)); text != "周日休息" {
		t.Errorf("announced %q", text)
	}
	if r := ReadFriendRequest(Parse(`<msg fromusername="a` + "\ufffd" + `" encryptusername="v3"/>`)); r.From != "" {
		t.Errorf("a request of %q", r.From)
	}
}

func TestJoinRequestsInBothForms(t *testing.T) {
	const member = `<memberlist><member><username>b</username><nickname>B</nickname></member></memberlist>`
	for name, inside := range map[string]string{
		"around the link": `<inviterusername>a</inviterusername>` + member + `<link/>`,
		"in the link":     `<link><inviterusername>a</inviterusername>` + member + `</link>`,
		"in both":         `<inviterusername>a</inviterusername><link>` + member + `</link>`,
	} {
		doc := "<sysmsg><" + TypeJoinRequest + ">" + inside + "</" + TypeJoinRequest + "></sysmsg>"
		inviter, members, names := JoinRequest(Parse(doc))
		if inviter != "a" || len(members) != 1 || members[0] != "b" || len(names) != 1 || names[0] != "B" {
			t.Errorf("%s: %q invited %q called %q", name, inviter, members, names)
		}
	}
}
