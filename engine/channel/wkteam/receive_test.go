package wkteam

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

func remembering(t testing.TB, account, wID string) channel.Host {
	t.Helper()
	h := channeltest.Host(t)
	if err := h.Memory.Remember(t.Context(), account, engine.Note{Key: noteWID, Value: wID}); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAcknowledgements(t *testing.T) {
	tests := []struct{ ack, want, kind string }{
		{"", autoAck, "application/json"},
		{"auto", autoAck, "application/json"},
		{"success", "success", "text/plain; charset=utf-8"},
		{"json", `{"status":"success"}`, "application/json"},
		{"empty", "", ""},
		{"收到", "收到", "text/plain; charset=utf-8"},
		{`{"ok":1}`, `{"ok":1}`, "application/json"},
	}
	for _, tt := range tests {
		a := shop
		a.Ack = tt.ack
		got, _ := receive(t, channeltest.Host(t), []channel.Account{a}, []byte(said("60001", `,"fromUser":"u"`)), nil)
		if got.Answer.Status != 200 || string(got.Answer.Body) != tt.want || got.Answer.ContentType != tt.kind {
			t.Errorf("%s: %+v", tt.ack, got.Answer)
		}
	}
}

// Who knows the address need not know whose it is.
func TestCallbacksNameTheDeveloperAccount(t *testing.T) {
	a := shop
	a.Developer = "dev-account-test"
	for name, tt := range map[string]struct {
		body   string
		status int
	}{
		"the account's":            {`{"account":"dev-account-test","messageType":"60001","wcId":"` + shop.Self + `","data":{"fromUser":"u"}}`, 200},
		"another's":                {`{"account":"dev-account","messageType":"60001","wcId":"` + shop.Self + `","data":{"fromUser":"u"}}`, 404},
		"nobody's":                 {`{"messageType":"60001","wcId":"` + shop.Self + `","data":{"fromUser":"u"}}`, 404},
		"a test of the address":    {`{"account":"dev-account","messageType":"00000"}`, 200},
		"another's WeChat account": {`{"account":"dev-account","messageType":"60001","wcId":"wxid_other","data":{"fromUser":"u"}}`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			got, refusal := receive(t, channeltest.Host(t), []channel.Account{a}, []byte(tt.body), nil)
			status := got.Answer.Status
			if refusal != nil {
				status = refusal.Answer.Status
				if refusal.Reason != "account" || strings.Contains(refusal.Error()+string(refusal.Answer.Body), "dev-account") {
					t.Errorf("refused as %v, %s", refusal, refusal.Answer.Body)
				}
			}
			if status != tt.status {
				t.Errorf("answered %d, want %d", status, tt.status)
			}
		})
	}
}

func TestAccountsThatShareAPath(t *testing.T) {
	a := channel.Account{Name: "a", Self: "wxid_a", WID: "w-a", Ack: "empty"}
	b := channel.Account{Name: "b", Self: "wxid_b", WID: "w-old"}
	host := remembering(t, "b", "w-b")
	tests := []struct {
		name, body string
		account    string // "" = foreign
		foreign    string
		ack        string
	}{
		{"the wcId chooses", `{"messageType":"60001","wcId":"wxid_b","data":{"fromUser":"u"}}`, "b", "", autoAck},
		{"and its answer", `{"messageType":"60001","wcId":"wxid_a","data":{"fromUser":"u"}}`, "a", "", ""},
		{"whatever the instance", `{"messageType":"60001","wcId":"wxid_a","data":{"fromUser":"u","wId":"w-b"}}`, "a", "", ""},
		{"an unknown wcId is somebody else's", `{"messageType":"60001","wcId":"wxid_c","data":{"wId":"w-a"}}`, "", "wxid_c", ""},
		{"without it, the remembered instance", `{"messageType":"30000","data":{"wId":"w-b"}}`, "b", "", autoAck},
		{"or the configured one", `{"messageType":"30000","data":{"wId":"w-a"}}`, "a", "", ""},
		{"an instance that nobody had", `{"messageType":"30000","data":{"wId":"w-c"}}`, "", "w-c", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := receive(t, host, []channel.Account{a, b}, []byte(tt.body), nil)
			if refusal != nil || got.Foreign != tt.foreign || string(got.Answer.Body) != tt.ack {
				t.Fatalf("got %+v, %v", got, refusal)
			}
			if tt.account == "" != (len(got.Events) == 0) || tt.account != "" && got.Events[0].Account != tt.account {
				t.Errorf("got %+v, want account %q", got.Events, tt.account)
			}
		})
	}
}

// A header that lets in one account does not speak for another.
func TestASecretOpensItsOwnAccountOnly(t *testing.T) {
	accounts := []channel.Account{{Name: "a", Self: "wxid_a", Secret: "of a"}, {Name: "b", Self: "wxid_b", Secret: "of b"}}
	for _, tt := range []struct {
		secret, wcID string
		refused      bool
	}{{"of a", "wxid_a", false}, {"of b", "wxid_b", false}, {"of a", "wxid_b", true}, {"", "wxid_a", true}} {
		body := `{"messageType":"60001","wcId":"` + tt.wcID + `","data":{"fromUser":"u"}}`
		_, refusal := receive(t, channeltest.Host(t), accounts, []byte(body), http.Header{"Authorization": {tt.secret}})
		if (refusal != nil) != tt.refused || refusal != nil && (refusal.Reason != "signature" || refusal.Answer.Status != 401) {
			t.Errorf("%q to %s: %v", tt.secret, tt.wcID, refusal)
		}
	}
}

func TestSettings(t *testing.T) {
	good := channel.Account{Name: "a", Self: "wxid_a", BaseURL: "https://api.example.com/wx-api"}
	with := func(change func(a *channel.Account)) channel.Account {
		a := good
		change(&a)
		return a
	}
	tests := []struct {
		name     string
		accounts []channel.Account // to a receiver; one alone also to a sender
		receiver string            // the key that is wrong, "" for none
		sender   string
	}{
		{"good", []channel.Account{good}, "", ""},
		{"no self", []channel.Account{with(func(a *channel.Account) { a.Self = "" })}, "self", "self"},
		{"no base_url", []channel.Account{with(func(a *channel.Account) { a.BaseURL = "" })}, "", "base_url"},
		{"no address", []channel.Account{with(func(a *channel.Account) { a.BaseURL = "http://a b" })}, "", "base_url"},
		{"credentials in the address", []channel.Account{with(func(a *channel.Account) { a.BaseURL = "https://u:p@e.com" })}, "", "base_url"},
		{"one self for two", []channel.Account{good, with(func(a *channel.Account) { a.Name = "b" })}, "self", ""},
		{"a secret beside none", []channel.Account{good, with(func(a *channel.Account) { a.Name, a.Self, a.Secret = "b", "wxid_b", "s" })}, "secret", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Adapter.Receiver(tt.accounts, channeltest.Host(t))
			wantSetting(t, err, tt.receiver)
			if len(tt.accounts) == 1 {
				_, err = Adapter.Sender(tt.accounts[0], channeltest.Host(t))
				wantSetting(t, err, tt.sender)
			}
		})
	}
}

func wantSetting(t *testing.T, err error, key string) {
	t.Helper()
	wrong, ok := errors.AsType[*channel.SettingError](err)
	switch {
	case key == "" && err != nil:
		t.Errorf("got %v, want it taken", err)
	case key != "" && (!ok || wrong.Key != key):
		t.Errorf("got %v, want a SettingError of %s", err, key)
	case err != nil && strings.Contains(err.Error(), "u:p@"):
		t.Errorf("%v shows credentials", err)
	}
}

// Two logins that end for one reason are two ends; one end told twice is one.
func TestOfflineIsOfAnInstance(t *testing.T) {
	gone := func(wID string) engine.Key {
		return one(t, `{"messageType":"30000","wcId":"`+bot+`","data":{"wId":"`+wID+`","reason":"r"}}`).Key()
	}
	once, again, later := gone("w1"), gone("w1"), gone("w2")
	if once != again || once == later {
		t.Error("instances are confused")
	}
}

// An instance that a login replaced has nothing to say about the account.
func TestOfflineOfAReplacedInstanceIsNone(t *testing.T) {
	for wID, want := range map[string]engine.Kind{second: engine.Unknown, first: engine.Offline} {
		got, _ := receive(t, remembering(t, "shop", wID), []channel.Account{shop}, sample(t, "offline.json"), nil)
		if len(got.Events) != 1 || got.Events[0].Kind != want {
			t.Errorf("with %s remembered: %+v, want %s", wID, got.Events[0], want)
		}
	}
}

func TestInstancesAreLearned(t *testing.T) {
	tests := []struct {
		name, known, body string
		learns            bool
	}{
		{"the first", "", said("60001", `,"fromUser":"u"`), true},
		{"another", "w-old", said("60001", `,"fromUser":"u"`), true},
		{"the same again", first, said("60001", `,"fromUser":"u"`), false},
		{"from a notice without a time", "", `{"messageType":"65004","wcId":"` + bot + `","data":{"wId":"w","userName":"u"}}`, true},
		{"history of last week", "", string(sample(t, "text_private_stale_replay.json")), false},
		{"an end", "", string(sample(t, "offline.json")), false},
		{"none is told", "", `{"messageType":"65004","wcId":"` + bot + `","data":{"userName":"u"}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := receive(t, remembering(t, "shop", tt.known), []channel.Account{shop}, []byte(tt.body), nil)
			if learned := got.Events[0].Learned; (len(learned) == 1) != tt.learns {
				t.Errorf("learned %+v", learned)
			}
		})
	}
}

// A body that names one account and another's instance would have the first
// speak as the other from then on.
func TestAnInstanceOfAnotherAccountIsNotLearned(t *testing.T) {
	a := channel.Account{Name: "a", Self: "wxid_a", WID: "w-a"}
	b := channel.Account{Name: "b", Self: "wxid_b", WID: "w-old"}
	host := remembering(t, "b", "w-b")
	for wID, learns := range map[string]bool{"w-b": false, "w-old": false, "w-new": true} {
		body := `{"messageType":"60001","wcId":"wxid_a","data":{"fromUser":"u","wId":"` + wID + `"}}`
		got, _ := receive(t, host, []channel.Account{a, b}, []byte(body), nil)
		if learned := got.Events[0].Learned; (len(learned) == 1) != learns {
			t.Errorf("%s: learned %+v", wID, learned)
		}
	}
}

func TestALargeBodyIsKeptWithoutItsThumbnail(t *testing.T) {
	img := `,"img":"` + strings.Repeat("A", 64<<10) + `"`
	e := one(t, said("60002", `,"fromUser":"u","content":"<msg/>"`+img))
	var raw struct {
		Data map[string]json.RawMessage
	}
	if err := json.Unmarshal(e.Raw, &raw); err != nil {
		t.Fatal(err)
	}
	if raw.Data["img"] != nil || string(raw.Data["newMsgId"]) != "8200000000000000001" || len(e.Raw) > 1000 {
		t.Errorf("kept %d bytes: %.200s", len(e.Raw), e.Raw)
	}
	long := said("60001", `,"fromUser":"u","content":"`+strings.Repeat("长", 64<<10)+`"`)
	if e := one(t, long); string(e.Raw) != long {
		t.Error("a long text was cut")
	}
}

// A prefix that the operator wrote into the token does not shield the rest of it.
func TestATokenWithAPrefixIsASecretInBothForms(t *testing.T) {
	s, err := newSender(channel.Account{Name: "a", Self: bot, BaseURL: "https://e.com", Token: "Bearer t0ken"}, channeltest.Host(t))
	if err != nil {
		t.Fatal(err)
	}
	if e := s.fail(channel.Permanent, 0, "refused: t0ken, Bearer t0ken"); strings.Contains(e.Note, "t0ken") {
		t.Errorf("note %q", e.Note)
	}
}

// What a contact notice is depends on what is known; what it certainly is not
// depends on what it says.
func TestContactNotices(t *testing.T) {
	tests := []struct {
		name, data    string
		kind, ifKnown engine.Kind
	}{
		{"new or changed", `"userName":"u","remark":"","labelIdList":""`, engine.FriendAdded, engine.ContactChanged},
		{"somebody gave a remark", `"userName":"u","remark":"老客户"`, engine.ContactChanged, ""},
		{"somebody gave a label", `"userName":"u","labelIdList":"1"`, engine.ContactChanged, ""},
		{"an official account", `"userName":"gh_1"`, engine.ContactChanged, ""},
		{"a room", `"userName":"1@chatroom"`, engine.GroupCreated, engine.GroupChanged},
		{"with ourselves as its sender", `"userName":"u","fromUser":"` + bot + `"`, engine.FriendAdded, engine.ContactChanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := one(t, `{"messageType":"65001","wcId":"`+bot+`","data":{`+tt.data+`}}`)
			if e.Kind != tt.kind || e.IfKnown != tt.ifKnown || e.Self || strings.HasPrefix(e.Conversation, "sha256:") {
				t.Errorf("got %+v, want %s, if known %s", e, tt.kind, tt.ifKnown)
			}
		})
	}
}

// Broken XML costs its details, not the message.
func TestBrokenXML(t *testing.T) {
	for _, xml := range []string{
		`<msg><appmsg><title>T`, `<msg>`, `<`, `<msg><appmsg></msg>`, `<msg>&nbsp;</msg>`,
		`<?xml version=\"1.0\" encoding=\"gbk\"?><msg/>`, `<msg a=\"\u0001\"/>`, `<!DOCTYPE x [<!ENTITY a \"aaaa\">]><msg>&a;</msg>`,
		strings.Repeat("<a>", 20_000), "<" + strings.Repeat("x", 1<<20),
	} {
		e := one(t, said("60007", `,"fromUser":"u","content":"`+xml+`"`))
		if e.Kind != engine.Message || e.Type != "link" || e.Conversation != "u" {
			t.Errorf("%.40s: %+v", xml, e)
		}
	}
}

// Whoever is added, deleted and added again is a new friend twice, and so is a
// room that was left: what ends the fact carries it too.
func TestWhatEndsAFactCarriesIt(t *testing.T) {
	const friend, room = `,"userName":"u"`, `,"fromGroup":"1@chatroom"`
	for _, tt := range []struct{ name, begin, part, fact string }{
		{"a friend deleted", said("65001", friend), said("65004", friend), "friend/u"},
		{"a friend who deleted us", said("60999", `,"fromUser":"u","content":"以上是打招呼的内容"`), said("65002", `,"fromUser":"u"`), "friend/u"},
		{"a room left", said("85001", room), said("85015", room), "group/1@chatroom"},
		{"out of a room", said("85008", room+`,"content":"\"小测\"邀请你加入了群聊"`), said("85002", room), "group/1@chatroom"},
		{"a room dissolved", said("85009", room+`,"content":"你通过扫描二维码加入群聊"`), said("85004", room), "group/1@chatroom"},
	} {
		began, parted := one(t, tt.begin), one(t, tt.part)
		if !began.Kind.Begins() || !parted.Kind.Parts() || began.Fact != tt.fact || parted.Fact != tt.fact {
			t.Errorf("%s: %s of %q, then %s of %q", tt.name, began.Kind, began.Fact, parted.Kind, parted.Fact)
		}
	}
}
