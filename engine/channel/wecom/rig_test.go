package wecom

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/wecom/crypt"
)

var noon = time.Unix(1767225600, 0)

// The two accounts of the made vectors.
var (
	appAccount = channel.Account{
		Name: "corp", Form: "app", CorpID: "ww0a1b2c3d4e5f6071", AgentID: 1000002, Secret: "app-secret/+1",
		CallbackToken: "WcSyntheticToken2026", EncodingAESKey: "wecomSyntheticVectorKeyNumberOne0123456789k",
		MaxSkew: 5 * time.Minute,
	}
	botAccount = channel.Account{
		Name: "helper", Form: "aibot", Names: []string{"示例机器人"},
		CallbackToken: "AiBotToken2026", EncodingAESKey: "aibotSyntheticVectorKeyNumberTwo0123456789B",
		MaxSkew: 5 * time.Minute,
	}
)

func makeReceiver(t testing.TB, m channel.Memory, accounts ...channel.Account) *receiver {
	t.Helper()
	h := channeltest.Host(t)
	if m != nil {
		h.Memory = m
	}
	r, err := newReceiver(accounts, h)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*receiver)
}

func secretOf(t testing.TB, a channel.Account) *crypt.Secret {
	t.Helper()
	s, err := checkInbound(&a)
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// callback is what the platform posts to tell the account a document.
func callback(t testing.TB, a channel.Account, plain string, at time.Time) *channel.Request {
	t.Helper()
	s := secretOf(t, a).Seal(crypt.Random(), []byte(plain), at, "nonce-1")
	q := &channel.Request{Method: http.MethodPost, Path: "/callback", Query: queryOf(s), Now: at}
	q.Body = []byte("<xml><ToUserName>" + crypt.CDATA(a.CorpID) + "</ToUserName><Encrypt>" + crypt.CDATA(s.Encrypt) + "</Encrypt></xml>")
	if a.Form == FormAIBot {
		q.Body = []byte(`{"encrypt":"` + s.Encrypt + `"}`)
	}
	return q
}

func queryOf(s crypt.Sealed) url.Values {
	return url.Values{"msg_signature": {s.Signature}, "timestamp": {s.Timestamp}, "nonce": {s.Nonce}}
}

// receive returns what came of a request; a refusal is never both.
func receive(t testing.TB, r channel.Receiver, q *channel.Request) (channel.Receipt, *channel.Refusal) {
	t.Helper()
	receipt, err := r.Receive(q)
	refusal, ok := errors.AsType[*channel.Refusal](err)
	if err != nil && !ok {
		t.Fatalf("%v is no *Refusal", err)
	}
	return receipt, refusal
}

// tell has the account told a document.
func tell(t testing.TB, a channel.Account, plain string) (channel.Receipt, *channel.Refusal) {
	t.Helper()
	return receive(t, makeReceiver(t, nil, a), callback(t, a, plain, noon))
}

// vector is a case of testdata/vectors.json.
type vector struct {
	ID        string `json:"id"`
	Op        string
	Key       string `json:"encoding_aes_key"`
	Token     string
	ReceiveID string `json:"receive_id"`
	Query     string
	Body      string
	Encrypt   string
	Plaintext string
	Timestamp string
	Nonce     string
	Signature string `json:"msg_signature"`
	FailsAt   string `json:"fails_at"`
}

func readVectors(t testing.TB) (positive, negative []vector) {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Vectors, Negative []vector }
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all.Vectors, all.Negative
}

// plaintext is the document of a vector.
func plaintext(t testing.TB, id string) string {
	t.Helper()
	positive, _ := readVectors(t)
	for _, v := range positive {
		if v.ID == id {
			return v.Plaintext
		}
	}
	t.Fatalf("no vector %q", id)
	return ""
}

// account is whose callback the vector is, checked as of any time.
func (v *vector) account() channel.Account {
	a := channel.Account{
		Name: "vector", Form: FormApp, CorpID: v.ReceiveID, CallbackToken: v.Token, EncodingAESKey: v.Key, ReceiveID: v.ReceiveID,
	}
	if v.ReceiveID == "" || strings.HasPrefix(v.ID, "json-") {
		a.Form = FormAIBot
	}
	return a
}

// request is the vector as it would arrive.
func (v *vector) request(t testing.TB) *channel.Request {
	t.Helper()
	q := &channel.Request{Method: http.MethodPost, Path: "/callback", Body: []byte(v.Body), Now: noon}
	if v.Op == "get_verify" {
		q.Method = http.MethodGet
	}
	if v.Query == "" {
		q.Query = url.Values{"msg_signature": {v.Signature}, "timestamp": {v.Timestamp}, "nonce": {v.Nonce}}
		if v.Op == "get_verify" {
			q.Query.Set("echostr", v.Encrypt)
		}
		return q
	}
	var err error
	if q.Query, err = url.ParseQuery(v.Query); err != nil {
		t.Fatal(err)
	}
	return q
}
