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
	handle := func(body []byte) *engine.Event {
		t.Helper()
		e := receive(t, r, body)
		if err := h.Memory.Remember(t.Context(), "shop", e.Learned...); err != nil {
			t.Fatal(err)
		}
		return e
	}
	handle([]byte(v1("fmessage", self, "37", requestXML, "")))
	if e := handle(contactNotice("wxid_other", "3", "", "v3_x@stranger")); e.IfKnown == "" {
		t.Error("somebody else with that v3 is taken for the one who asked")
	}
	if e := handle(contactNotice(newbie, "2", "", "v3_x@stranger")); e.Kind != engine.ContactChanged {
		t.Errorf("before it is accepted: %s", e.Kind)
	}
	if e := handle(contactNotice(newbie, "3", "王", "v3_x@stranger")); e.Kind != engine.FriendAdded || e.IfKnown != "" {
		t.Errorf("once accepted: %s, if known %q", e.Kind, e.IfKnown)
	}
	if e := handle(contactNotice(newbie, "3", "王", "v3_x@stranger")); e.IfKnown != engine.ContactChanged {
		t.Errorf("after that: %s, if known %q", e.Kind, e.IfKnown)
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
