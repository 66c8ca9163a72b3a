package wkteam

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/wkteam/wkteamstub"
	"bot/engine/stub"
	"bot/store"
)

// world is a platform and what an engine would do between it and the adapter:
// take callbacks, keep what they teach, hand out their events.
type world struct {
	*stub.Stub
	callback string // ours
	host     channel.Host
	account  channel.Account
	events   chan *engine.Event
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{host: channeltest.Host(t), account: shop, events: make(chan *engine.Event, 8)}
	w.account.Token, w.account.Secret = "t0ken", "header"
	var err error
	if w.Stub, err = stub.New(stub.Options{Protocol: wkteamstub.New, Account: w.account}); err != nil {
		t.Fatal(err)
	}
	platform := httptest.NewServer(w.Stub)
	t.Cleanup(platform.Close)
	w.account.BaseURL = platform.URL
	r, err := Adapter.Receiver([]channel.Account{w.account}, w.host)
	if err != nil {
		t.Fatal(err)
	}
	ours := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		receipt, err := r.Receive(&channel.Request{Method: q.Method, Header: q.Header, Body: body, Now: time.Now()})
		if err != nil {
			t.Error(err)
		}
		for _, e := range receipt.Events {
			w.host.Memory.Remember(q.Context(), e.Account, e.Learned...)
			w.events <- e
		}
		rw.WriteHeader(receipt.Answer.Status)
		rw.Write(receipt.Answer.Body)
	}))
	t.Cleanup(ours.Close)
	t.Cleanup(w.Close)
	w.callback = ours.URL
	return w
}

// tell lets something happen and returns what we read of it.
func (w *world) tell(t *testing.T, s stub.Said) *engine.Event {
	t.Helper()
	told, err := w.Tell(t.Context(), w.callback, s)
	if err != nil || !told.Taken {
		t.Fatalf("told %+v: %+v, %v", s, told, err)
	}
	return <-w.events
}

// sender is a fresh one, as after a restart.
func (w *world) sender(t *testing.T) channel.Sender {
	t.Helper()
	s, err := Adapter.Sender(w.account, w.host)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (w *world) send(t *testing.T, c engine.Command) string {
	t.Helper()
	note, err := w.sender(t).Send(t.Context(), &c)
	if err != nil {
		t.Fatalf("%s: %v", c.Action, err)
	}
	return note
}

func params(of map[string]string) map[string]any {
	m := make(map[string]any, len(of))
	for k, v := range of {
		m[k] = v
	}
	return m
}

func TestConversation(t *testing.T) {
	w := newWorld(t)
	e := w.tell(t, stub.Said{Kind: engine.FriendRequest, User: newbie, Name: "新<朋友>", Text: "我是\"小王\""})
	if e.Kind != engine.FriendRequest || e.Sender != newbie || e.SenderName != "新<朋友>" || e.Text != "我是\"小王\"" {
		t.Fatalf("request %+v", e)
	}
	w.send(t, engine.Command{Action: engine.AcceptFriend, Conversation: e.Conversation, Params: params(e.Params)})
	e = w.tell(t, stub.Said{Kind: engine.FriendAdded, User: newbie, Name: "新<朋友>"})
	if e.Kind != engine.FriendAdded || e.Conversation != newbie || e.SenderName != "新<朋友>" {
		t.Fatalf("added %+v", e)
	}
	note := w.send(t, engine.Command{Action: engine.SendText, Conversation: e.Conversation, Text: "您好！"})
	var ids map[string]any
	if err := json.Unmarshal([]byte(note), &ids); err != nil {
		t.Fatalf("note %q: %v", note, err)
	}
	w.send(t, engine.Command{Action: engine.RevokeMessage, Conversation: e.Conversation, Params: ids})

	var got []engine.Action
	for _, c := range w.Calls(func(c stub.Call) bool { return c.Action != "" }) {
		got = append(got, c.Action)
		if c.To != newbie || c.Header.Get("Authorization") != "t0ken" {
			t.Errorf("%s to %q", c.Action, c.To)
		}
	}
	want := []engine.Action{engine.AcceptFriend, engine.SendText, engine.RevokeMessage}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("the ledger has %v, want %v", got, want)
	}
}

// What the stub says of groups reads as it was said.
func TestGroupConversation(t *testing.T) {
	w := newWorld(t)
	e := w.tell(t, stub.Said{Group: room1, User: friend, Text: "@小助手 在吗", Mention: engine.MentionMe})
	if e.Mention != engine.MentionMe || e.Conversation != room1 || e.Sender != friend || !e.Group {
		t.Errorf("mention %+v", e)
	}
	if e := w.tell(t, stub.Said{Group: room1, User: friend, Text: "x", Mention: engine.MentionAll}); e.Mention != engine.MentionAll {
		t.Errorf("mention of all %+v", e)
	}
	e = w.tell(t, stub.Said{Kind: engine.MemberJoined, Group: room1, User: friend, Members: []string{newbie}})
	if e.Kind != engine.MemberJoined || e.Actor != friend || len(e.Members) != 1 || e.Members[0] != newbie {
		t.Errorf("joined %+v", e)
	}
	for _, typ := range []string{"image", "video", "voice", "link", "file", "quote"} {
		if e := w.tell(t, stub.Said{Group: room1, User: friend, Type: typ, Text: "T"}); e.Type != typ || e.Kind != engine.Message {
			t.Errorf("%s: %+v", typ, e)
		}
	}
}

// Between a message and its answer the process restarts: the event comes from
// its record, the sender is new, the instance is the one that was learned.
func TestAnswerAfterARestart(t *testing.T) {
	w := newWorld(t)
	said := w.tell(t, stub.Said{User: friend, Text: "在吗"})
	e, err := store.DecodeEvent(store.EncodeEvent(said))
	if err != nil {
		t.Fatal(err)
	}
	w.send(t, engine.Command{Action: engine.SendText, Conversation: e.Conversation, Text: "在"})
	calls := w.Calls(stub.Text(friend))
	if len(calls) != 1 || len(w.Calls(nil)) != 1 || calls[0].JSON()["wId"] != e.Learned[0].Value {
		t.Errorf("calls %+v, want one in the name of %+v", w.Calls(nil), e.Learned)
	}
}

// The account is logged out, then in again under a new instance.
func TestReturnFromOffline(t *testing.T) {
	w := newWorld(t)
	w.tell(t, stub.Said{User: friend, Text: "x"})
	if e := w.tell(t, stub.Said{Kind: engine.Offline, Text: "其他设备登录"}); e.Kind != engine.Offline || e.Text != "其他设备登录" {
		t.Fatalf("offline %+v", e)
	}
	s := w.sender(t)
	if online, note, err := s.(channel.Prober).Online(t.Context()); online || note != "其他设备登录" || err != nil {
		t.Errorf("online %v, %q, %v", online, note, err)
	}
	text := engine.Command{Action: engine.SendText, Conversation: friend, Text: "y"}
	_, err := s.Send(t.Context(), &text)
	wantClass(t, err, channel.Halted)

	if _, err := s.(channel.Caller).Call(t.Context(), "secondLogin", map[string]any{"wcId": bot}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Send(t.Context(), &text)
	wantClass(t, err, channel.Transient)
	if _, err = s.Send(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	if online, _, err := s.(channel.Prober).Online(t.Context()); !online || err != nil {
		t.Errorf("online %v, %v", online, err)
	}
	if calls := w.Calls(stub.Text(friend)); len(calls) != 1 {
		t.Errorf("%d texts were sent, want one", len(calls))
	}
}

func TestAWrongTokenIsRefused(t *testing.T) {
	w := newWorld(t)
	w.account.Token = "wrong"
	_, err := w.sender(t).Send(t.Context(), &engine.Command{Action: engine.SendText, Conversation: "u", Text: "x"})
	wantClass(t, err, channel.Credential)
}

// The platform says in its own words that it is too much, and that it failed.
func TestTroubleOfThePlatform(t *testing.T) {
	w := newWorld(t)
	text := engine.Command{Action: engine.SendText, Conversation: "u", Text: "x"}
	for _, tt := range []struct {
		o    stub.Options
		want channel.Class
	}{
		{stub.Options{Throttle: engine.Rate{N: 1, Per: time.Hour}}, channel.Throttled},
		{stub.Options{Fail: 1, Chance: func() float64 { return 0 }}, channel.Unsure},
		{stub.Options{Hang: 1, Chance: func() float64 { return 0 }}, channel.Unsure},
	} {
		tt.o.Protocol, tt.o.Account = wkteamstub.New, w.account
		tt.o.Account.WID = "w1"
		p, err := stub.New(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(p)
		a := tt.o.Account
		a.BaseURL = srv.URL
		s, err := newSender(a, w.host)
		if err != nil {
			t.Fatal(err)
		}
		if tt.o.Throttle.N > 0 {
			if _, err := s.Send(t.Context(), &text); err != nil {
				t.Fatal(err)
			}
		}
		_, err = s.Send(t.Context(), &text)
		wantClass(t, err, tt.want)
		srv.Close()
	}
}
