package wecom

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/wecom/wecomstub"
	"bot/engine/stub"
	"bot/store"
)

// world is an account between its platform and an engine that does the least:
// it takes callbacks, once each, and remembers what it is told to.
type world struct {
	*stub.Stub
	t       *testing.T
	account channel.Account
	sender  channel.Sender
	memory  *channeltest.Memory
	target  string // of callbacks
	clock   *clock

	mu     sync.Mutex
	seen   map[engine.Key]bool
	events []*engine.Event
	bells  []channel.Doorbell
	// fails makes the next callbacks fail in other ways than by a refusal.
	fails []http.HandlerFunc
	// handle is what the engine does with an event.
	handle func(e *engine.Event)
}

func newWorld(t *testing.T, a channel.Account) *world {
	t.Helper()
	w := &world{t: t, account: a, clock: &clock{at: noon}, seen: make(map[engine.Key]bool)}
	w.memory = &channeltest.Memory{Now: w.clock.now}
	platform, bot := httptest.NewUnstartedServer(nil), httptest.NewServer(http.HandlerFunc(w.callback))
	w.account.BaseURL = "http://" + platform.Listener.Addr().String()
	var err error
	if w.Stub, err = stub.New(stub.Options{Protocol: wecomstub.New, Account: w.account, Now: w.clock.now}); err != nil {
		t.Fatal(err)
	}
	platform.Config.Handler = w.Stub
	platform.Start()
	w.target = bot.URL + "/callback/wecom"
	w.restart()
	t.Cleanup(func() {
		bot.Close()
		platform.Close()
		w.Close()
	})
	return w
}

func (w *world) host() channel.Host {
	h := channeltest.Host(w.t)
	h.Memory, h.Now = w.memory, w.clock.now
	return h
}

// restart makes a sender that knows what is remembered and no more.
func (w *world) restart() {
	w.t.Helper()
	var err error
	if w.sender, err = Adapter.Sender(w.account, w.host()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) callback(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.fails) > 0 {
		fail := w.fails[0]
		w.fails = w.fails[1:]
		fail(rw, r)
		return
	}
	w.serve(rw, r)
}

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	receiver, err := Adapter.Receiver([]channel.Account{w.account}, w.host())
	if err != nil {
		w.t.Error(err)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.t.Error(err)
	}
	receipt, err := receiver.Receive(&channel.Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header, Body: body, Now: w.clock.now(),
	})
	if refusal, ok := err.(*channel.Refusal); ok {
		w.t.Errorf("refused: %v", refusal)
		receipt.Answer = refusal.Answer
	}
	for _, e := range receipt.Events {
		if !w.seen[e.Key()] {
			w.seen[e.Key()] = true
			w.take(e)
		}
	}
	w.bells = append(w.bells, receipt.Doorbells...)
	rw.Header().Set("Content-Type", receipt.Answer.ContentType)
	rw.WriteHeader(receipt.Answer.Status)
	rw.Write(receipt.Answer.Body)
}

// take keeps an event as the store gives it back.
func (w *world) take(e *engine.Event) {
	e.Received = w.clock.now()
	kept, err := store.DecodeEvent(store.EncodeEvent(e))
	if err != nil {
		w.t.Errorf("event %+v: %v", e, err)
		return
	}
	w.events = append(w.events, kept)
	if w.handle != nil {
		w.handle(kept)
	}
}

// tell has something happen, and returns the event that it is.
func (w *world) tell(s stub.Said) *engine.Event {
	w.t.Helper()
	before := len(w.events)
	told, err := w.Tell(w.t.Context(), w.target, s)
	if err != nil || !told.Taken {
		w.t.Fatalf("%+v: told %+v, %v", s, told, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.events) != before+1 {
		w.t.Fatalf("%+v: %d events, want one", s, len(w.events)-before)
	}
	return w.events[before]
}

// reply answers an event with a text.
func (w *world) reply(e *engine.Event, task, text string) error {
	_, err := w.sender.Send(w.t.Context(), &engine.Command{
		TaskID: task, Account: w.account.Name, Conversation: e.Conversation, Action: engine.SendText, Text: text, Ticket: e.Ticket,
	})
	return err
}
