package app_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"bot/engine/stub"
)

// erp is another system that skills call.
type erp struct {
	*httptest.Server
	mu     sync.Mutex
	keys   []string // of the requests, in their order
	conns  map[net.Conn]http.ConnState
	stalls bool
}

func newERP(t *testing.T) *erp {
	e := &erp{conns: make(map[net.Conn]http.ConnState)}
	e.Server = httptest.NewUnstartedServer(e)
	e.Config.ConnState = func(c net.Conn, s http.ConnState) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.conns[c] = s
	}
	e.Start()
	t.Cleanup(e.Close)
	return e
}

func (e *erp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	e.mu.Lock()
	e.keys = append(e.keys, r.Header.Get("Idempotency-Key"))
	stalls := e.stalls
	e.mu.Unlock()
	if stalls {
		<-r.Context().Done()
		return
	}
	_, _ = io.WriteString(w, `{"ticket":9007199254740993}`)
}

func (e *erp) stall(yes bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stalls = yes
}

func (e *erp) seen() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.keys)
}

// open counts the connections that are not closed.
func (e *erp) open() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.conns {
		if s != http.StateClosed {
			n++
		}
	}
	return n
}

const ticket = shop + `
[[skill]]
name = "ticket"
match = "any"
[skill.http]
url = "ERP/tickets"
timeout = "30s"
json = {text = "{{.Text}}"}
reply = "工单 {{.Response.ticket}}"
`

// TestACallThatWasCutOffIsMadeAgainUnderItsKey: the engine ends while the service
// works, and the next life asks for the same thing.
func TestACallThatWasCutOffIsMadeAgainUnderItsKey(t *testing.T) {
	t.Parallel()
	service := newERP(t)
	service.stall(true)
	r := start(t, stub.Options{}, strings.ReplaceAll(ticket, "ERP", service.URL))
	r.say("1", "u", "坏了")
	r.until("the service is asked", func() bool { return len(service.seen()) == 1 })
	r.end()
	service.stall(false)
	r.begin()
	if got := r.texts("u", 1); !slices.Equal(got, []string{"工单 9007199254740993"}) {
		t.Errorf("said %q", got)
	}
	r.say("2", "u", "又坏了")
	r.texts("u", 2)
	if keys := service.seen(); len(keys) != 3 || keys[0] == "" || keys[0] != keys[1] || keys[1] == keys[2] {
		t.Errorf("the keys were %q", keys)
	}
}

// TestConnectionsToAServiceGoWithTheirPlan: those of a plan that a reload replaced,
// and all when the engine ends.
func TestConnectionsToAServiceGoWithTheirPlan(t *testing.T) {
	t.Parallel()
	service := newERP(t)
	r := start(t, stub.Options{}, strings.ReplaceAll(ticket, "ERP", service.URL))
	r.say("1", "u", "a")
	r.texts("u", 1)
	if n := service.open(); n != 1 {
		t.Errorf("%d connections, want the one that is kept", n)
	}
	if err := r.life.app.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.until("the connection goes", func() bool { return service.open() == 0 })
	r.say("2", "u", "b")
	r.texts("u", 2)
	r.end()
	r.until("the last one goes", func() bool { return service.open() == 0 })
}

// TestStalledCallsSilenceNobody: more calls than there are workers wait, and a
// keyword is answered meanwhile.
func TestStalledCallsSilenceNobody(t *testing.T) {
	t.Parallel()
	service := newERP(t)
	service.stall(true)
	r := start(t, stub.Options{}, "[queue]\nworkers = 2\n"+strings.ReplaceAll(ticket, "ERP", service.URL)+"[[skill]]\nname = \"hi\"\nkeywords = [\"你好\"]\nreply = \"你好！\"\n")
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		r.say(id, "u"+id, "坏了")
	}
	r.until("the service is asked", func() bool { return len(service.seen()) == 5 })
	r.say("6", "v", "你好")
	if got := r.texts("v", 1); !slices.Equal(got, []string{"你好！"}) {
		t.Errorf("said %q", got)
	}
}
