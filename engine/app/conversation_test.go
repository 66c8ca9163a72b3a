package app_test

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/channel/generic/genericstub"
	"bot/engine/channel/gewe/gewestub"
	"bot/engine/channel/qiwe/qiwestub"
	"bot/engine/channel/wecom/wecomstub"
	"bot/engine/channel/wkteam/wkteamstub"
	"bot/engine/stub"
)

// unhurried takes a person's pace away, which a test has no time for.
const unhurried = `
[account.limit]
rate = "1000/s"
burst = 100
per_conversation = "1000/s"
gap = "0s..0s"
reply_delay = "0s..0s"
`

// talks are one account on each channel, with the platform it speaks to.
var talks = []struct {
	name     string
	account  string
	platform stub.Options
	friend   []engine.Kind // how somebody becomes a contact, in order
	user     string
	group    string // through which the user speaks
	to       string // where the answers go; "" = the user
}{
	{
		name: "generic", account: `channel = "generic"
app_id = "wx_demo"
base_url = "http://PLATFORM"`,
		platform: stub.Options{Protocol: genericstub.New, Account: channel.Account{AppID: "wx_demo"}},
		friend:   []engine.Kind{engine.FriendRequest, engine.FriendAdded}, user: "u1",
	},
	{
		name: "gewe", account: `channel = "gewe"
app_id = "wx_device"
self = "wxid_bot"
token = "T0KEN"
base_url = "http://PLATFORM/gewe/v2/api"`,
		platform: stub.Options{Protocol: gewestub.New, Account: channel.Account{AppID: "wx_device", Self: "wxid_bot", Token: "T0KEN"}},
		friend:   []engine.Kind{engine.FriendRequest, engine.FriendAdded}, user: "wxid_u1",
	},
	{
		name: "wkteam", account: `channel = "wkteam"
w_id = "w1"
self = "wxid_bot"
token = "T0KEN"
base_url = "http://PLATFORM"`,
		platform: stub.Options{Protocol: wkteamstub.New, Account: channel.Account{WID: "w1", Self: "wxid_bot", Token: "T0KEN"}},
		friend:   []engine.Kind{engine.FriendRequest, engine.FriendAdded}, user: "wxid_u1",
	},
	{
		name: "qiwe", account: `channel = "qiwe"
guid = "guid-1"
self = "1688850000000000"
token = "T0KEN"
base_url = "http://PLATFORM/qiwe/api/qw"`,
		platform: stub.Options{Protocol: qiwestub.New, Account: channel.Account{GUID: "guid-1", Self: "1688850000000000", Token: "T0KEN"}},
		friend:   []engine.Kind{engine.FriendRequest, engine.FriendAdded}, user: "7881300000000001",
	},
	{
		name: "wecom app", account: corp("app", `agent_id = 1000002
corp_id = "ww0a1b2c3d4e5f6071"
secret = "S3CRET"`),
		platform: stub.Options{Protocol: wecomstub.New, Account: channel.Account{
			Form: "app", CorpID: "ww0a1b2c3d4e5f6071", AgentID: 1000002, Secret: "S3CRET", CallbackToken: corpToken, EncodingAESKey: corpKey,
		}},
		friend: []engine.Kind{engine.FriendAdded}, user: "lina",
	},
	{
		name: "wecom customer service", account: corp("app", `agent_id = 1000002
corp_id = "ww0a1b2c3d4e5f6071"
secret = "S3CRET"`),
		platform: stub.Options{Protocol: wecomstub.New, Account: channel.Account{
			Form: "app", CorpID: "ww0a1b2c3d4e5f6071", AgentID: 1000002, Secret: "S3CRET", CallbackToken: corpToken, EncodingAESKey: corpKey,
		}},
		user: "wmCustomer1", group: "wkService1", to: "wkService1/wmCustomer1",
	},
}

const (
	corpToken = "WcSyntheticToken2026"
	corpKey   = "wecomSyntheticVectorKeyNumberOne0123456789k"
)

var robot = channel.Account{Form: "robot", Key: "693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa"}

func corp(form, keys string) string {
	return "channel = \"wecom\"\nform = \"" + form + "\"\nbase_url = \"http://PLATFORM\"\ncallback_token = \"" + corpToken +
		"\"\nencoding_aes_key = \"" + corpKey + "\"\n" + keys
}

const accept = `
[[skill]]
name = "accept"
on = "friend_request"
do = "accept_friend"
`

const flows = `
[[skill]]
name = "welcome"
on = "friend_added"
reply = "WELCOME"
[[skill]]
name = "coupon"
keywords = ["领券"]
reply = "COUPON"
[[skill]]
name = "bind"
keywords = ["绑定"]
done = "BOUND {{.Data.phone}}"
[[skill.step]]
save = "phone"
ask = "PHONE?"
pattern = '^1\d{10}$'
invalid = "BAD PHONE"
`

// lines are a keyword and a form.
var lines = []struct{ say, hear string }{
	{"领券", "COUPON"}, {"绑定", "PHONE?"}, {"12", "BAD PHONE"}, {"13800000000", "BOUND 13800000000"},
}

func TestAConversationOnEveryChannel(t *testing.T) {
	for _, tt := range talks {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "[[account]]\nname = \"shop\"\npath = \"/in\"\n" + tt.account + unhurried + flows
			if slices.Contains(tt.friend, engine.FriendRequest) {
				text += accept
			}
			r := start(t, tt.platform, text)
			var want []string
			for _, kind := range tt.friend {
				r.happens(stub.Said{Kind: kind, User: tt.user, Group: tt.group, Name: "小王"})
				r.idle()
			}
			if slices.Contains(tt.friend, engine.FriendRequest) {
				if calls := r.platform.Calls(func(c stub.Call) bool { return c.Action == engine.AcceptFriend && c.Status == 200 }); len(calls) != 1 {
					t.Errorf("accepted %d times", len(calls))
				}
			}
			if slices.Contains(tt.friend, engine.FriendAdded) {
				want = append(want, "WELCOME")
			}
			for _, line := range lines {
				r.happens(stub.Said{User: tt.user, Group: tt.group, Name: "小王", Text: line.say})
				want = append(want, line.hear)
				r.texts(cmp.Or(tt.to, tt.user), len(want)) // answers come one by one
			}
			r.idle()
			if got := r.texts(cmp.Or(tt.to, tt.user), len(want)); !slices.Equal(got, want) {
				t.Errorf("said %q, want %q", got, want)
			}
			if s := r.status(); s.Dead != 0 || s.InDoubt != 0 {
				t.Errorf("%d dead, %d in doubt", s.Dead, s.InDoubt)
			}
		})
	}
}

// An AI bot is not sent to: it is asked, until its answer is complete.
func TestAConversationWithAnAIBot(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{Protocol: wecomstub.New, Account: channel.Account{Form: "aibot", CallbackToken: corpToken, EncodingAESKey: corpKey}},
		"[[account]]\nname = \"shop\"\npath = \"/in\"\n"+corp("aibot", "")+unhurried+flows)
	for _, line := range append(lines[:len(lines):len(lines)], struct{ say, hear string }{"什么都不是", ""}) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		stream, err := wecomstub.Ask(ctx, r.platform, "http://"+r.life.at.Callback+"/in", stub.Said{User: "lina", Text: line.say}, 50*time.Millisecond)
		cancel()
		if err != nil || !stream.Finished || stream.Text() != line.hear {
			t.Errorf("%s: %+v (%v), want %q", line.say, stream, err, line.hear)
		}
	}
	if s := r.status(); s.Dead != 0 || s.InDoubt != 0 || s.Commands != 0 {
		t.Errorf("%+v", s)
	}
}

// happens makes the platform tell the engine of something.
func (r *rig) happens(s stub.Said) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	told, err := r.platform.Tell(ctx, "http://"+r.life.at.Callback+"/in", s)
	if err != nil || !told.Taken || told.Calls != 1 {
		r.t.Errorf("%+v: answered %d %q (%d calls), %v", s, told.Status, told.Body, told.Calls, err)
	}
}

// The accounts that the example shows as comments are read as they stand.
func TestTheExamplesOtherAccounts(t *testing.T) {
	text, err := os.ReadFile("../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, c := range app.Channels() {
		known[c.Name] = true
	}
	for block := range strings.SplitSeq(string(text), "#     channel = ") {
		name := strings.Trim(strings.SplitN(block, "\n", 2)[0], `"`)
		delete(known, name)
	}
	for _, c := range []string{"generic", "sandbox"} { // which it has as they are
		if !strings.Contains(string(text), "\nchannel = \""+c+"\"\n") {
			t.Errorf("no account of %q in the example", c)
		}
		delete(known, c)
	}
	if len(known) > 0 {
		t.Errorf("no account of %v in the example", known)
	}
}

// A welcome may be longer than a message, and its permission is for one use.
func TestALongWelcomeIsOneMessage(t *testing.T) {
	t.Parallel()
	welcome := strings.Repeat("欢", 1000) + "末尾"
	manners, text := talkOf(t, "wecom app", "[[skill]]\nname = \"w\"\non = \"friend_added\"\nreply = \""+welcome+"\"\n")
	r := start(t, manners, text)
	const customer = "wmSTUB00000000000000000000000001"
	r.happens(stub.Said{Kind: engine.FriendAdded, User: customer})
	if got := r.texts(customer, 1); !slices.Equal(got, []string{welcome}) {
		t.Errorf("%d texts", len(got))
	}
	r.idle()
	if s := r.status(); s.Dead != 0 {
		t.Errorf("%d dead letters", s.Dead)
	}
}

// Nothing is said where the platform takes nothing, and nothing dies of it.
func TestWhatCannotBeAnsweredLeavesNoDeadLetter(t *testing.T) {
	t.Parallel()
	manners, text := talkOf(t, "wecom app", echo)
	r := start(t, manners, text+`
[[account]]
name = "other"
channel = "generic"
base_url = "http://PLATFORM"
[[skill]]
name = "left"
on = "friend_lost"
reply = "BYE"
`)
	r.happens(stub.Said{Kind: engine.FriendLost, User: "wmSTUB00000000000000000000000001"})
	r.idle()
	if s := r.status(); s.Dead != 0 || len(r.platform.Calls(stub.Text(""))) != 0 {
		t.Errorf("%d dead letters, %d texts", s.Dead, len(r.platform.Calls(stub.Text(""))))
	}
}
