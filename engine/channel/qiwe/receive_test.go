package qiwe

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// push is a callback's body with one event: a text of a friend, but for the
// given members of the event. A nil takes one away.
func push(t *testing.T, with map[string]any) string {
	t.Helper()
	event := map[string]any{
		"guid": guid, "userId": self, "requestId": "r", "cmd": 15000, "msgType": 2, "senderId": friend,
		"receiverId": self, "fromRoomId": "0", "isRoomNotice": 0, "msgServerId": 1000001,
		"msgUniqueIdentifier": "uid-1", "seq": 9000001, "timestamp": 1790000001, "msgData": map[string]any{"content": "x"},
	}
	maps.Copy(event, with)
	for name, v := range event {
		if v == nil {
			delete(event, name)
		}
	}
	b, err := json.Marshal(map[string]any{"code": 0, "data": []any{event}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAcknowledgements(t *testing.T) {
	tests := []struct{ ack, want, kind string }{
		{"", accepted, "application/json"},
		{"auto", accepted, "application/json"},
		{"json", accepted, "application/json"},
		{"success", "success", "text/plain; charset=utf-8"},
		{"empty", "", ""},
		{`{"code":0,"msg":"received"}`, `{"code":0,"msg":"received"}`, "application/json"},
	}
	for _, tt := range tests {
		for _, name := range []string{"text_private", "test_ping", "envelope_empty", "read_receipt"} {
			t.Run(tt.ack+" to "+name, func(t *testing.T) {
				a := ours()
				a.Ack = tt.ack
				got, refusal := receive(t, channeltest.Host(t), []channel.Account{a}, sample(t, name), nil)
				if refusal != nil || got.Answer.Status != 200 || string(got.Answer.Body) != tt.want || got.Answer.ContentType != tt.kind {
					t.Errorf("got %+v, %v", got.Answer, refusal)
				}
			})
		}
	}
}

func TestAccountsThatShareAPath(t *testing.T) {
	a, b := ours(), ours()
	b.Name, b.GUID, b.Ack = "branch", "11111111-bbbb-4ccc-8ddd-000000000002", "empty"
	tests := []struct {
		name     string
		accounts []channel.Account
		guid     any
		account  string
		foreign  string
	}{
		{"the guid chooses", []channel.Account{a, b}, b.GUID, "branch", ""},
		{"in either case", []channel.Account{a, b}, strings.ToUpper(b.GUID), "branch", ""},
		{"an unknown guid is somebody else's", []channel.Account{a, b}, "22222222", "", "22222222"},
		{"and so is it where there is one account", []channel.Account{a}, "22222222", "", "22222222"},
		{"alone, the guid may be missing", []channel.Account{a}, nil, "shop", ""},
		{"among several nobody could tell", []channel.Account{a, b}, nil, "", "(no guid)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := receive(t, channeltest.Host(t), tt.accounts, push(t, map[string]any{"guid": tt.guid}), nil)
			if refusal != nil || got.Foreign != tt.foreign || got.Answer.Status != 200 {
				t.Fatalf("got %+v, %v", got, refusal)
			}
			if tt.account == "" && len(got.Events) != 0 || tt.account != "" && (len(got.Events) != 1 || got.Events[0].Account != tt.account) {
				t.Errorf("events %+v, want one of %q", got.Events, tt.account)
			}
		})
	}
}

func TestReceiverRefusesAccountsItCannotTellApart(t *testing.T) {
	with := func(change func(*channel.Account)) channel.Account {
		a := ours()
		a.Name = "branch"
		change(&a)
		return a
	}
	tests := []struct {
		name     string
		accounts []channel.Account
		key      string
	}{
		{"without guid", []channel.Account{with(func(a *channel.Account) { a.GUID = "" })}, "guid"},
		{"a self that is no number", []channel.Account{with(func(a *channel.Account) { a.Self = "wxid_1" })}, "self"},
		{"one guid in two cases", []channel.Account{ours(), with(func(a *channel.Account) { a.GUID = strings.ToLower(guid) })}, "guid"},
		{"two secrets", []channel.Account{ours(), with(func(a *channel.Account) { a.GUID, a.Secret = "g", "hidden" })}, "secret"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newReceiver(tt.accounts, channeltest.Host(t))
			e, ok := err.(*channel.SettingError)
			if !ok || e.Key != tt.key || e.Account != "branch" || strings.Contains(e.Error(), "hidden") {
				t.Errorf("got %v, want a SettingError of %s", err, tt.key)
			}
		})
	}
	if _, err := newReceiver(nil, channeltest.Host(t)); err == nil {
		t.Error("took no account")
	}
}

func TestTheSecretIsWantedOfAllButTestsOfTheAddress(t *testing.T) {
	a := ours()
	a.Secret = "s3cret"
	tests := []struct {
		name, authorization, body string
		taken                     bool
	}{
		{"as it is", "s3cret", sample(t, "text_private"), true},
		{"with a scheme", "Bearer s3cret", sample(t, "text_private"), true},
		{"missing", "", sample(t, "text_private"), false},
		{"another", "s3cre", sample(t, "text_private"), false},
		{"missing from nothing at all", "", sample(t, "envelope_empty"), false},
		{"missing from what is no JSON", "", "{", false},
		{"missing from a test", "", sample(t, "test_ping"), true},
		{"missing from a confirmation", "", sample(t, "subscription_confirm"), true},
		{"missing from an endless test", "", `{"testMsg":"验证回调地址是否可用","x":"` + strings.Repeat("x", maxControl) + `"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := receive(t, channeltest.Host(t), []channel.Account{a}, tt.body, http.Header{"Authorization": {tt.authorization}})
			switch {
			case tt.taken && refusal != nil:
				t.Errorf("refused: %v", refusal)
			case !tt.taken && (refusal == nil || refusal.Reason != "signature" || refusal.Answer.Status != 401 || len(got.Events) > 0):
				t.Errorf("got %+v, %v", got, refusal)
			}
		})
	}
}

func TestMentions(t *testing.T) {
	list := func(ids ...any) []any {
		var all []any
		for _, id := range ids {
			all = append(all, map[string]any{"userId": id, "nickname": "x"})
		}
		return all
	}
	tests := []struct {
		name, text string
		at         any
		room       string
		want       engine.Mention
	}{
		{"the account", "@小助手 hi", list(self), roomID, engine.MentionMe},
		{"the account after another", "@别人 @小助手 hi", list("1688000000000002", self), roomID, engine.MentionMe},
		{"all", "@所有人 hi", list("0"), roomID, engine.MentionAll},
		{"all and the account", "@所有人 @小助手 hi", list("0", self), roomID, engine.MentionMe},
		{"a longer id", "@别人 hi", list(self + "2"), roomID, engine.MentionNone},
		{"the list says another, whatever the text", "@小助手 hi", list("1688000000000002"), roomID, engine.MentionNone},
		{"no list: the text counts", "hi @小助手\u2005there", nil, roomID, engine.MentionMe},
		{"no list: at the end", "hi @小助手", nil, roomID, engine.MentionMe},
		{"no list: a longer name", "@小助手二号 hi", nil, roomID, engine.MentionNone},
		{"no list: the longer name, then ours", "@小助手二号 @小助手 hi", nil, roomID, engine.MentionMe},
		{"no list: without the sign", "小助手 hi", nil, roomID, engine.MentionNone},
		{"a list of nonsense", "@小助手 hi", "x", roomID, engine.MentionMe},
		{"in private there is none", "@小助手 hi", list(self), "0", engine.MentionNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := one(t, push(t, map[string]any{"fromRoomId": tt.room, "msgData": map[string]any{"content": tt.text, "atList": tt.at}}))
			if e.Mention != tt.want || e.Text != tt.text {
				t.Errorf("mention %q in %q, want %q", e.Mention, e.Text, tt.want)
			}
		})
	}
}

func TestWhoAndWhere(t *testing.T) {
	tests := []struct {
		name         string
		with         map[string]any
		conversation string
		self, group  bool
		kind         engine.Kind
	}{
		{"a private message", nil, friend, false, false, engine.Message},
		{"our own, from the phone", map[string]any{"senderId": self, "receiverId": friend}, friend, true, false, engine.Message},
		{"our own in a room", map[string]any{"senderId": self, "fromRoomId": roomID}, roomID, true, true, engine.Message},
		{"from nobody", map[string]any{"senderId": 0}, "uid-1", false, false, engine.Unknown},
		{"a notice in words", map[string]any{"isRoomNotice": 1, "fromRoomId": roomID}, roomID, false, true, engine.Unknown},
		{"a cmd of a later day", map[string]any{"cmd": 31000}, friend, false, false, engine.Unknown},
		{"a room's notice without a room", map[string]any{"cmd": 15500, "msgType": 1002}, friend, false, false, engine.Unknown},
		{"a contact's notice without a contact", map[string]any{"cmd": 15500, "msgType": 2131, "senderId": "0"}, "uid-1", false, false, engine.Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := one(t, push(t, tt.with))
			if e.Conversation != tt.conversation || e.Self != tt.self || e.Group != tt.group || e.Kind != tt.kind {
				t.Errorf("%s in %q, self %v, group %v", e.Kind, e.Conversation, e.Self, e.Group)
			}
		})
	}
}

func TestAppMessages(t *testing.T) {
	tests := map[string]string{"57": "quote", "5": "link", "33": "miniapp", "36": "miniapp", "6": "file", "": "file"}
	for subType, want := range tests {
		e := one(t, push(t, map[string]any{"msgType": 49, "msgData": map[string]any{"subType": subType, "title": "t"}}))
		if e.Kind != engine.Message || e.Type != want || e.Text != "t" {
			t.Errorf("subType %s: %s %q %q, want %q", subType, e.Kind, e.Type, e.Text, want)
		}
	}
}

func TestTimestamps(t *testing.T) {
	tests := map[string]time.Time{
		`1790000000`: time.Unix(1790000000, 0), `"1790000000"`: time.Unix(1790000000, 0), `1790000000123`: time.UnixMilli(1790000000123),
		`0`: {}, `-5`: {}, `1e9`: {}, `"yesterday"`: {}, `null`: {}, `99999999999999999999`: {},
	}
	for text, want := range tests {
		var s scalar
		if err := json.Unmarshal([]byte(text), &s); err != nil || !s.time().Equal(want) {
			t.Errorf("%s: got %v, %v, want %v", text, s.time(), err, want)
		}
	}
}

// A body is read in a time that grows with its length, whatever it holds.
func TestHostileBodies(t *testing.T) {
	const n = 100_000
	for name, body := range map[string]string{
		"deep list":     strings.Repeat("[", n),
		"deep object":   strings.Repeat(`{"data":`, n),
		"many strings":  `{"data":"` + strings.Repeat(`\"`, n) + `"}`,
		"many members":  push(t, map[string]any{"msgType": 1002, "fromRoomId": roomID, "msgData": map[string]any{"changedMemberList": strings.Repeat("1;", n)}}),
		"many mentions": push(t, map[string]any{"fromRoomId": roomID, "msgData": map[string]any{"content": strings.Repeat("@小助手们", n/4)}}),
		"many names":    "{" + strings.Repeat(`"msgdata":1,`, n) + `"guid":` + strconv.Quote(guid) + `,"cmd":15000}`,
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			receive(t, channeltest.Host(t), []channel.Account{ours()}, body, nil)
			if took := time.Since(began); took > 30*time.Second { // far beyond what a busy machine takes, far below what the square of n does
				t.Errorf("took %s", took)
			}
		})
	}
}
