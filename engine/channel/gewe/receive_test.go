package gewe

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

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func source(s string) string { return `,"MsgSource":` + quote(s) }

func TestMentions(t *testing.T) {
	atList := func(ids string) string {
		return source("<msgsource><atuserlist><![CDATA[" + ids + "]]></atuserlist><membercount>5</membercount></msgsource>")
	}
	none := source("<msgsource><membercount>5</membercount></msgsource>")
	inGroup := func(content, more string) string { return v1(group, self, "1", friend+":\n"+content, more) }
	inGroupV2 := func(content, push string) string {
		return v2("TEXT", friend, self, content, `,"fromGroup":"`+group+`","pushContent":`+quote(push))
	}
	tests := []struct {
		name, body string
		want       engine.Mention
	}{
		{"in the list", inGroup("@小助手 x", atList(self)), engine.MentionMe},
		{"in the list behind a comma", inGroup("x", atList(","+self)), engine.MentionMe},
		{"in the list among others", inGroup("x", atList("wxid_a, "+self+",wxid_b")), engine.MentionMe},
		{"in the list with everybody", inGroup("x", atList("notify@all,"+self)), engine.MentionMe},
		{"everybody", inGroup("x", atList("notify@all")), engine.MentionAll},
		{"somebody whose id begins with ours", inGroup("@小助手 x", atList(self+"9")), engine.MentionNone},
		{"an empty list and a name that was typed", inGroup("@小助手 x", atList("")), engine.MentionNone},
		{"no list and a name that was typed", inGroup("@小助手 x", none), engine.MentionNone},
		{"no list, the notification", inGroup("@小助手 x", none+`,"PushContent":"小测在群聊中@了你"`), engine.MentionMe},
		{"the list outweighs the notification", inGroup("x", atList("wxid_a")+`,"PushContent":"小测在群聊中@了你"`), engine.MentionNone},
		{"MsgSource wrapped", inGroup("x", `,"MsgSource":{"string":"<msgsource><atuserlist>`+self+`</atuserlist></msgsource>"}`), engine.MentionMe},
		{"MsgSource broken behind the list", inGroup("x", source("<msgsource><atuserlist>"+self+"</atuserlist><x>&&<")), engine.MentionMe},
		{"neither list nor notification, a name", inGroup("问 @小助手\u2005在吗", ""), engine.MentionMe},
		{"neither, a longer name", inGroup("@小助手二号 在吗", ""), engine.MentionNone},
		{"neither, a longer name and the name", inGroup("@小助手二号 @小助手", ""), engine.MentionMe},
		{"in private there is none", v1(friend, self, "1", "@小助手 x", atList(self)), engine.MentionNone},
		{"of what we say there is none", v1(self, group, "1", "@小助手 x", atList("notify@all")), engine.MentionNone},
		{"v2.0, me", inGroupV2("@小助手 x", "小测在群聊中@了你"), engine.MentionMe},
		{"v2.0, everybody", inGroupV2("@所有人 x", "小测在群聊中@了所有人"), engine.MentionAll},
		{"v2.0, the phrase in the text", inGroupV2("在群聊中@了你", "小测 : 在群聊中@了你"), engine.MentionNone},
		{"v2.0, a notification of no mention", inGroupV2("@小助手 x", "小测 : @小助手 x"), engine.MentionNone},
		{"v2.0, no notification, a name", inGroupV2("@小助手 x", ""), engine.MentionMe},
	}
	r := mustReceiver(t, channeltest.Host(t), shop())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := receive(t, r, []byte(tt.body))
			if e.Mention != tt.want {
				t.Errorf("mention %q, want %q", e.Mention, tt.want)
			}
		})
	}
}

func TestSpeakers(t *testing.T) {
	tests := []struct{ name, body, conversation, sender, text string }{
		{"a custom id", v1(group, self, "1", "my-id_7:\nx", ""), group, "my-id_7", "x"},
		{"a WeCom contact", v1(group, self, "1", "2598@openim:\nx", ""), group, "2598@openim", "x"},
		{"a line that looks like one in the text", v1(group, self, "1", friend+":\nnote:\nx", ""), group, friend, "note:\nx"},
		{"no id before the text", v1(group, self, "1", "报价:\nx", ""), group, "", "报价:\nx"},
		{"an id too long", v1(group, self, "1", strings.Repeat("a", 65)+":\nx", ""), group, "", strings.Repeat("a", 65) + ":\nx"},
		{"such a line in private", v1(friend, self, "1", "note:\nx", ""), friend, friend, "note:\nx"},
		{"our own in a group", v1(self, group, "1", "note:\nx", ""), group, self, "note:\nx"},
		{"our own, from the room", v1(group, self, "1", self+":\nx", ""), group, self, "x"},
		{"v2.0, such a line", v2("TEXT", friend, self, "note:\nx", `,"fromGroup":"`+group+`"`), group, friend, "note:\nx"},
		{"v2.0, such a line in private", v2("TEXT", friend, self, "note:\nx", ""), friend, friend, "note:\nx"},
		{"v2.0, the speaker twice", v2("TEXT", friend, self, friend+":\nx", `,"fromGroup":"`+group+`"`), group, friend, "x"},
		{"v2.0, from the room", v2("TEXT", group, self, friend+":\nx", ""), group, friend, "x"},
	}
	r := mustReceiver(t, channeltest.Host(t), shop())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := receive(t, r, []byte(tt.body))
			if e.Conversation != tt.conversation || e.Sender != tt.sender || e.Text != tt.text || e.Self != (tt.sender == self) {
				t.Errorf("in %q %q said %q (self %v)", e.Conversation, e.Sender, e.Text, e.Self)
			}
		})
	}
}

// A fromGroup that is no group must neither have the bot speak into it nor, where
// it may mean one, answer the speaker in private.
func TestFromGroupsThatAreNone(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for fromGroup, group := range map[string]bool{`""`: false, `"0"`: false, `0`: false, `false`: false, `null`: false, `"57@im.chatroom"`: true, `"x"`: true} {
		e := receive(t, r, []byte(v2("TEXT", friend, self, "x", `,"fromGroup":`+fromGroup)))
		if e.Group != group || group != (e.Mute != "") || !group && e.Conversation != friend {
			t.Errorf("%s: in %q, group %v, mute %q", fromGroup, e.Conversation, e.Group, e.Mute)
		}
	}
}

// What comes from the platform's own accounts is acknowledged and nothing more.
func TestServicesAreNotHeard(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for name, body := range map[string]string{
		"an official account":         v1("gh_x", self, "1", "x", ""),
		"what we say to one":          v1(self, "gh_x", "1", "x", ""),
		"an official account by kind": v1("someone", self, "49", "<msg/>", source("<msgsource><bizmsg><x/></bizmsg></msgsource>")),
		"a tip":                       v1("someone", self, "1", "x", source("<msgsource><tips>3</tips></msgsource>")),
		"the platform":                v1("weixin", self, "1", "x", ""),
		"a client's state":            v1(friend, self, "51", "<msg/>", ""),
		"a configuration called PAT":  v2("PAT_MSG", group, self, `<sysmsg type="dynacfg"><dynacfg/></sysmsg>`, ""),
		"our own contact":             `{"TypeName":"ModContacts","Wxid":"` + self + `","Data":{"UserName":{"string":"` + self + `"}}}`,
	} {
		if e := receive(t, r, []byte(body)); e != nil {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := receive(t, r, []byte(v1(friend, self, "1", "x", source("<msgsource><tips>4</tips></msgsource>")))); e == nil {
		t.Error("another tip: nothing came of it")
	}
}

func TestAccountsOnOnePath(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t),
		channel.Account{Name: "a", Self: "wxid_a", AppID: "wx_a"},
		channel.Account{Name: "c", Self: "wxid_c", Secret: "c-secret"})
	for _, tt := range []struct{ name, wxid, appid, secret, account, foreign, refused string }{
		{name: "by wxid", wxid: "wxid_a", appid: "wx_a", account: "a"},
		{name: "by wxid after a new login", wxid: "wxid_a", appid: "wx_new", account: "a"},
		{name: "by appid", appid: "wx_a", account: "a"},
		{name: "another wxid on a known device", wxid: "wxid_x", appid: "wx_a", foreign: "wxid_x"},
		{name: "unknown", appid: "wx_x", foreign: "wx_x"},
		{name: "with its secret", wxid: "wxid_c", secret: "c-secret", account: "c"},
		{name: "without its secret", wxid: "wxid_c", refused: "signature"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := `{"TypeName":"Offline","Appid":` + quote(tt.appid) + `,"Wxid":` + quote(tt.wxid) + `}`
			q := &channel.Request{Header: http.Header{"Authorization": {tt.secret}}, Body: []byte(body), Now: noon}
			receipt, err := r.Receive(q)
			if refusal, ok := errors.AsType[*channel.Refusal](err); ok {
				if refusal.Reason != tt.refused || refusal.Answer.Status != 404 {
					t.Errorf("refused for %q with %d", refusal.Reason, refusal.Answer.Status)
				}
				return
			}
			account := ""
			if len(receipt.Events) == 1 {
				account = receipt.Events[0].Account
			}
			if tt.refused != "" || account != tt.account || receipt.Foreign != tt.foreign {
				t.Errorf("account %q, foreign %q", account, receipt.Foreign)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	base := "https://api.example.com/gewe/v2/api"
	receivers := map[string][]channel.Account{
		"self":   {{Name: "a", Self: "w", AppID: "1"}, {Name: "b", Self: "w", AppID: "2"}},
		"app_id": {{Name: "a", Self: "w", AppID: "1"}, {Name: "b", Self: "x", AppID: "1"}},
	}
	wrong := func(name, key string, err error) {
		t.Helper()
		setting, ok := errors.AsType[*channel.SettingError](err)
		if !ok || setting.Key != key || setting.Account == "" || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for key, accounts := range receivers {
		_, err := newReceiver(accounts, channeltest.Host(t))
		wrong("two with one "+key, key, err)
	}
	_, err := newReceiver([]channel.Account{{Name: "a", AppID: "1"}}, channeltest.Host(t))
	wrong("nothing to know its own messages by", "self", err)
	if _, err := newReceiver([]channel.Account{{Name: "a", Self: "w"}, {Name: "b", Self: "x"}}, channeltest.Host(t)); err != nil {
		t.Errorf("two without an app_id: %v", err)
	}
	for _, u := range []string{"", "api.example.com", "ftp://x", "https://user:hidden@example.com", "http://a b/?hidden"} {
		_, err := newSender(channel.Account{Name: "a", BaseURL: u, AppID: "x"}, channeltest.Host(t))
		wrong(u, "base_url", err)
	}
	_, err = newSender(channel.Account{Name: "a", BaseURL: base}, channeltest.Host(t))
	wrong("no app_id", "app_id", err)
}

func TestAck(t *testing.T) {
	a := shop()
	a.Ack = "json"
	receipt, err := mustReceiver(t, channeltest.Host(t), a).Receive(&channel.Request{Body: []byte(v1(friend, self, "1", "x", "")), Now: noon})
	if err != nil || string(receipt.Answer.Body) != `{"status":"success"}` {
		t.Errorf("answered %s, %v", receipt.Answer.Body, err)
	}
}

// The picture in a large body is not kept.
func TestRaw(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	picture := strings.Repeat("A", 64<<10)
	body := v1(friend, self, "3", "<msg><img/></msg>", `,"ImgBuf":{"iLen":9,"buffer":"`+picture+`"}`)
	if e := receive(t, r, []byte(body)); len(e.Raw) > 1000 || !strings.Contains(string(e.Raw), `"NewMsgId":7100000000000000101`) {
		t.Errorf("kept %d bytes", len(e.Raw))
	}
}

func TestConnection(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for word, want := range map[string]engine.Kind{
		"LOGIN_SUCCESS": engine.Online, "LONG_CONNECTED": engine.Online,
		"LOGIN_ERROR": engine.Offline, "LONG_FAIL": engine.Offline, "Long_Serve_Close": engine.Offline,
		"RECONNECT_START": engine.Unknown, "Long_Serve_Start_Success": engine.Unknown,
	} {
		e := receive(t, r, []byte(`{"appid":"`+appID+`","wxid":"`+self+`","msgType":"`+word+`","createTime":1790000900000}`))
		if e.Kind != want || want != engine.Unknown && e.Conversation != self || e.Conversation == "" {
			t.Errorf("%s: %s in %q", word, e.Kind, e.Conversation)
		}
	}
}
