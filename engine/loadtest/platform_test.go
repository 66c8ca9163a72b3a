package loadtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// newRunning is a platform that serves until the test ends, whose generator
// has sent the events 0 to 99 to ten people.
func newRunning(t *testing.T, m Manners) *platform {
	t.Helper()
	led := newLedger()
	for i := range uint64(100) {
		led.sent(i, led.now())
		led.acked(i)
	}
	p, err := newPlatform(m, people, led)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); p.run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return p
}

// reply sends one as net/http's client does, and returns the status.
func (p *platform) reply(t *testing.T, c *http.Client, event int, key string) int {
	t.Helper()
	body := fmt.Sprintf(`{"appId":"","content":"#%010d","to":"wxid_load_%08d"}`, event, event%people)
	req, err := http.NewRequest(http.MethodPost, p.url()+"/v1/message/send_text", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func newHTTPClient(t *testing.T) *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func TestPlatformKeepsTheLedger(t *testing.T) {
	p, c := newRunning(t, Manners{}), newHTTPClient(t)
	for event := range 50 {
		if got := p.reply(t, c, event, fmt.Sprint("key", event)); got != 200 {
			t.Fatalf("reply %d answered %d", event, got)
		}
	}
	p.reply(t, c, 7, "key7")
	p.reply(t, c, 8, "another")
	p.reply(t, c, 500, "key500")
	got := p.ledger.sum()
	if want := (Totals{Acked: 100, Delivered: 50, Waiting: 50, Repeated: 1, Doubled: 1, Stray: 1}); got != want {
		t.Errorf("the ledger has %+v, want %+v", got, want)
	}
}

func TestWhatThePlatformRefusesIsNotDelivered(t *testing.T) {
	tests := []struct {
		name    string
		manners Manners
		status  int
	}{
		{"failing", Manners{Fail: 0.5}, 500},
		{"throttled", Manners{Throttle: engine.Rate{N: 1, Per: time.Hour}}, 429},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, c := newRunning(t, tt.manners), newHTTPClient(t)
			answered := make(map[int]int)
			for event := range 60 {
				answered[p.reply(t, c, event, fmt.Sprint(event))]++
			}
			if got := p.ledger.sum().Delivered; got != answered[200] || answered[200] == 0 || answered[tt.status] < 10 {
				t.Errorf("%d delivered, answers %v", got, answered)
			}
		})
	}
}

func TestPlatformTakesItsTime(t *testing.T) {
	p, c := newRunning(t, Manners{Delay: 30 * time.Millisecond}), newHTTPClient(t)
	begin := time.Now()
	p.reply(t, c, 1, "k")
	if took := time.Since(begin); took < 30*time.Millisecond {
		t.Errorf("answered after %v", took)
	}
	if got := p.ledger.latency().Max; got > 30 {
		t.Errorf("arrived after %v ms: the platform's own delay is charged to the engine", got)
	}
}

func TestPlatformCountsWhatBelongsToNoEvent(t *testing.T) {
	p, c := newRunning(t, Manners{}), newHTTPClient(t)
	resp, err := c.Post(p.url(), "application/json", strings.NewReader(`{"scene":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if p.malformed.Load() != 1 || p.ledger.sum().Delivered != 0 {
		t.Errorf("%d malformed, %+v", p.malformed.Load(), p.ledger.sum())
	}
}

func TestPlatformHangsUpOnNonsense(t *testing.T) {
	p := newRunning(t, Manners{})
	for _, request := range []string{
		"GET / HTTP/1.1\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", p.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, request)
		if _, err := bufio.NewReader(conn).ReadByte(); err == nil {
			t.Errorf("%q is answered", request)
		}
		conn.Close()
	}
}

func TestPlatformHangsUpOnWhatItCarriedOut(t *testing.T) {
	p, c := newRunning(t, Manners{HangUp: 1}), newHTTPClient(t)
	req := strings.NewReader(`{"content":"#0000000001","to":"wxid_load_00000001"}`)
	if resp, err := c.Post(p.url(), "application/json", req); err == nil {
		resp.Body.Close()
		t.Error("it is answered")
	}
	if got := p.counts(); got != (Platform{HungUp: 1}) || p.ledger.sum().Delivered != 1 {
		t.Errorf("%+v, %d delivered", got, p.ledger.sum().Delivered)
	}
}

func TestAnOutageEnds(t *testing.T) {
	const down = 200 * time.Millisecond
	p, c := newRunning(t, Manners{Up: down}), newHTTPClient(t)
	p.begin()
	begin := time.Now()
	for p.reply(t, c, 1, "k") != http.StatusOK {
		if p.ledger.sum().Delivered != 0 {
			t.Fatal("what is refused is carried out")
		}
	}
	if took := time.Since(begin); took < down || p.counts().Failed == 0 {
		t.Errorf("it was over after %v and %+v", took, p.counts())
	}
}

func TestProfilesAreWhatTheySay(t *testing.T) {
	for _, p := range Profiles() {
		m := p.manners(500, time.Second, 9*time.Second)
		if calm := m == (Manners{}); calm != (p.Name == "calm") {
			t.Errorf("%s is %+v", p.Name, m)
		}
	}
	outage, err := profileNamed("outage")
	if m := outage.manners(500, time.Second, 9*time.Second); err != nil || m.Down != 4*time.Second || m.Up != 7*time.Second {
		t.Errorf("an outage from %v until %v, %v", m.Down, m.Up, err)
	}
	throttled, _ := profileNamed("throttled")
	if m := throttled.manners(500, 0, 0); m.Throttle.PerSecond() != 400 {
		t.Errorf("throttled to %v", m.Throttle.PerSecond())
	}
	given := Manners{Delay: time.Second}
	if m := given.or(Manners{Delay: time.Minute, Fail: 0.2}); m != (Manners{Delay: time.Second, Fail: 0.2}) {
		t.Errorf("what is given does not go before the profile's: %+v", m)
	}
}
