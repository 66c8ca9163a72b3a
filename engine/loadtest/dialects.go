package loadtest

import (
	"fmt"
	"strings"

	"bot/engine/channel"
	"bot/engine/channel/generic/genericstub"
	"bot/engine/channel/gewe/gewestub"
	"bot/engine/channel/qiwe/qiwestub"
	"bot/engine/channel/wecom/wecomstub"
	"bot/engine/channel/wkteam/wkteamstub"
	"bot/engine/stub"
)

// dialect is one form of one channel as it is measured: an account, and who
// writes to it.
type dialect struct {
	name    string
	channel string
	speaks  stub.Maker
	account channel.Account // as both sides know it
	base    string          // of the interface's paths
	user    string          // the format of a caller's id; it takes the caller's number
	service string          // what callers write through; "" = to the account itself
}

// dialects are all whose callers are answered by requests.
var dialects = []dialect{
	{name: "generic", channel: "generic", speaks: genericstub.New, user: "wxid_load_%08d", account: channel.Account{
		AppID: "wx_demo", Token: "T0KEN", Secret: "S3CRET",
	}},
	{name: "wecom app", channel: "wecom", speaks: wecomstub.New, user: "member%08d", account: corp},
	{name: "wecom customer service", channel: "wecom", speaks: wecomstub.New, user: "wmCustomer%08d", service: "wkService1", account: corp},
	{name: "gewe v1.0", channel: "gewe", speaks: gewestub.New, user: "wxid_load_%08d", base: "/gewe/v2/api", account: channel.Account{
		AppID: "wx_device", Self: "wxid_bot", Token: "T0KEN",
	}},
	{name: "gewe v2.0", channel: "gewe", speaks: gewestub.New, user: "wxid_load_%08d", base: "/gewe/v2/api", account: channel.Account{
		AppID: "wx_device", Self: "wxid_bot", Token: "T0KEN", Secret: "S3CRET",
	}},
	{name: "wkteam", channel: "wkteam", speaks: wkteamstub.New, user: "wxid_load_%08d", account: channel.Account{
		WID: "w1", Self: "wxid_bot", Token: "T0KEN", Secret: "S3CRET",
	}},
	{name: "qiwe", channel: "qiwe", speaks: qiwestub.New, user: "78813000%08d", base: "/qiwe/api/qw", account: channel.Account{
		GUID: "guid-1", Self: "1688850000000000", Token: "T0KEN", Secret: "S3CRET",
	}},
}

// corp is an app; customer service rides on it.
var corp = channel.Account{
	Form: "app", CorpID: "ww0a1b2c3d4e5f6071", AgentID: 1000002, Secret: "S3CRET",
	CallbackToken: "WcSyntheticToken2026", EncodingAESKey: "wecomSyntheticVectorKeyNumberOne0123456789k",
}

// conversation is where caller n is answered.
func (d *dialect) conversation(n int) string {
	user := fmt.Sprintf(d.user, n)
	if d.service != "" {
		return d.service + "/" + user
	}
	return user
}

// configuration is the account, with a pace that never makes anything wait, and
// a skill that echoes.
func (d *dialect) configuration(url string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[[account]]\nname = \"load\"\nchannel = %q\npath = %q\nbase_url = %q\n", d.channel, callbackPath, url+d.base)
	a := &d.account
	for _, key := range []struct{ name, value string }{
		{"form", a.Form}, {"app_id", a.AppID}, {"w_id", a.WID}, {"guid", a.GUID}, {"self", a.Self}, {"token", a.Token}, {"secret", a.Secret},
		{"corp_id", a.CorpID}, {"callback_token", a.CallbackToken}, {"encoding_aes_key", a.EncodingAESKey},
	} {
		if key.value != "" {
			fmt.Fprintf(&b, "%s = %q\n", key.name, key.value)
		}
	}
	if a.AgentID != 0 {
		fmt.Fprintf(&b, "agent_id = %d\n", a.AgentID)
	}
	b.WriteString(opened)
	return b.String()
}

// opened is a pace that nobody feels. A conversation's cannot be switched off
// where the channel has one by default.
const opened = `
[account.limit]
rate = "100000/s"
burst = 100000
parallel = 16
per_conversation = "100000/s"
gap = "0s..0s"
reply_delay = "0s..0s"
[[skill]]
name = "echo"
match = "any"
reply = "{{.Text}}"
`
