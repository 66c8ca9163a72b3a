package gewe

import (
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel/channeltest"
)

func contactNotice(user, bits, remark, v3 string) []byte {
	return []byte(`{"TypeName":"ModContacts","Appid":"` + appID + `","Data":{"UserName":{"string":"` + user + `"},"NickName":{"string":"新朋友"},` +
		`"Remark":{"string":"` + remark + `"},"BitVal":` + bits + `,"EncryptUserName":"` + v3 + `"}}`)
}

func TestContactNotices(t *testing.T) {
	tests := []struct {
		name          string
		body          []byte
		kind, ifKnown engine.Kind
		fact          string
	}{
		{"in the address book, with a v3", contactNotice(newbie, "3", "", "v3_x"), engine.FriendAdded, engine.ContactChanged, "friend/" + newbie},
		{"in it, without a v3 and without a remark", contactNotice(newbie, "2059", "", ""), engine.FriendAdded, engine.ContactChanged, "friend/" + newbie},
		{"in it, with a remark of ours", contactNotice(newbie, "3", "老客户", ""), engine.ContactChanged, "", ""},
		{"not in it", contactNotice(newbie, "2", "", "v3_x"), engine.ContactChanged, "", ""},
		{"a group", contactNotice(group, "3", "", ""), engine.GroupCreated, engine.GroupChanged, "group/" + group},
	}
	r := mustReceiver(t, channeltest.Host(t), shop())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := receive(t, r, tt.body)
			if e.Kind != tt.kind || e.IfKnown != tt.ifKnown || e.Fact != tt.fact {
				t.Errorf("%s, if known %q, fact %q", e.Kind, e.IfKnown, e.Fact)
			}
			if e.Group != (e.Conversation == group) {
				t.Errorf("in %q, group %v", e.Conversation, e.Group)
			}
		})
	}
}

// A contact that answers a pending request is a new friend even if the engine
// knows them; the notice after that is a change.
func TestPendingRequestIsAnswered(t *testing.T) {
	h := channeltest.Host(t)
	h.Memory = &channeltest.Memory{Now: func() time.Time { return noon }}
	r := mustReceiver(t, h, shop())
	handle := func(body []byte) engine.Kind {
		t.Helper()
		e := receive(t, r, body)
		kind := e.KindWhen(true, e.IfNoted != "" && h.Memory.Recall("shop", e.IfNoted) != "")
		if err := h.Memory.Remember(t.Context(), "shop", e.Learned...); err != nil {
			t.Fatal(err)
		}
		return kind
	}
	request := []byte(v1("fmessage", self, "37", requestXML, ""))
	handle(request)
	for _, tt := range []struct {
		name string
		body []byte
		want engine.Kind
	}{
		{"somebody else with that v3", contactNotice("wxid_other", "3", "", "v3_x@stranger"), engine.ContactChanged},
		{"before it is accepted", contactNotice(newbie, "2", "", "v3_x@stranger"), engine.ContactChanged},
		{"once accepted", contactNotice(newbie, "3", "王", "v3_x@stranger"), engine.FriendAdded},
		{"after that", contactNotice(newbie, "3", "王", "v3_x@stranger"), engine.ContactChanged},
		{"asked again", request, engine.FriendRequest},
		{"accepted without a word of the address book", contactNotice(newbie, `""`, "王", "v3_x@stranger"), engine.FriendAdded},
	} {
		if got := handle(tt.body); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A burst may bring the answer before anybody has handled the request: then it is
// the event's own turn that finds the note.
func TestRequestAndAnswerAreReadTogether(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	request := receive(t, r, []byte(v1("fmessage", self, "37", requestXML, "")))
	answer := receive(t, r, contactNotice(newbie, "3", "王", "v3_x@stranger"))
	if len(request.Learned) != 1 || answer.IfNoted != request.Learned[0].Key {
		t.Fatalf("%+v is not the note that %q asks for", request.Learned, answer.IfNoted)
	}
	if kind := answer.KindWhen(true, true); kind != engine.FriendAdded {
		t.Errorf("an acquaintance who asked: %s", kind)
	}
	if kind := answer.KindWhen(true, false); kind != engine.ContactChanged {
		t.Errorf("an acquaintance who did not ask: %s", kind)
	}
}

// Whoever is added, deleted and added again is a new friend twice, and so is a
// group that was left: what ends the fact carries it too.
func TestWhatEndsAFactCarriesIt(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	system := func(content string) []byte { return []byte(v1(group, self, "10000", content, "")) }
	leaving := func(user string) []byte {
		return []byte(`{"TypeName":"DelContacts","Appid":"` + appID + `","Data":{"UserName":{"string":"` + user + `"}}}`)
	}
	for _, tt := range []struct {
		name        string
		begin, part []byte
		fact        string
	}{
		{"a friend deleted", contactNotice(newbie, "3", "", "v3_x"), leaving(newbie), "friend/" + newbie},
		{"a group left", contactNotice(group, "3", "", ""), leaving(group), "group/" + group},
		{"out of a group", contactNotice(group, "3", "", ""), system(`你被"小测"移出群聊`), "group/" + group},
		{"v2.0, out of a group", contactNotice(group, "3", "", ""), []byte(v2("REMOVE_FROM_GROUP", group, self, "x", "")), "group/" + group},
		{"v2.0, a group dissolved", contactNotice(group, "3", "", ""), []byte(v2("GROUP_DISMISS", group, self, "x", "")), "group/" + group},
	} {
		began, parted := receive(t, r, tt.begin), receive(t, r, tt.part)
		if !began.Kind.Begins() || !parted.Kind.Parts() || began.Fact != tt.fact || parted.Fact != tt.fact {
			t.Errorf("%s: %s of %q, then %s of %q", tt.name, began.Kind, began.Fact, parted.Kind, parted.Fact)
		}
	}
}

// The contact notice, the two lines in the chat and v2.0's word tell one fact.
func TestOneFact(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	var first *engine.Event
	for _, body := range [][]byte{
		contactNotice(newbie, "3", "", "v3_x"),
		[]byte(v1(newbie, self, "10000", "你已添加了新朋友，现在可以开始聊天了。", `,"NewMsgId":7100000000000000201`)),
		[]byte(v1(newbie, self, "10000", "以上是打招呼的内容", `,"NewMsgId":7100000000000000202`)),
		[]byte(v1(self, newbie, "10000", "你已添加了新朋友，现在可以开始聊天了。", `,"NewMsgId":7100000000000000203`)),
		[]byte(v2("FRIEND_CONFIRM", newbie, self, "你已添加了新朋友，现在可以开始聊天了。", "")),
		[]byte(v2("FRIEND_CONFIRM", "fmessage", self, requestXML, "")),
	} {
		e := receive(t, r, body)
		if first == nil {
			first = e
		}
		if e.Kind != engine.FriendAdded || e.Fact != first.Fact || e.Conversation != newbie || e.Sender != newbie || e.Self {
			t.Errorf("%s: %+v", body, e)
		}
	}
	other := receive(t, r, contactNotice(friend, "3", "", "v3_x"))
	if other.Fact == first.Fact {
		t.Error("another friend is the same fact")
	}
}

// The lines mean nothing in a group, where anything may be a group's name.
func TestGreetingsInGroups(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for _, body := range []string{
		v1(group, self, "10000", "以上是打招呼的内容", ""),
		v1(friend, self, "10000", "收到红包，请在手机上查看", ""),
	} {
		if e := receive(t, r, []byte(body)); e.Kind != engine.Unknown || e.Type != "10000" {
			t.Errorf("%s: %s", body, e.Kind)
		}
	}
}

func TestUnreadableFriendRequest(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for _, body := range []string{
		v1("fmessage", self, "37", "<msg", ""), v2("FRIEND_VERIFY", "fmessage", self, "你好", ""), v2("FRIEND_CONFIRM", "fmessage", self, "x", ""),
	} {
		if e := receive(t, r, []byte(body)); e.Kind != engine.Unknown || e.Conversation == "" {
			t.Errorf("%s: %s", body, e.Kind)
		}
	}
}

func TestContactLeft(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for user, want := range map[string]engine.Kind{friend: engine.FriendDeleted, group: engine.BotLeft} {
		if e := receive(t, r, []byte(v2("DEL_CONTACTS", "", "", `{"userName":"`+user+`"}`, ""))); e.Kind != want || e.Conversation != user {
			t.Errorf("%s: %s in %q", user, e.Kind, e.Conversation)
		}
		if e := receive(t, r, []byte(v2("DEL_CONTACTS", user, self, "not JSON", ""))); e.Kind != want || e.Conversation != user {
			t.Errorf("%s, by fromUser: %s in %q", user, e.Kind, e.Conversation)
		}
	}
}
