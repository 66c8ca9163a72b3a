package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
)

// pager is a receiver of webhooks.
type pager struct {
	*httptest.Server
	mu   sync.Mutex
	told []page
}

type page struct {
	Text   string
	Alerts []struct{ Kind, Account, Subject, State, Text string }
}

func newPager(t *testing.T) *pager {
	p := &pager{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var told page
		if err := json.Unmarshal(body, &told); err != nil {
			t.Errorf("%v in %s", err, body)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.told = append(p.told, told)
	}))
	t.Cleanup(p.Close)
	return p
}

// table is the [alert] of a configuration whose alerts go to the pager.
func (p *pager) table(more string) string {
	return "\n[alert]\nwebhook = \"" + p.URL + "/hook?key=KEY-recognisable\"\nwebhook_private = true\n" + more + "\n"
}

// lines are what was told, as "kind account subject state".
func (p *pager) lines() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, told := range p.told {
		for _, l := range told.Alerts {
			all = append(all, strings.Join([]string{l.Kind, l.Account, l.Subject, l.State}, " "))
		}
	}
	return all
}

func (p *pager) messages() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.told)
}

func (p *pager) has(line string) func() bool {
	return func() bool {
		for _, l := range p.lines() {
			if l == line {
				return true
			}
		}
		return false
	}
}

// refusing answers every message with a status.
func refusing(status int) stub.Options {
	return stub.Options{Script: func(stub.Call) *stub.Answer { return &stub.Answer{Status: status} }}
}

func TestManyDeadLettersAreOneAlert(t *testing.T) {
	t.Parallel()
	p := newPager(t)
	r := start(t, refusing(400), shop+echo+p.table(""))
	for _, id := range numbered("m", 30) {
		r.say(id, "u-"+id, "hello")
	}
	r.until("an alert", p.has("dead_letter shop permanent firing"))
	time.Sleep(100 * time.Millisecond)
	if n := p.messages(); n != 1 {
		t.Errorf("%d messages: %q", n, p.lines())
	}
	if p.told[0].Alerts[0].Text == "" || !strings.Contains(p.told[0].Text, "30 次") {
		t.Errorf("%+v", p.told[0])
	}
}

func TestATroubleOfAnAccountIsToldAndItsEnd(t *testing.T) {
	t.Parallel()
	p := newPager(t)
	r := newRig(t, stub.Options{})
	down := r.platformUp()
	r.configure(shop + echo + p.table(""))
	down()
	r.begin()
	r.say("m1", "u", "hello")
	r.until("an alert", p.has("breaker shop  firing"))
	if h := r.status().Accounts[0]; h.Health != "held" || h.LastError.Class != "unreachable" || h.LastCallback.IsZero() || !h.LastSent.IsZero() {
		t.Errorf("%+v", h)
	}
	t.Cleanup(r.platformUp())
	r.until("its end", p.has("breaker shop  recovered"))
	if h := r.status().Accounts[0]; h.Health != "ok" || h.LastSent.IsZero() {
		t.Errorf("%+v", h)
	}
}

func TestAlertsOfAnAccountThatIsHeldGoByTheOtherWay(t *testing.T) {
	t.Parallel()
	p := newPager(t)
	r := start(t, stub.Options{}, shop+echo+p.table(`to = {account = "shop", to = "staff-room"}`))
	var ways struct{ Ways map[string]string }
	r.admin(http.MethodPost, "/api/v1/alerts/test", "", &ways)
	if ways.Ways["conversation"] != "told" || ways.Ways["webhook"] != "told" {
		t.Errorf("%v", ways)
	}
	if got := r.texts("staff-room", 1); len(got) != 1 || !strings.Contains(got[0], "告警会发到这里") {
		t.Errorf("said %q", got)
	}
	r.admin(http.MethodPost, "/api/v1/pause", `{"account":"shop","by":"wang"}`, nil)
	r.admin(http.MethodPost, "/api/v1/alerts/test", "", &ways)
	if !strings.Contains(ways.Ways["conversation"], `account "shop" sends nothing: paused: by wang since 20`) || ways.Ways["webhook"] != "told" {
		t.Errorf("%v", ways)
	}
	if h := r.status().Accounts[0]; h.Health != "held" || !strings.HasPrefix(h.Held, "paused: by wang since ") {
		t.Errorf("%+v", h)
	}
}

// An alert that cannot be delivered is a dead letter, of which no alert is raised.
func TestAnAlertRaisesNone(t *testing.T) {
	t.Parallel()
	r := start(t, refusing(400), shop+echo+"\n[alert]\nto = {account = \"shop\", to = \"staff-room\"}\n")
	r.admin(http.MethodPost, "/api/v1/alerts/test", "", nil)
	r.until("it is dead", func() bool { return r.status().Dead == 1 })
	time.Sleep(4 * time.Second)
	if n := r.status().Dead; n != 1 {
		t.Errorf("%d dead letters", n)
	}
}

func TestAPauseKeepsItsBeginningAcrossRestarts(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	r.admin(http.MethodPost, "/api/v1/pause", `{"account":"shop","by":"wang"}`, nil)
	first := r.status().Held["shop"]
	r.end()
	r.begin()
	time.Sleep(time.Second)
	r.admin(http.MethodPost, "/api/v1/pause", `{"account":"shop","by":"li"}`, nil)
	if got := r.status().Held["shop"]; got != first || first == "" {
		t.Errorf("%q, before %q", got, first)
	}
}

func TestAlertsFollowAReload(t *testing.T) {
	t.Parallel()
	p := newPager(t)
	r := start(t, refusing(400), shop+echo)
	r.configure(shop + echo + p.table(`except = ["dead_letter"]`))
	if err := r.life.app.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.say("m1", "u", "hello")
	r.until("it is dead", func() bool { return r.status().Dead == 1 })
	var ways struct{ Ways map[string]string }
	r.admin(http.MethodPost, "/api/v1/alerts/test", "", &ways)
	if ways.Ways["webhook"] != "told" || p.has("dead_letter shop permanent firing")() {
		t.Errorf("%v, %q", ways, p.lines())
	}
}

func TestAFailedScheduleIsAnAlertUntilItRunsAgain(t *testing.T) {
	t.Parallel()
	p := newPager(t)
	const once = "[queue]\nattempts = 1\n"
	fails := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(fails.Close)
	r := start(t, stub.Options{}, once+shop+p.table("")+"[[schedule]]\nname = \"morning\"\ncron = \"0 9 1 1 *\"\nhttp = {url = \""+fails.URL+"\", retries = 0}\n")
	r.admin(http.MethodPost, "/api/v1/schedules/morning/run", "", nil)
	r.until("an alert", p.has("schedule shop morning firing"))
	r.configure(once + shop + p.table("") + "[[schedule]]\nname = \"morning\"\ncron = \"0 9 1 1 *\"\ntext = \"早\"\nto = \"room\"\n")
	if err := r.life.app.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.admin(http.MethodPost, "/api/v1/schedules/morning/run", "", nil)
	r.until("its end", p.has("schedule shop morning recovered"))
}
