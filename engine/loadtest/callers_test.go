package loadtest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

func dialectOf(t *testing.T, name string) dialect {
	t.Helper()
	for _, d := range dialects {
		if d.name == name {
			return d
		}
	}
	t.Fatalf("there is no dialect %q", name)
	return dialect{}
}

// talkTo has n callers write to a handler in the place of the engine.
func talkTo(t *testing.T, d dialect, n, events int, h func(c *callers, r *http.Request)) *callers {
	t.Helper()
	c := newCallers(d, n, events, newLedger())
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { h(c, r) }))
	t.Cleanup(srv.Close)
	platform, err := stub.New(stub.Options{Protocol: d.speaks, Account: d.account, Script: c.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(platform.Close)
	c.platform, c.target = platform, srv.URL
	return c
}

func TestCallersTellOneInTenTwice(t *testing.T) {
	var mu sync.Mutex
	told := make(map[string]int)
	c := talkTo(t, dialectOf(t, "generic"), 2, 40, func(c *callers, r *http.Request) {
		var said struct{ Sender, Content, Msg_ID string }
		if err := json.NewDecoder(r.Body).Decode(&said); err != nil {
			t.Error(err)
		}
		mu.Lock()
		told[said.Msg_ID+said.Sender+said.Content]++
		first := told[said.Msg_ID+said.Sender+said.Content] == 1
		mu.Unlock()
		if first {
			c.hear(stub.Call{Action: engine.SendText, To: said.Sender, Text: said.Content})
		}
	})
	c.measure()
	sent, err := c.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	twice := 0
	for _, n := range told {
		twice += n - 1
	}
	if len(told) != 40 || twice != 4 {
		t.Errorf("%d different messages, %d repeats", len(told), twice)
	}
	if sent.ok != 44 || sent.statuses[200] != 44 || sent.failed != 0 {
		t.Errorf("answered: %+v", sent)
	}
	if got, want := c.ledger.sum(), (Totals{Acked: 40, Delivered: 40}); got != want {
		t.Errorf("the ledger has %+v, want %+v", got, want)
	}
}

func TestACallerIsNotFarAheadOfTheAnswers(t *testing.T) {
	var mu sync.Mutex
	signatures := make(map[string]bool)
	c := talkTo(t, dialectOf(t, "wecom app"), 1, 100, func(_ *callers, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		signatures[r.URL.Query().Get("msg_signature")] = true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := c.run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := c.ledger.sum(); got.Acked != maxAhead || got.Waiting != maxAhead {
		t.Errorf("without an answer: %+v", got)
	}
	if len(signatures) != maxAhead+1 { // the first message is told twice, signed anew
		t.Errorf("%d signatures", len(signatures))
	}
}

func TestARefusedMessageIsNotToldAgainLater(t *testing.T) {
	c := talkTo(t, dialectOf(t, "gewe v1.0"), 1, 20, func(_ *callers, r *http.Request) {
		panic(http.ErrAbortHandler)
	})
	sent, err := c.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := c.ledger.sum(); got != (Totals{}) || sent.failed != 20 || sent.lastError == nil {
		t.Errorf("failed %d (%v), ledger %+v", sent.failed, sent.lastError, got)
	}
}

func TestWhatTheCallersHear(t *testing.T) {
	d := dialectOf(t, "wecom customer service")
	text := func(caller int, event string) stub.Call {
		return stub.Call{Action: engine.SendText, To: d.conversation(caller), Text: event + " 您好", Key: "kf/1"}
	}
	tests := []struct {
		name      string
		calls     []stub.Call
		want      Totals
		malformed int64
	}{
		{"an answer", []stub.Call{text(0, "0000000002")}, Totals{Delivered: 1}, 0},
		{"the same under the same key", []stub.Call{text(0, "0000000002"), text(0, "0000000002")}, Totals{Delivered: 1, Doubled: 1}, 0},
		{"the later first", []stub.Call{text(0, "0000000002"), text(0, "0000000000")}, Totals{Delivered: 2, Disordered: 1}, 0},
		{"one to somebody else", []stub.Call{text(1, "0000000002")}, Totals{Stray: 1}, 0},
		{"one to what nobody said", []stub.Call{text(0, "0000000004")}, Totals{Stray: 1}, 0},
		{"one to nobody", []stub.Call{text(2, "0000000002")}, Totals{}, 1},
		{"words of its own", []stub.Call{text(0, "sorry")}, Totals{}, 1},
		{"a picture", []stub.Call{{Action: engine.SendImage, To: d.conversation(0), Text: "0000000002"}}, Totals{}, 1},
		{"a token is fetched", []stub.Call{{Path: "/cgi-bin/gettoken"}}, Totals{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCallers(d, 2, 10, newLedger())
			for i := range uint64(4) {
				c.ledger.sent(i, c.ledger.now())
			}
			for _, call := range tt.calls {
				if a := c.hear(call); a != nil {
					t.Errorf("answers %+v in the platform's place", a)
				}
			}
			if got := c.ledger.sum(); got != tt.want || c.malformed.Load() != tt.malformed {
				t.Errorf("%+v and %d malformed, want %+v and %d", got, c.malformed.Load(), tt.want, tt.malformed)
			}
		})
	}
}

func TestEventsInTexts(t *testing.T) {
	for text, want := range map[string]uint64{"0000000042 您好": 42, "0000000042": 42} {
		if i, ok := eventOf(text); !ok || i != want {
			t.Errorf("%q is event %d (%v)", text, i, ok)
		}
	}
	for _, text := range []string{"", "42", "#000000042", "-000000042", strings.Repeat("您", 10)} {
		if i, ok := eventOf(text); ok {
			t.Errorf("%q is event %d", text, i)
		}
	}
}
