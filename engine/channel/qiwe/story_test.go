package qiwe

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
	"bot/engine/stub"
	"bot/store"
)

// door takes callbacks as an engine would: what is learned is remembered and
// the events are handed on, through the store's records, to be handled later.
type door struct {
	url    string
	events chan []byte
	host   channel.Host
}

func open(t *testing.T, a channel.Account) *door {
	t.Helper()
	d := &door{events: make(chan []byte, 16), host: channeltest.Host(t)}
	r, err := newReceiver([]channel.Account{a}, d.host)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		receipt, err := r.Receive(&channel.Request{Method: q.Method, Header: q.Header, Body: body, Now: time.Now()})
		if refusal, ok := err.(*channel.Refusal); ok {
			w.WriteHeader(refusal.Answer.Status)
			return
		}
		for _, e := range receipt.Events {
			e.Kind = kindOf(d.host, e) // as in its own turn
			if err := d.host.Memory.Remember(q.Context(), e.Account, e.Learned...); err != nil {
				t.Error(err)
			}
			d.events <- store.EncodeEvent(e)
		}
		w.WriteHeader(receipt.Answer.Status)
		w.Write(receipt.Answer.Body)
	}))
	t.Cleanup(srv.Close)
	d.url = srv.URL
	return d
}

// next is the next event, as it is read back from its record.
func (d *door) next(t *testing.T) *engine.Event {
	t.Helper()
	select {
	case rec := <-d.events:
		e, err := store.DecodeEvent(rec)
		if err != nil {
			t.Fatal(err)
		}
		return e
	default:
		t.Fatal("no event")
		return nil
	}
}

// story is a platform, a door that it calls, and how to send.
func story(t *testing.T) (tell func(stub.Said), do func(*engine.Command) (string, error), p *stub.Stub, d *door) {
	t.Helper()
	a := ours()
	a.Secret = "s3cret"
	p, base := platform(t, stub.Options{Account: a})
	d = open(t, a)
	tell = func(s stub.Said) {
		t.Helper()
		if told, err := p.Tell(t.Context(), d.url, s); err != nil || !told.Taken || told.Calls != 1 {
			t.Fatalf("told %+v, %v", told, err)
		}
	}
	do = func(c *engine.Command) (string, error) { return fresh(t, d.host, base).Send(t.Context(), c) }
	return tell, do, p, d
}

// given is a command's params from an event's, which hold strings only.
func given(params map[string]string) map[string]any {
	m := make(map[string]any, len(params))
	for k, v := range params {
		m[k] = v
	}
	return m
}

func TestFromApplicationToFirstWord(t *testing.T) {
	tell, do, p, d := story(t)
	tell(stub.Said{Kind: engine.FriendRequest, User: friend, Name: "小测"})
	request := d.next(t)
	if request.Kind != engine.FriendRequest || request.SenderName != "小测" {
		t.Fatalf("got %+v", request)
	}
	if _, err := do(&engine.Command{Action: engine.AcceptFriend, Conversation: request.Conversation, Params: given(request.Params)}); err != nil {
		t.Fatal(err)
	}
	tell(stub.Said{Kind: engine.FriendAdded, User: friend})
	added := d.next(t)
	if added.Kind != engine.FriendAdded || added.Conversation != friend {
		t.Fatalf("got %+v", added)
	}
	if _, err := do(&engine.Command{Action: engine.SendText, Conversation: added.Conversation, Text: "欢迎"}); err != nil {
		t.Fatal(err)
	}
	var got []engine.Action
	for _, c := range p.Calls(nil) {
		got = append(got, c.Action)
	}
	if len(got) != 2 || got[0] != engine.AcceptFriend || got[1] != engine.SendText {
		t.Errorf("the platform saw %v", got)
	}
	if said := p.Calls(stub.Text(friend)); len(said) != 1 || said[0].Text != "欢迎" {
		t.Errorf("said %+v", said)
	}
}

// A sender that was made after a restart answers an event that was logged
// before it, and takes back what another has sent.
func TestARestartBetweenReceiptAndReply(t *testing.T) {
	tell, do, p, d := story(t)
	tell(stub.Said{User: friend, Group: roomID, Text: "@小助手 几点", Mention: engine.MentionMe})
	asked := d.next(t)
	if asked.Mention != engine.MentionMe || asked.Conversation != roomID || asked.Sender != friend {
		t.Fatalf("got %+v", asked)
	}
	note, err := do(&engine.Command{Action: engine.SendText, Conversation: asked.Conversation, Text: "三点", Params: map[string]any{"at": []any{asked.Sender}}})
	if err != nil {
		t.Fatal(err)
	}
	if said := p.Calls(stub.Text(roomID)); len(said) != 1 || said[0].Text != "@"+friend+" 三点" {
		t.Errorf("said %+v", said)
	}
	var params map[string]any
	if err := json.Unmarshal([]byte(note), &params); err != nil || len(note) > channel.MaxNote {
		t.Fatalf("note %q: %v", note, err)
	}
	if _, err := do(&engine.Command{Action: engine.RevokeMessage, Conversation: roomID, Params: params}); err != nil {
		t.Error(err)
	}
}

func TestLoggedOutAndBack(t *testing.T) {
	tell, do, _, d := story(t)
	c := &engine.Command{Action: engine.SendText, Conversation: friend, Text: "x"}
	tell(stub.Said{Kind: engine.Offline, Text: "已退出"})
	gone := d.next(t)
	if gone.Kind != engine.Offline || gone.Text != "已退出" {
		t.Errorf("got %+v", gone)
	}
	_, err := do(c)
	if e, ok := err.(*channel.SendError); !ok || e.Class != channel.Halted {
		t.Errorf("got %v, want it halted", err)
	}
	tell(stub.Said{Kind: engine.Online})
	if back := d.next(t); back.Kind != engine.Online || back.Conversation != gone.Conversation {
		t.Errorf("got %+v, want it in the conversation of %+v", back, gone)
	}
	if _, err := do(c); err != nil {
		t.Error(err)
	}
}

func TestANewGroupIsNotedByItsID(t *testing.T) {
	_, do, _, _ := story(t)
	note, err := do(&engine.Command{Action: engine.CreateGroup, Params: map[string]any{"members": []any{friend}}})
	if err != nil || note != `{"roomId":"10800000000000001"}` {
		t.Errorf("noted %s, %v", note, err)
	}
}

func TestMembersWhoJoined(t *testing.T) {
	tell, _, _, d := story(t)
	tell(stub.Said{Kind: engine.MemberJoined, User: "1688000000000002", Group: roomID, Members: []string{friend, "7881300000000002"}})
	if e := d.next(t); e.Kind != engine.MemberJoined || len(e.Members) != 2 || e.Actor != "1688000000000002" || !e.Group {
		t.Errorf("got %+v", e)
	}
}
