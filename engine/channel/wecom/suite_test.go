package wecom

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/wecom/crypt"
)

// recorded is a callback of the account as the platform made it at noon.
func recorded(t *testing.T, a channel.Account, name, plain string, c channeltest.Callback) channeltest.Callback {
	q := callback(t, a, plain, noon)
	c.Name, c.Query, c.Body = name, q.Query.Encode(), string(q.Body)
	return c
}

// asReceived puts the body back where the suite looks for it: what this channel
// keeps of a callback is the document inside, which can be read again.
type asReceived struct{ channel.Receiver }

func (r asReceived) Receive(q *channel.Request) (channel.Receipt, error) {
	receipt, err := r.Receiver.Receive(q)
	for _, e := range receipt.Events {
		e.Raw = []byte(string(q.Body))
		if strings.HasPrefix(e.ID, "sha256:") {
			e.ID = "sha256"
		}
	}
	return receipt, err
}

// withBodies is the adapter with such a receiver.
func withBodies() channel.Adapter {
	a := Adapter
	a.Receiver = func(accounts []channel.Account, h channel.Host) (channel.Receiver, error) {
		r, err := newReceiver(accounts, h)
		return asReceived{r}, err
	}
	return a
}

func TestSuiteCallbacks(t *testing.T) {
	success := channel.TextAnswer(200, "success")
	invalid := channel.TextAnswer(400, "invalid_data")
	forbidden := channel.TextAnswer(403, "forbidden")
	of := func(a channel.Account, e engine.Event) []engine.Event {
		e.Account = a.Name
		return []engine.Event{e}
	}
	customerCame := ofCustomer(engine.FriendAdded, engine.Event{
		ID: "sha256", Fact: "friend/lina/" + customer, Time: noon,
		Ticket: engine.Ticket{Token: "welcome/SYNTHWELCOMECODE0001", Expires: noon.Add(17 * time.Second)},
		Params: map[string]string{"change_type": "add_external_contact", "user_id": "lina", "state": "channel_a1"},
	})
	callbacks := []channeltest.Callback{
		recorded(t, appAccount, "a member writes", textMessage, channeltest.Callback{
			Events: of(appAccount, fromLina(engine.Message, engine.Event{Type: "text", ID: "1", Text: "hi", Time: noon})), Answer: success}),
		recorded(t, appAccount, "a customer came", plaintext(t, "synth-xml-ext_add"), channeltest.Callback{
			Events: of(appAccount, customerCame), Answer: success}),
		recorded(t, appAccount, "the bell of customer service", plaintext(t, "synth-xml-kf_event"), channeltest.Callback{
			Rings:  []channel.Doorbell{{Account: "corp", Source: "wkSYNTHkfaccount0000000000000001", Token: "ENCSYNTHTOKEN0001"}},
			Answer: success}),
		recorded(t, appAccount, "a third party's suite", "<xml><SuiteId>ww2</SuiteId><InfoType>suite_ticket</InfoType></xml>", channeltest.Callback{
			Foreign: "third-party suite ww2", Answer: success}),
		recorded(t, appAccount, "a message without an id", xmlOf("<FromUserName>lina</FromUserName><MsgType>text</MsgType>"), channeltest.Callback{
			Refused: "ids", Answer: invalid}),
		recorded(t, botAccount, "a bot's chat was opened", botReadings[5].plain, channeltest.Callback{
			Events: of(botAccount, botReadings[5].want), Answer: channel.Answer{Status: 200}}),
		{Name: "no envelope", Body: "hello", Refused: "envelope", Answer: invalid},
		{Name: "not signed", Body: "<xml><Encrypt>AAAA</Encrypt></xml>", Refused: "signature", Answer: invalid},
		{Name: "signed by a guess", Query: "msg_signature=0&timestamp=1767225600&nonce=n", Body: "<xml><Encrypt>AAAA</Encrypt></xml>",
			Refused: "signature", Answer: forbidden},
	}
	channeltest.Run(t, channeltest.Harness{
		Adapter: withBodies(), Accounts: []channel.Account{appAccount, botAccount}, Callbacks: callbacks, Now: noon,
		Command: says("t-1", "lina", "hi"), Remembers: noted(appAccount), Answers: verdicts, Success: delivers, Note: `{"msgid":"m-1"}`,
	})
}

// What is kept of a callback reads as the same event, without key or token.
func TestWhatIsKeptCanBeReadAgain(t *testing.T) {
	for _, a := range []struct {
		account channel.Account
		plain   string
	}{{appAccount, textMessage}, {botAccount, botReadings[0].plain}} {
		receipt, refusal := tell(t, a.account, a.plain)
		if refusal != nil {
			t.Fatal(refusal)
		}
		d, err := parse(receipt.Events[0].Raw)
		if err != nil || d.get("MsgId")+d.get("msgid") != receipt.Events[0].ID {
			t.Errorf("%s: got %+v, %v", a.account.Name, d, err)
		}
	}
}

// The answer to a reply of ours that the platform would see.
func TestPassiveReply(t *testing.T) {
	s := secretOf(t, appAccount)
	reply := s.Seal(crypt.Random(), []byte("<xml><MsgType>text</MsgType><Content>"+crypt.CDATA("好 ]]> 的")+"</Content></xml>"), noon, "n]]>1")
	d, err := parse(reply.XML())
	if err != nil {
		t.Fatal(err)
	}
	plain, err := s.Open(d.get("MsgSignature"), d.get("TimeStamp"), d.get("Nonce"), d.get("Encrypt"))
	if err != nil {
		t.Fatal(err)
	}
	if inner, err := parse(plain); err != nil || inner.raw("Content") != "好 ]]> 的" {
		t.Errorf("got %s, %v", plain, err)
	}
	var e map[string]any
	if err := json.Unmarshal(reply.JSON(), &e); err != nil || e["timestamp"] != float64(noon.Unix()) || e["nonce"] != "n]]>1" {
		t.Errorf("got %s, %v", reply.JSON(), err)
	}
}

// The query is decoded once: by whoever made it a url.Values.
func TestEchostrWithPlusAndSlash(t *testing.T) {
	positive, _ := readVectors(t)
	for _, v := range positive {
		if v.ID != "synth-get-echo-plus-slash" {
			continue
		}
		if !strings.Contains(v.Query, "%2B") || !strings.Contains(v.Query, "%2F") {
			t.Fatalf("the vector has lost its point: %s", v.Query)
		}
		twice, err := url.QueryUnescape(v.Query)
		if err != nil {
			t.Fatal(err)
		}
		q := v.request(t)
		if q.Query, err = url.ParseQuery(twice); err != nil {
			t.Fatal(err)
		}
		if _, refusal := receive(t, makeReceiver(t, nil, v.account()), q); refusal == nil || refusal.Reason != "signature" {
			t.Errorf("decoded twice: got %v", refusal)
		}
	}
}
