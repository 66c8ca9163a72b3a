package wecom

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/wecom/wecomstub"
	"bot/engine/stub"
)

func TestConversationWithAMember(t *testing.T) {
	w := newWorld(t, appAccount)
	e := w.tell(stub.Said{User: "LiNa", Text: "绑定 <b>&amp;</b> ]]> 👍"})
	if e.Conversation != "lina" || e.Text != "绑定 <b>&amp;</b> ]]> 👍" || e.Receiver != "1000002" {
		t.Fatalf("got %+v", e)
	}
	if err := w.reply(e, "t1", "请输入手机号"); err != nil {
		t.Fatal(err)
	}
	wecomstub.Of(w.Stub).ExpireTokens() // as they may before their time
	if err := w.reply(e, "t2", "手机号格式不对"); err != nil {
		t.Fatal(err)
	}
	w.restart()
	if err := w.reply(e, "t3", "绑定成功"); err != nil {
		t.Fatal(err)
	}
	if n := wecomstub.Of(w.Stub).Counts().Tokens; n != 2 {
		t.Errorf("%d tokens fetched, want 2: a restart fetches none", n)
	}
	var said []string
	for _, c := range w.Calls(stub.Text("lina")) {
		if strings.Contains(string(c.Body), "手机号格式不对") && len(said) > 0 && said[len(said)-1] == c.Text {
			continue // refused with the old token, and repeated
		}
		said = append(said, c.Text)
	}
	if got := strings.Join(said, "|"); got != "请输入手机号|手机号格式不对|绑定成功" {
		t.Errorf("lina read %s", got)
	}
	for _, kind := range []string{"image", "voice", "video", "location", "link"} {
		if e := w.tell(stub.Said{User: "lina", Type: kind, Text: "T"}); e.Kind != engine.Message || e.Type != kind {
			t.Errorf("%s: got %+v", kind, e)
		}
	}
	if e := w.tell(stub.Said{Kind: engine.Button, User: "lina", Text: "btn"}); e.Kind != engine.Button || e.Text != "btn" || e.Params["response_code"] == "" {
		t.Errorf("a button: got %+v", e)
	}
}

// Whatever becomes of the first calls, the message is handled once.
func TestRepeatsOfTheCallback(t *testing.T) {
	w := newWorld(t, appAccount)
	hangUp := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	busy := func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }
	handled := func(rw http.ResponseWriter, r *http.Request) { // and then the connection breaks
		w.serve(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	w.fails = []http.HandlerFunc{busy, handled, hangUp}
	told, err := w.Tell(t.Context(), w.target, stub.Said{User: "lina", Text: "hi"})
	if err != nil || !told.Taken || told.Calls != 4 || len(w.events) != 1 {
		t.Errorf("told %+v, %v; %d events, want one after four calls", told, err, len(w.events))
	}
	w.fails = []http.HandlerFunc{busy, busy, busy, busy}
	if told, _ := w.Tell(t.Context(), w.target, stub.Said{User: "lina", Text: "hi"}); told.Taken || told.Calls != 4 {
		t.Errorf("told %+v, want it given up after three repeats", told)
	}
}

func TestConversationWithANewCustomer(t *testing.T) {
	const new1, new2 = "wmSTUB00000000000000000000000001", "wmSTUB00000000000000000000000002"
	w := newWorld(t, appAccount)
	e := w.tell(stub.Said{Kind: engine.FriendAdded, User: new1, Type: "half", Text: "channel_a1", Members: []string{"Lina"}})
	if e.Kind != engine.FriendAdded || e.Conversation != new1 || e.Params["state"] != "channel_a1" || e.Params["user_id"] != "lina" {
		t.Fatalf("got %+v", e)
	}
	if again := w.tell(stub.Said{Kind: engine.FriendAdded, User: new1, Members: []string{"lina"}}); again.Fact != e.Fact {
		t.Errorf("facts %q and %q: the member's consent is no second addition", e.Fact, again.Fact)
	}
	w.clock.pass(2 * time.Second)
	if err := w.reply(e, "t1", "您好！"); err != nil {
		t.Fatal(err)
	}
	if c := w.Calls(stub.Text(new1)); len(c) != 1 || c[0].Text != "您好！" {
		t.Errorf("welcomed with %+v", c)
	}
	late := w.tell(stub.Said{Kind: engine.FriendAdded, User: new2})
	w.clock.pass(18 * time.Second)
	if err := w.reply(late, "t2", "您好！"); err == nil || err.(*channel.SendError).Class != channel.Permanent {
		t.Errorf("after 18 seconds: %v, want it given up", err)
	}
	if e := w.tell(stub.Said{Kind: engine.FriendLost, User: new1, Members: []string{"LINA"}}); e.Kind != engine.FriendLost || e.Fact != w.events[0].Fact {
		t.Errorf("got %+v, want the end of what began", e)
	}
	e = w.tell(stub.Said{Kind: engine.MemberRemoved, Group: "wrGroup1", Members: []string{new1}})
	if e.Kind != engine.MemberRemoved || e.Conversation != "wrGroup1" || len(e.Members) != 1 {
		t.Errorf("got %+v", e)
	}
}

func TestConversationInCustomerService(t *testing.T) {
	w := newWorld(t, appAccount)
	told, err := w.Tell(t.Context(), w.target, stub.Said{User: "wmA", Group: "wkShop", Text: "在吗"})
	if err != nil || !told.Taken || len(w.events) > 0 || len(w.bells) != 1 {
		t.Fatalf("told %+v, %v; %d events and %d bells, want the bell alone", told, err, len(w.events), len(w.bells))
	}
	var pulled []*engine.Event
	for cursor, more := "", true; more; {
		page, err := w.sender.(channel.Puller).Pull(t.Context(), w.bells[0].Source, w.bells[0].Token, cursor)
		if err != nil {
			t.Fatal(err)
		}
		pulled, cursor, more = append(pulled, page.Events...), page.Cursor, page.More
	}
	if len(pulled) != 1 || pulled[0].Text != "在吗" || pulled[0].Conversation != "wkShop/wmA" {
		t.Fatalf("pulled %+v", pulled)
	}
	if err := w.reply(pulled[0], "t1", "您好"); err != nil {
		t.Fatal(err)
	}
	if c := w.Calls(stub.Text("wkShop/wmA")); len(c) != 1 || c[0].Text != "您好" {
		t.Errorf("answered with %+v", c)
	}
}

// answerTo plays the engine's part of an AI bot's message: the act that handles
// the event, then its commands.
func (w *world) answerTo(texts ...string) {
	w.handle = func(e *engine.Event) {
		notes := append(e.Learned, engine.Note{Key: e.Tally, Value: strconv.Itoa(len(texts)), Expires: e.Ticket.Expires})
		if err := w.memory.Remember(context.Background(), w.account.Name, notes...); err != nil {
			w.t.Error(err)
		}
		for n, text := range texts {
			if err := w.reply(e, "t"+strconv.Itoa(n), text); err != nil {
				w.t.Error(err)
			}
		}
	}
}

func TestConversationWithAnAIBot(t *testing.T) {
	w := newWorld(t, botAccount)
	w.answerTo("订单 42：已发货", "还有什么可以帮您？")
	got, err := wecomstub.Ask(t.Context(), w.Stub, w.target, stub.Said{User: "lina", Text: "查订单 42"}, time.Millisecond)
	if err != nil || !got.Finished || len(w.events) != 1 {
		t.Fatalf("saw %+v, %v; %d events: polls are none", got, err, len(w.events))
	}
	for _, text := range []string{"订单 42：已发货", "还有什么可以帮您？"} {
		if !strings.Contains(got.Text(), text) {
			t.Errorf("saw %q, want %q in it", got.Text(), text)
		}
	}
	if e := w.events[0]; e.Text != "查订单 42" || e.Conversation != "lina" {
		t.Errorf("got %+v", e)
	}
	w.answerTo()
	if got, err := wecomstub.Ask(t.Context(), w.Stub, w.target, stub.Said{User: "lina", Group: "chat1", Text: "算了"}, time.Millisecond); err != nil || !got.Finished || got.Text() != "" {
		t.Errorf("nobody answers: saw %+v, %v, want it finished", got, err)
	}
	if e := w.events[1]; e.Text != "@示例机器人 算了" || e.Conversation != "chat1" || e.Mention != engine.MentionMe {
		t.Errorf("got %+v, want it with the mention, which the engine takes off", e)
	}
}

// An answer that takes longer than the stream lives comes by the response_url,
// once, even after a restart.
func TestAnAIBotThatThinksForLong(t *testing.T) {
	w := newWorld(t, botAccount)
	w.handle = func(e *engine.Event) {
		notes := append(e.Learned, engine.Note{Key: e.Tally, Value: "1", Expires: e.Ticket.Expires})
		if err := w.memory.Remember(context.Background(), w.account.Name, notes...); err != nil {
			t.Error(err)
		}
		w.clock.pass(5*time.Minute + 31*time.Second)
	}
	got, err := wecomstub.Ask(t.Context(), w.Stub, w.target, stub.Said{User: "lina", Text: "写首诗"}, time.Millisecond)
	if err != nil || !got.Finished || got.Text() != stillWorking {
		t.Fatalf("saw %+v, %v, want it told that it takes time", got, err)
	}
	w.restart()
	if err := w.reply(w.events[0], "t1", "床前明月光"); err != nil {
		t.Fatal(err)
	}
	if err := w.reply(w.events[0], "t2", "疑是地上霜"); err == nil {
		t.Error("a response_url was good twice")
	}
	calls := w.Calls(func(c stub.Call) bool { return c.To == "lina" })
	if len(calls) != 1 || calls[0].Text != "床前明月光" {
		t.Errorf("posted %+v", calls)
	}
}

// A bot that does not work is asked for six minutes and then left alone.
func TestAnAIBotWhoseEventsAreNotHandled(t *testing.T) {
	w := newWorld(t, botAccount)
	ticks, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { // time passes, whatever is done
		for ticks.Err() == nil {
			w.clock.pass(10 * time.Second)
			time.Sleep(time.Millisecond)
		}
	}()
	got, err := wecomstub.Ask(t.Context(), w.Stub, w.target, stub.Said{User: "lina", Text: "hi"}, time.Millisecond)
	if err != nil || got.Finished || got.Text() != "" {
		t.Errorf("saw %+v, %v, want the stream left open", got, err)
	}
}

func TestARobotsWords(t *testing.T) {
	p, err := stub.New(stub.Options{Protocol: wecomstub.New, Account: channel.Account{Key: "robot-key"}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- p.Run(ctx, l) }()
	s, err := Adapter.Sender(channel.Account{Name: "r", Form: "robot", Key: "robot-key", BaseURL: "http://" + l.Addr().String()}, channeltest.Host(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), &engine.Command{TaskID: "t", Conversation: "anywhere", Action: engine.SendText, Text: "早"}); err != nil {
		t.Error(err)
	}
	if c := p.Calls(stub.Text("")); len(c) != 1 || c[0].Text != "早" {
		t.Errorf("the group read %+v", c)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
