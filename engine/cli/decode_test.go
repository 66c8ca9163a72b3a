package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bot/engine/channel"
)

const signedShop = `
[[account]]
name = "shop"
channel = "generic"
base_url = "https://example.com"
secret = "topsecret"
`

func (s *shell) captured(text string) string {
	s.Helper()
	return s.write("captured", text)
}

func TestDecodeReadsACapturedCallback(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", `
[[account]]
name = "shop"
channel = "generic"
base_url = "https://example.com"
`)
	got := s.bot("decode", s.captured(`{"msg_id":"m1","sender":"u","content":"你好","timestamp":1790000000}`), "-account", "shop")
	var events []map[string]any
	if err := json.Unmarshal([]byte(got.out), &events); err != nil || len(events) != 1 {
		t.Fatalf("%v in %s", err, got.out)
	}
	for name, want := range map[string]any{
		"kind": "message", "type": "text", "account": "shop", "id": "m1", "conversation": "u", "sender": "u", "self": false,
		"group": false, "mention": "", "text": "你好", "actor": "", "time": "2026-09-21T14:13:20Z",
	} {
		if events[0][name] != want {
			t.Errorf("%s is %v, want %v", name, events[0][name], want)
		}
	}
	if members, ok := events[0]["members"].([]any); !ok || len(members) != 0 {
		t.Errorf("members %v, want an empty list", events[0]["members"])
	}
}

// What a message refers to stands beside the other fields, and a message of a
// group that nothing names has no conversation: it can be answered nowhere.
func TestDecodeTellsWhatIsReferredToAndWhatCannotBeAnswered(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", `
[[account]]
name = "shop"
channel = "gewe"
base_url = "https://example.com"
token = "t"
app_id = "wx_1"
self = "wxid_me"
`)
	v2 := func(msgType, content string) string {
		b, err := json.Marshal(map[string]any{
			"appid": "wx_1", "wxid": "wxid_me", "msgType": msgType, "newMsgId": json.Number("7100000000000056001"),
			"fromUser": "wxid_1", "toUser": "wxid_me", "content": content,
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, tt := range map[string]struct {
		body string
		want map[string]any
	}{
		"a quote": {
			v2("QUOTE", `<msg><appmsg><title>how?</title><type>57</type><refermsg><svrid>7100000000000000001</svrid></refermsg></appmsg></msg>`),
			map[string]any{"type": "quote", "quoted": "7100000000000000001", "revoked": nil, "mute": nil, "conversation": "wxid_1"},
		},
		"a revocation": {
			v2("REVOKE_MSG", `<sysmsg type="revokemsg"><revokemsg><newmsgid>7100000000000000001</newmsgid></revokemsg></sysmsg>`),
			map[string]any{"kind": "revoke", "revoked": "7100000000000000001", "quoted": nil, "conversation": "wxid_1"},
		},
		"of a group without a name": {
			v2("TEXT", "wxid_1:\nhello"),
			map[string]any{"group": true, "conversation": "", "text": "hello", "mute": "the callback did not say which group it came from"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.bot("decode", s.captured(tt.body), "-account", "shop")
			var events []map[string]any
			if err := json.Unmarshal([]byte(got.out), &events); err != nil || len(events) != 1 {
				t.Fatalf("%v in %s", err, got.out)
			}
			for field, want := range tt.want {
				if events[0][field] != want {
					t.Errorf("%s is %v, want %v", field, events[0][field], want)
				}
			}
		})
	}
}

func TestDecodeSaysWhyACallbackIsRefused(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", signedShop)
	for name, tt := range map[string]struct {
		body    string
		headers []string
		refused string
		status  float64
	}{
		"not signed":       {`{"msg_id":"m1","sender":"u"}`, nil, "signature", 401},
		"signed by others": {`{"msg_id":"m1","sender":"u"}`, []string{"Webhook-Id: 1", "webhook-timestamp: 1790000000", "Webhook-Signature: v1,xxxx"}, "signature", 401},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"decode", s.captured(tt.body), "-account", "shop"}
			for _, h := range tt.headers {
				args = append(args, "-header", h)
			}
			got := s.bot(args...)
			var r map[string]any
			if err := json.Unmarshal([]byte(got.out), &r); err != nil || got.code != 1 || r["refused"] != tt.refused || r["status"] != tt.status {
				t.Errorf("code %d, %s (%v), want %s", got.code, got.out, err, tt.refused)
			}
		})
	}
}

// A captured callback is always old; its age is told and does not hide the rest.
func TestDecodeReadsAStaleCallback(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", signedShop)
	const body = `{"msg_id":"m1","sender":"u"}`
	key, err := channel.NewWebhook("topsecret", 0)
	if err != nil {
		t.Fatal(err)
	}
	signed := key.Sign("msg_1", time.Unix(1767225600, 0), []byte(body))
	args := []string{"decode", s.captured(body), "-account", "shop"}
	for _, h := range []string{"Webhook-Id: msg_1", "Webhook-Timestamp: 1767225600", "Webhook-Signature: " + signed.Get(channel.WebhookSignature)} {
		args = append(args, "-header", h)
	}
	got := s.bot(args...)
	if got.code != 0 || !strings.Contains(got.out, `"id": "m1"`) || !strings.Contains(got.err, "a running engine would refuse it") {
		t.Errorf("code %d, %s%s", got.code, got.out, got.err)
	}
}

func TestDecodeNeedsAnAccountThatIsThere(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", signedShop)
	s.bot("decode", s.captured("{}"), "-account", "nobody").wants(t, 2, "", `-account: there is no account "nobody"`)
	s.bot("decode", filepath.Join(s.dir, "absent"), "-account", "shop").wants(t, 2, "", "no such file")
	s.bot("decode", s.captured("{}"), "-account", "shop", "-header", "nonsense").wants(t, 2, "", "is not a header")
}
