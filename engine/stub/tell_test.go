package stub

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

func TestTellsAgainUntilItIsHeard(t *testing.T) {
	for deaf, want := range map[int64]Told{
		0: {Status: 200, Body: []byte("heard"), Calls: 1, Taken: true},
		2: {Status: 200, Body: []byte("heard"), Calls: 3, Taken: true},
		9: {Status: 200, Body: []byte("what?"), Calls: 4},
	} {
		var calls atomic.Int64
		bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) <= deaf {
				io.WriteString(w, "what?")
				return
			}
			io.WriteString(w, "heard")
		}))
		got, err := newStub(t, Options{}).Tell(t.Context(), bot.URL, Said{Text: "hi"})
		if err != nil || got.Status != want.Status || string(got.Body) != string(want.Body) || got.Calls != want.Calls || got.Taken != want.Taken {
			t.Errorf("deaf to %d calls: %+v (%v), want %+v", deaf, got, err, want)
		}
		bot.Close()
	}
}

// Many who speak at once need no new connections the next time.
func TestCallbacksKeepTheirConnections(t *testing.T) {
	const voices, rounds = 20, 5
	var opened atomic.Int64
	var all sync.WaitGroup // of a round, so that all of them are under way at once
	bot := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		all.Done()
		all.Wait()
		io.WriteString(w, "heard")
	}))
	bot.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	bot.Start()
	defer bot.Close()
	s := newStub(t, Options{})
	for range rounds {
		all.Add(voices)
		var speakers sync.WaitGroup
		for range voices {
			speakers.Go(func() {
				if told, err := s.Tell(t.Context(), bot.URL, Said{}); err != nil || told.Calls != 1 {
					t.Errorf("told %+v (%v)", told, err)
				}
			})
		}
		speakers.Wait()
	}
	if n := opened.Load(); n > 2*voices {
		t.Errorf("%d connections for %d rounds of %d callbacks", n, rounds, voices)
	}
}
