package wkteam

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// The world of the samples.
const (
	bot    = "wxid_testbot0000001"
	friend = "wxid_testfriend00001"
	newbie = "wxid_testnewbie00001"
	room1  = "10000000001@chatroom"
	first  = "00000000-1111-4222-8333-000000000001" // instances of the bot
	second = "00000000-1111-4222-8333-000000000002"
)

var noon = time.Unix(1790000100, 0) // shortly after the samples

var shop = channel.Account{Name: "shop", Self: bot, Names: []string{"小助手"}}

// expected is a sample's entry in testdata/index.json. What is absent there is
// not looked at.
type expected struct {
	File         string
	Kind         string
	Account      *string
	MsgUID       *string `json:"msg_uid"`
	Self, Group  *bool
	Conversation *string
	Sender       *string
	Text         *string
	Mention      *string
	Members      []string
	Actor        *string
	DuplicateOf  string `json:"duplicate_of"`

	Greeting, Revoked, Quoted, Filename, V1, V2 string
	Scene                                       json.Number
}

// messages are the index's kinds that are types of a message.
var messages = strings.Fields("text image voice video file link emoji location card miniapp chat_record quote mixed transfer red_packet")

func index(t testing.TB) []expected {
	t.Helper()
	raw, err := os.ReadFile("testdata/index.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []expected
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata/samples", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// receive reads a callback; the refusal is nil for one that was taken.
func receive(t testing.TB, h channel.Host, accounts []channel.Account, body []byte, header http.Header) (channel.Receipt, *channel.Refusal) {
	t.Helper()
	r, err := newReceiver(accounts, h)
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := r.Receive(&channel.Request{Method: http.MethodPost, Header: header, Body: body, Now: noon})
	refusal, ok := errors.AsType[*channel.Refusal](err)
	if err != nil && !ok {
		t.Fatalf("%v is no refusal", err)
	}
	return receipt, refusal
}

// one reads a callback of the shop that is an event.
func one(t testing.TB, body string) *engine.Event {
	t.Helper()
	got, refusal := receive(t, channeltest.Host(t), []channel.Account{shop}, []byte(body), nil)
	if refusal != nil || len(got.Events) != 1 {
		t.Fatalf("got %d events and %v, want one event; body %s", len(got.Events), refusal, body)
	}
	return got.Events[0]
}

func TestSamples(t *testing.T) {
	for _, want := range index(t) {
		t.Run(want.File, func(t *testing.T) {
			got, refusal := receive(t, channeltest.Host(t), []channel.Account{shop}, sample(t, want.File), nil)
			if refusal != nil || got.Answer.Status != 200 || string(got.Answer.Body) != autoAck {
				t.Fatalf("answered %+v, %v", got.Answer, refusal)
			}
			switch {
			case want.Kind == "ignore", strings.HasPrefix(want.Kind, "control_"):
				if len(got.Events) != 0 || got.Foreign != "" {
					t.Errorf("got %+v, want nothing", got)
				}
			case want.Account == nil: // an instance that nobody knows
				if len(got.Events) != 0 || got.Foreign == "" {
					t.Errorf("got %+v, want it foreign", got)
				}
			case len(got.Events) != 1:
				t.Errorf("%d events, want one", len(got.Events))
			default:
				want.check(t, got.Events[0])
			}
		})
	}
}

func (want *expected) check(t *testing.T, e *engine.Event) {
	kind, typ := engine.Kind(want.Kind), ""
	if slices.Contains(messages, want.Kind) {
		kind, typ = engine.Message, want.Kind
	}
	if e.Kind != kind || e.Type != typ || e.Account != "shop" {
		t.Errorf("kind %q type %q account %q, want %q %q", e.Kind, e.Type, e.Account, kind, typ)
	}
	switch {
	case want.MsgUID != nil && e.ID != *want.MsgUID:
		t.Errorf("id %q, want %q", e.ID, *want.MsgUID)
	case want.MsgUID == nil && !strings.HasPrefix(e.ID, "sha256:"):
		t.Errorf("id %q, want a hash", e.ID)
	}
	equal(t, "self", e.Self, want.Self)
	equal(t, "group", e.Group, want.Group)
	equal(t, "conversation", e.Conversation, want.Conversation)
	equal(t, "sender", e.Sender, want.Sender)
	equal(t, "text", e.Text, want.Text)
	equal(t, "mention", string(e.Mention), want.Mention)
	equal(t, "actor", e.Actor, want.Actor)
	if want.Members != nil && !slices.Equal(e.Members, want.Members) {
		t.Errorf("members %q, want %q", e.Members, want.Members)
	}
	if want.Greeting != "" && e.Text != want.Greeting {
		t.Errorf("text %q, want the greeting %q", e.Text, want.Greeting)
	}
	for name, v := range map[string]string{
		"revoked": want.Revoked, "quoted": want.Quoted, "filename": want.Filename,
		"v1": want.V1, "v2": want.V2, "scene": want.Scene.String(),
	} {
		if v != "" && e.Params[name] != v {
			t.Errorf("param %s is %q, want %q", name, e.Params[name], v)
		}
	}
	if e.Conversation == "" {
		t.Error("no conversation")
	}
	if !slices.Equal(e.Raw, sample(t, want.File)) {
		t.Error("raw is not the body")
	}
}

func equal[T comparable](t *testing.T, what string, got T, want *T) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("%s %v, want %v", what, got, *want)
	}
}

// Samples share a key only where the index calls one the other's duplicate.
func TestSamplesAreKnownAgain(t *testing.T) {
	first := make(map[engine.Key]string)
	for _, want := range index(t) {
		got, _ := receive(t, channeltest.Host(t), []channel.Account{shop}, sample(t, want.File), nil)
		for _, e := range got.Events {
			name := strings.TrimSuffix(want.File, ".json")
			seen, dup := first[e.Key()]
			switch {
			case !dup:
				if first[e.Key()] = name; want.DuplicateOf != "" {
					t.Errorf("%s is not known as %s", name, want.DuplicateOf)
				}
			case want.DuplicateOf != seen:
				t.Errorf("%s has the key of %s", name, seen)
			}
		}
	}
}

// The three signals that somebody became a friend tell one fact.
func TestFriendAddedIsOneFact(t *testing.T) {
	facts := make(map[string]bool)
	for _, name := range []string{"friend_added_notice.json", "friend_greeting_notice.json", "friend_added_contact_change.json"} {
		e := one(t, string(sample(t, name)))
		if e.Kind != engine.FriendAdded || e.Conversation != newbie {
			t.Errorf("%s: %+v", name, e)
		}
		facts[e.Fact] = true
	}
	if len(facts) != 1 || facts[""] {
		t.Errorf("facts %v, want one", facts)
	}
}

func response(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata/responses", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
