package wecom

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine/channel"
	"bot/engine/channel/wecom/crypt"
)

const textMessage = "<xml><ToUserName>ww0a1b2c3d4e5f6071</ToUserName><FromUserName>lina</FromUserName><CreateTime>1767225600</CreateTime>" +
	"<MsgType>text</MsgType><Content>hi</Content><MsgId>1</MsgId><AgentID>1000002</AgentID></xml>"

// verification is the request that saving the address in the admin console makes.
func verification(t *testing.T, a channel.Account, echo string) *channel.Request {
	s := secretOf(t, a).Seal(crypt.Random(), []byte(echo), noon, "nonce-1")
	q := &channel.Request{Method: http.MethodGet, Query: queryOf(s), Now: noon}
	q.Query.Set("echostr", s.Encrypt)
	return q
}

func TestVerification(t *testing.T) {
	r := makeReceiver(t, nil, appAccount, botAccount)
	for _, a := range []channel.Account{appAccount, botAccount} {
		receipt, refusal := receive(t, r, verification(t, a, "1616140317555161061"))
		want := channel.Answer{Status: 200, ContentType: "text/plain; charset=utf-8"}
		if refusal != nil || receipt.Answer.Status != want.Status || receipt.Answer.ContentType != want.ContentType {
			t.Errorf("%s: got %+v, %v", a.Name, receipt.Answer, refusal)
		}
		if string(receipt.Answer.Body) != "1616140317555161061" {
			t.Errorf("%s: answered %q, want the plaintext and nothing else", a.Name, receipt.Answer.Body)
		}
	}
}

func TestVerificationsThatFail(t *testing.T) {
	without := func(names ...string) func(*channel.Request) {
		return func(q *channel.Request) {
			for _, name := range names {
				q.Query.Del(name)
			}
		}
	}
	tests := []struct {
		name   string
		change func(q *channel.Request)
		reason string
		status int
	}{
		{"a person with a browser", func(q *channel.Request) { q.Query = nil }, "envelope", 400},
		{"without echostr", without("echostr"), "envelope", 400},
		{"without signature", without("msg_signature"), "signature", 400},
		{"without timestamp", without("timestamp"), "signature", 400},
		{"without nonce", without("nonce"), "signature", 400},
		{"a plus that became a space", func(q *channel.Request) {
			q.Query.Set("echostr", strings.Replace(q.Query.Get("echostr"), q.Query.Get("echostr")[:1], " ", 1))
		}, "signature", 403},
		{"the algorithm of official accounts", func(q *channel.Request) {
			q.Query.Set("msg_signature", crypt.Sign(appAccount.CallbackToken, q.Query.Get("timestamp"), q.Query.Get("nonce"), ""))
		}, "signature", 403},
		{"an hour late", func(q *channel.Request) { q.Now = q.Now.Add(time.Hour) }, "timestamp", 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := verification(t, appAccount, "42")
			tt.change(q)
			receipt, refusal := receive(t, makeReceiver(t, nil, appAccount), q)
			if refusal == nil || refusal.Reason != tt.reason || refusal.Answer.Status != tt.status || len(refusal.Answer.Body) == 0 {
				t.Errorf("got %+v, %v, want %s with status %d", receipt, refusal, tt.reason, tt.status)
			}
		})
	}
}

func TestEnvelopes(t *testing.T) {
	s := secretOf(t, appAccount).Seal(crypt.Random(), []byte(textMessage), noon, "n")
	ok := map[string]string{
		"plain text":           "<xml><Encrypt>" + s.Encrypt + "</Encrypt></xml>",
		"a section":            "<xml><Encrypt><![CDATA[" + s.Encrypt + "]]></Encrypt></xml>",
		"with a declaration":   `<?xml version="1.0" encoding="UTF-8"?>` + "\n<xml>\n <AgentID/>\n <Encrypt>" + s.Encrypt + "</Encrypt>\n</xml>\n",
		"JSON":                 `{"tousername":"ww0a1b2c3d4e5f6071","encrypt":"` + s.Encrypt + `","agentid":"218"}`,
		"JSON with a capital":  "\r\n {\"Encrypt\":\"" + s.Encrypt + "\"} ",
		"JSON with escapes":    `{"encrypt":"` + strings.ReplaceAll(s.Encrypt, "/", `\/`) + `"}`,
		"another corp outside": "<xml><ToUserName>ww_other</ToUserName><Encrypt>" + s.Encrypt + "</Encrypt><AgentID>7</AgentID></xml>",
	}
	bad := map[string]string{
		"nothing":              "",
		"a word":               "hello",
		"no Encrypt":           "<xml><encrypt>" + s.Encrypt + "</encrypt></xml>",
		"an empty one":         "<xml><Encrypt></Encrypt></xml>",
		"one too deep":         "<xml><a><Encrypt>" + s.Encrypt + "</Encrypt></a></xml>",
		"one on top":           "<Encrypt>" + s.Encrypt + "</Encrypt>",
		"broken off behind it": "<xml><Encrypt>" + s.Encrypt + "</Encrypt>",
		"a DOCTYPE":            `<!DOCTYPE x [<!ENTITY e "x">]><xml><Encrypt>` + s.Encrypt + "</Encrypt></xml>",
		"a DOCTYPE behind it":  "<xml><Encrypt>" + s.Encrypt + "</Encrypt><!DOCTYPE x></xml>",
		"an entity":            "<xml><Encrypt>&e;</Encrypt></xml>",
		"too deep":             "<xml><Encrypt>" + s.Encrypt + "</Encrypt>" + strings.Repeat("<a>", 100_000),
		"JSON, a number":       `{"encrypt":12}`,
		"JSON, null":           `{"encrypt":null}`,
		"JSON, broken":         `{"encrypt":"` + s.Encrypt,
		"JSON, too deep":       `{"encrypt":"` + s.Encrypt + `","a":` + strings.Repeat("[", 100_000),
		"JSON, two":            `{"encrypt":"` + s.Encrypt + `"}{}`,
	}
	r := makeReceiver(t, nil, appAccount)
	for name, body := range ok {
		receipt, refusal := receive(t, r, &channel.Request{Method: "POST", Query: queryOf(s), Body: []byte(body), Now: noon})
		if refusal != nil || len(receipt.Events) != 1 || receipt.Events[0].Text != "hi" {
			t.Errorf("%s: got %+v, %v", name, receipt, refusal)
		}
	}
	for name, body := range bad {
		receipt, refusal := receive(t, r, &channel.Request{Method: "POST", Query: queryOf(s), Body: []byte(body), Now: noon})
		if refusal == nil || refusal.Reason != "envelope" || refusal.Answer.Status != 400 {
			t.Errorf("%s: got %+v, %v, want it refused as an envelope", name, receipt, refusal)
		}
	}
}

func TestTampered(t *testing.T) {
	tests := map[string]func(q *channel.Request){
		"signature":    func(q *channel.Request) { q.Query.Set("msg_signature", strings.Repeat("0", 40)) },
		"its capitals": func(q *channel.Request) { q.Query.Set("msg_signature", strings.ToUpper(q.Query.Get("msg_signature"))) },
		"no signature": func(q *channel.Request) { q.Query.Set("msg_signature", "") },
		"timestamp":    func(q *channel.Request) { q.Query.Set("timestamp", "1767225601") },
		"nonce":        func(q *channel.Request) { q.Query.Set("nonce", "nonce-2") },
		"the ciphertext": func(q *channel.Request) {
			q.Body = []byte(strings.Replace(string(q.Body), "]]></Encrypt>", "A]]></Encrypt>", 1))
		},
		"space around it": func(q *channel.Request) {
			q.Body = []byte(strings.Replace(string(q.Body), "<![CDATA[", "<![CDATA[ ", 2))
		},
		"signed by a stranger": func(q *channel.Request) { *q = *callback(t, botAccount, textMessage, noon) },
	}
	for name, change := range tests {
		q := callback(t, appAccount, textMessage, noon)
		change(q)
		receipt, refusal := receive(t, makeReceiver(t, nil, appAccount), q)
		if refusal == nil || refusal.Reason != "signature" || refusal.Answer.Status != 403 {
			t.Errorf("%s: got %+v, %v, want the signature refused", name, receipt, refusal)
		}
	}
}

func TestClockSkew(t *testing.T) {
	tests := []struct {
		name      string
		skew      time.Duration
		timestamp string
		refused   bool
	}{
		{"now", 5 * time.Minute, "1767225600", false},
		{"just in time", 5 * time.Minute, "1767225300", false},
		{"too late", 5 * time.Minute, "1767225299", true},
		{"too early", 5 * time.Minute, "1767225901", true},
		{"no number", 5 * time.Minute, "noon", true},
		{"no time", 5 * time.Minute, "999999999999", true},
		{"years ago, any time will do", 0, "1409659589", false},
		{"no number, any time will do", 0, "noon", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := appAccount
			a.MaxSkew = tt.skew
			q := callback(t, a, textMessage, noon)
			encrypt, err := envelope(q.Body)
			if err != nil {
				t.Fatal(err)
			}
			q.Query.Set("timestamp", tt.timestamp)
			q.Query.Set("msg_signature", crypt.Sign(a.CallbackToken, tt.timestamp, "nonce-1", encrypt))
			receipt, refusal := receive(t, makeReceiver(t, nil, a), q)
			if (refusal != nil) != tt.refused || tt.refused && (refusal.Reason != "timestamp" || refusal.Answer.Status != 403) {
				t.Errorf("got %+v, %v", receipt, refusal)
			}
		})
	}
}

// Each app of a corp has its own token and key; the signature tells whose
// callback it is, whatever stands in the envelope.
func TestAccountsThatShareAPath(t *testing.T) {
	other := appAccount
	other.Name, other.AgentID, other.CallbackToken = "other", 1000003, "AnotherToken"
	sameToken := appAccount
	sameToken.Name, sameToken.EncodingAESKey = "same token", "4Ma3YBrSBbX2aez8MJpXGBne5LSDwgGqHbhM9WPYIws"
	r := makeReceiver(t, nil, appAccount, other, sameToken, botAccount)
	for _, a := range []channel.Account{appAccount, other, sameToken} {
		receipt, refusal := receive(t, r, callback(t, a, textMessage, noon))
		if refusal != nil || len(receipt.Events) != 1 || receipt.Events[0].Account != a.Name {
			t.Errorf("%s: got %+v, %v", a.Name, receipt, refusal)
		}
	}
	stranger := appAccount
	stranger.CallbackToken = "Guessed"
	if receipt, refusal := receive(t, r, callback(t, stranger, textMessage, noon)); refusal == nil || refusal.Reason != "signature" {
		t.Errorf("a stranger: got %+v, %v", receipt, refusal)
	}
	wrongCorp := other
	wrongCorp.CorpID = "ww_wrong"
	receipt, refusal := receive(t, r, callback(t, wrongCorp, textMessage, noon))
	if refusal == nil || refusal.Reason != "receive_id" || !strings.Contains(refusal.Detail, `"other"`) {
		t.Errorf("another corp: got %+v, %v, want the account named", receipt, refusal)
	}
}

func TestAcknowledgements(t *testing.T) {
	for ack, want := range map[string]string{"": "success", "auto": "success", "success": "success", "empty": ""} {
		a := appAccount
		a.Ack = ack
		receipt, refusal := tell(t, a, textMessage)
		if refusal != nil || receipt.Answer.Status != 200 || string(receipt.Answer.Body) != want {
			t.Errorf("ack %q: got %+v, %v, want %q", ack, receipt.Answer, refusal, want)
		}
	}
}

// A refusal is logged and counted; whoever reads it learns no secret and
// nothing that was written.
func TestRefusalsSayNothing(t *testing.T) {
	a := appAccount
	for _, plain := range []string{
		"<xml><MsgType>text</MsgType><MsgId>1</MsgId><Content>private",
		"<xml><MsgType>text</MsgType><Content>private</Content></xml>",
		`{"MsgType":"text","Content":"private"}`,
	} {
		_, refusal := tell(t, a, plain)
		if refusal == nil {
			t.Fatalf("%s: taken", plain)
		}
		text := refusal.Error() + string(refusal.Answer.Body)
		for _, secret := range append(a.Secrets(), "private") {
			if strings.Contains(text, secret) {
				t.Errorf("%q in %q", secret, text)
			}
		}
	}
}
