package gewe

import (
	"bytes"
	"encoding/json"
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

// noon lies within an hour of the samples' times.
var noon = time.Unix(1790001000, 0)

const (
	self   = "wxid_testbot0000001"
	appID  = "wx_TESTAPPID000000000001"
	friend = "wxid_testfriend00001"
	newbie = "wxid_testnewbie00001"
	group  = "10000000001@chatroom"
)

// sample is what the index says of a recorded callback. A member that is left
// out says nothing.
type sample struct {
	File         string
	Kind         string
	Account      string
	MsgUID       *string `json:"msg_uid"`
	DuplicateOf  string  `json:"duplicate_of"`
	Self, Group  *bool
	Conversation *string
	Sender       *string
	Text         *string
	Mention      *engine.Mention
	Members      []string
	Actor        *string
	Greeting     *string
	Scene        json.Number
	V3, V4       string
	Quoted       string
	Revoked      string
	Filename     string
	Title, URL   string
	raw          map[string]json.RawMessage
}

func samples(t *testing.T) (all []sample) {
	t.Helper()
	b, err := os.ReadFile("testdata/index.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].raw = raw[i]
	}
	files, err := filepath.Glob("testdata/samples/*.json")
	if err != nil || len(files) != len(all) {
		t.Fatalf("%d files and %d entries in the index (%v)", len(files), len(all), err)
	}
	return all
}

func (s *sample) body(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/samples", s.File))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// says tells whether the index has a word on it.
func (s *sample) says(member string) bool { _, ok := s.raw[member]; return ok }

func shop() channel.Account {
	return channel.Account{
		Name: "shop", AppID: appID, Self: self, Names: []string{"小助手"}, Token: "t0ken-of/gewe+",
	}
}

func mustReceiver(t testing.TB, h channel.Host, accounts ...channel.Account) channel.Receiver {
	t.Helper()
	r, err := newReceiver(accounts, h)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// receive reads one callback that must be taken; nil if nothing came of it.
func receive(t testing.TB, r channel.Receiver, body []byte) *engine.Event {
	t.Helper()
	receipt, err := r.Receive(&channel.Request{Method: http.MethodPost, Header: http.Header{}, Body: bytes.Clone(body), Now: noon})
	switch {
	case err != nil:
		t.Fatalf("refused: %v", err)
	case receipt.Foreign != "":
		t.Fatalf("taken for the account %q", receipt.Foreign)
	case string(receipt.Answer.Body) != "success" || receipt.Answer.Status != 200:
		t.Fatalf("answered %+v", receipt.Answer)
	case len(receipt.Events) == 0:
		return nil
	case len(receipt.Events) > 1:
		t.Fatalf("%d events", len(receipt.Events))
	}
	return receipt.Events[0]
}

// messages are the kinds of the index that are types of a message.
var messages = []string{
	"text", "image", "voice", "video", "file", "link", "emoji", "location", "card", "miniapp", "chat_record",
	"quote", "mixed", "transfer", "red_packet",
}

// Every recorded callback reads as the index says.
func TestSamples(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	for _, s := range samples(t) {
		t.Run(strings.TrimSuffix(s.File, ".json"), func(t *testing.T) {
			e := receive(t, r, s.body(t))
			if s.Kind == "ignore" || strings.HasPrefix(s.Kind, "control_") {
				if e != nil {
					t.Errorf("got %+v, want nothing", e)
				}
				return
			}
			if e == nil {
				t.Fatal("nothing came of it")
			}
			s.check(t, e)
		})
	}
}

func (s *sample) check(t *testing.T, e *engine.Event) {
	t.Helper()
	kind, typ := engine.Kind(s.Kind), ""
	if slices.Contains(messages, s.Kind) {
		kind, typ = engine.Message, s.Kind
	}
	if e.Kind != kind || kind != engine.Unknown && e.Type != typ {
		t.Errorf("kind %q, type %q, want %q, %q", e.Kind, e.Type, kind, typ)
	}
	want := func(what string, asked bool, got, want string) {
		t.Helper()
		if asked && got != want {
			t.Errorf("%s %q, want %q", what, got, want)
		}
	}
	want("account", true, e.Account, "shop")
	if s.MsgUID != nil {
		want("id", true, e.ID, *s.MsgUID)
	} else if !strings.HasPrefix(e.ID, "sha256:") {
		t.Errorf("id %q, want a hash", e.ID)
	}
	if s.Conversation != nil {
		want("conversation", true, e.Conversation, *s.Conversation)
	} else if s.says("conversation") && !isNowhere(e.Conversation) {
		t.Errorf("conversation %q, want one that nothing is sent to", e.Conversation)
	}
	for what, v := range map[string]struct {
		want *string
		got  string
	}{"sender": {s.Sender, e.Sender}, "text": {s.Text, e.Text}, "actor": {s.Actor, e.Actor}, "greeting": {s.Greeting, e.Text}} {
		if v.want != nil {
			want(what, true, v.got, *v.want)
		}
	}
	if s.Self != nil && e.Self != *s.Self || s.Group != nil && e.Group != *s.Group {
		t.Errorf("self %v, group %v", e.Self, e.Group)
	}
	if s.Mention != nil && e.Mention != *s.Mention {
		t.Errorf("mention %q, want %q", e.Mention, *s.Mention)
	}
	if s.says("members") && !slices.Equal(e.Members, s.Members) {
		t.Errorf("members %q, want %q", e.Members, s.Members)
	}
	request := e.Kind == engine.FriendRequest
	want("v3", request || s.V3 != "", e.Params["v3"], s.V3)
	want("v4", request, e.Params["v4"], s.V4)
	want("scene", request, e.Params["scene"], s.Scene.String())
	want("quoted", s.Quoted != "", e.Params["quoted"], s.Quoted)
	want("revoked", s.Revoked != "", e.Params["revoked"], s.Revoked)
	want("filename", s.Filename != "", e.Params["filename"], s.Filename)
	want("title", s.Title != "", e.Params["title"], s.Title)
	want("url", s.URL != "", e.Params["url"], s.URL)
}

// What the index calls a duplicate has the same dedup key; nothing else has.
func TestSamplesKeepTheirIdentity(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	of := make(map[engine.Key]string)
	for _, s := range samples(t) {
		e := receive(t, r, s.body(t))
		if e == nil {
			continue
		}
		original := strings.TrimSuffix(s.File, ".json")
		if s.DuplicateOf != "" {
			original = s.DuplicateOf
		}
		if e.Kind == engine.FriendAdded {
			continue // one fact in several samples: TestOneFact
		}
		if other, known := of[e.Key()]; known != (s.DuplicateOf != "") || known && other != original {
			t.Errorf("%s: known as %q, want it %q", s.File, other, s.DuplicateOf)
		}
		of[e.Key()] = original
	}
}
