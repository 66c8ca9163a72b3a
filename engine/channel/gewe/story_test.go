package gewe

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/stub"
	"bot/store"
)

// bot is as much of an engine as a conversation takes: callbacks become records
// as the log keeps them.
type bot struct {
	url  string
	told chan *engine.Event
}

func newBot(t *testing.T, h channel.Host, a channel.Account) *bot {
	t.Helper()
	r := mustReceiver(t, h, a)
	b := &bot{told: make(chan *engine.Event, 8)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		receipt, err := r.Receive(&channel.Request{Method: q.Method, Header: q.Header, Body: body, Now: noon})
		if refusal, ok := err.(*channel.Refusal); ok {
			t.Errorf("%s: %v", body, refusal)
			w.WriteHeader(refusal.Answer.Status)
			return
		}
		for _, e := range receipt.Events {
			e.Kind = e.KindWhen(false, e.IfNoted != "" && h.Memory.Recall(a.Name, e.IfNoted) != "")
			if err := h.Memory.Remember(q.Context(), a.Name, e.Learned...); err != nil {
				t.Error(err)
			}
			b.told <- e
		}
		w.WriteHeader(receipt.Answer.Status)
		w.Write(receipt.Answer.Body)
	}))
	t.Cleanup(srv.Close)
	b.url = srv.URL
	return b
}

// next is the next event, as it is read back from the log.
func (b *bot) next(t *testing.T, want engine.Kind) *engine.Event {
	t.Helper()
	select {
	case e := <-b.told:
		e, err := store.DecodeEvent(store.EncodeEvent(e))
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != want {
			t.Fatalf("told of %s, want %s", e.Kind, want)
		}
		return e
	default:
		t.Fatalf("told nothing, want %s", want)
		return nil
	}
}

// From a request to the first words, in both structures. Every command is sent
// by a sender of its own, as after a restart.
func TestFromRequestToFirstWords(t *testing.T) {
	signed := shop()
	signed.Secret = "header-secret"
	for name, a := range map[string]channel.Account{"v1.0": shop(), "v2.0": signed} {
		t.Run(name, func(t *testing.T) {
			h := channeltest.Host(t)
			h.Memory = &channeltest.Memory{Now: func() time.Time { return noon }}
			p, _ := platform(t, a, h)
			b := newBot(t, h, a)
			srv := httptest.NewServer(p)
			defer srv.Close()
			a.BaseURL = srv.URL
			tell := func(what stub.Said) {
				t.Helper()
				if told, err := p.Tell(t.Context(), b.url, what); err != nil || !told.Taken {
					t.Fatalf("told %+v, %v", told, err)
				}
			}
			send := func(c engine.Command) {
				t.Helper()
				s, err := newSender(a, h)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Send(t.Context(), &c); err != nil {
					t.Fatal(err)
				}
			}

			tell(stub.Said{Kind: engine.FriendRequest, User: newbie, Name: "新朋友", Text: "我是小王"})
			asked := b.next(t, engine.FriendRequest)
			params := make(map[string]any)
			for k, v := range asked.Params {
				params[k] = v
			}
			send(engine.Command{Action: engine.AcceptFriend, Conversation: asked.Conversation, Params: params})

			tell(stub.Said{Kind: engine.FriendAdded, User: newbie, Name: "新朋友"})
			added := b.next(t, engine.FriendAdded)
			if added.Conversation != asked.Conversation {
				t.Errorf("added %q", added.Conversation)
			}
			send(engine.Command{Action: engine.SendText, Conversation: added.Conversation, Text: "您好"})

			tell(stub.Said{User: friend, Name: "小测", Group: group, Text: "@小助手 几点", Mention: engine.MentionMe})
			question := b.next(t, engine.Message)
			if question.Mention != engine.MentionMe || question.Sender != friend || question.SenderName != "小测" || question.Text != "@小助手 几点" {
				t.Errorf("asked %+v", question)
			}
			send(engine.Command{Action: engine.SendText, Conversation: question.Conversation, Text: "九点",
				Params: map[string]any{"at": question.Sender, "at_names": question.SenderName}})

			ledger := p.Calls(nil)
			if len(ledger) != 3 || ledger[0].Action != engine.AcceptFriend || ledger[0].JSON()["v3"] != "v3_"+newbie+"@stranger" ||
				ledger[1].To != newbie || ledger[1].Text != "您好" || ledger[2].To != group || ledger[2].JSON()["ats"] != friend {
				t.Errorf("ledger %+v", ledger)
			}
		})
	}
}

// All kinds that the stub tells of arrive as what they are.
func TestStubIsUnderstood(t *testing.T) {
	signed := shop()
	signed.Secret = "header-secret"
	for name, a := range map[string]channel.Account{"v1.0": shop(), "v2.0": signed} {
		t.Run(name, func(t *testing.T) {
			h := channeltest.Host(t)
			p, s := platform(t, a, h)
			b := newBot(t, h, a)
			for _, what := range []stub.Said{
				{User: friend, Name: "小测", Text: "你好"},
				{User: friend, Name: "小测", Group: group, Text: "大家好"},
				{User: friend, Name: "小测", Group: group, Text: "@所有人 好", Mention: engine.MentionAll},
				{User: friend, Name: "小测", Type: "image"},
				{User: friend, Name: "小测", Type: "file", Text: "报价<1>.xlsx"},
				{User: friend, Name: "小测", Type: "link", Text: "一篇", Group: group},
				{Kind: engine.MemberJoined, User: friend, Name: "小测", Group: group, Members: []string{newbie, "wxid_b"}},
				{Kind: engine.Offline},
				{Kind: engine.Online},
			} {
				if told, err := p.Tell(t.Context(), b.url, what); err != nil || !told.Taken {
					t.Fatalf("told %+v, %v", told, err)
				}
				kind, typ := what.Kind, ""
				if kind == "" {
					kind, typ = engine.Message, "text"
				}
				if what.Type != "" {
					typ = what.Type
				}
				e := b.next(t, kind)
				if e.Type != typ || e.Mention != what.Mention || e.Group != (what.Group != "") || len(e.Members) != len(what.Members) {
					t.Errorf("%+v arrived as %+v", what, e)
				}
				if what.Type == "file" && e.Params["filename"] != what.Text {
					t.Errorf("a file called %q", e.Params["filename"])
				}
				online, _, err := s.Online(t.Context())
				if err != nil || online != (kind != engine.Offline) {
					t.Errorf("after %s online is %v, %v", kind, online, err)
				}
			}
		})
	}
}

// An account that is offline halts; once it is back, it goes on.
func TestHaltedWhileOffline(t *testing.T) {
	h := channeltest.Host(t)
	p, s := platform(t, shop(), h)
	b := newBot(t, h, shop())
	text := &engine.Command{Action: engine.SendText, Conversation: friend, Text: "x"}
	if _, err := p.Tell(t.Context(), b.url, stub.Said{Kind: engine.Offline}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Send(t.Context(), text)
	classIs(t, err, channel.Halted)
	if _, err := p.Tell(t.Context(), b.url, stub.Said{Kind: engine.Online}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), text); err != nil {
		t.Error(err)
	}
}

func TestWrongToken(t *testing.T) {
	p, s := platform(t, shop(), channeltest.Host(t))
	s.header = http.Header{tokenHeader: {"another"}}
	_, err := s.Send(t.Context(), &engine.Command{Action: engine.SendText, Conversation: friend, Text: "x"})
	classIs(t, err, channel.Credential)
	if n := len(p.Calls(nil)); n != 1 {
		t.Errorf("%d requests", n)
	}
}
