package ingress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

func TestOneCallback(t *testing.T) {
	tests := []struct {
		name, body string
		known      string // a callback before it
		status     int
		answer     string
		queued     string
		counts     map[string]float64
	}{
		{
			name: "a new event is queued", body: "a", status: 200, answer: "yes", queued: "a",
			counts: map[string]float64{"received shop": 1, "queued shop message": 1},
		},
		{
			name: "a known one is answered like the first", known: "a", body: "a", status: 200, answer: "yes", queued: "a",
			counts: map[string]float64{"received shop": 2, "queued shop message": 1, "duplicate shop": 1},
		},
		{
			name: "a batch counts each of its events", known: "a", body: "a b b c@quick d@nobody", status: 200, answer: "yes", queued: "a b c",
			counts: map[string]float64{
				"received shop": 5, "received quick": 1, "queued shop message": 2, "queued quick message": 1, "duplicate shop": 2, "refused shop account": 1,
			},
		},
		{
			name: "somebody else's is acknowledged and not queued", body: "foreign", status: 200, answer: "yes",
			counts: map[string]float64{"received shop": 1, "refused shop account": 1},
		},
		{
			name: "somebody else's part of a batch is left out", body: "a foreign", status: 200, answer: "yes", queued: "a",
			counts: map[string]float64{"received shop": 2, "queued shop message": 1, "refused shop account": 1},
		},
		{
			name: "a ping is answered", body: "ping", status: 200, answer: "yes",
			counts: map[string]float64{"received shop": 1, "refused shop no_event": 1},
		},
		{
			name: "a refusal is the adapter's answer", body: "refuse", status: 401, answer: "no",
			counts: map[string]float64{"received shop": 1, "refused shop signature": 1},
		},
		{
			name: "a panic is ours to answer for", body: "panic", status: 500, answer: "error",
			counts: map[string]float64{"received shop": 1, "refused shop panic": 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, Options{}, words{})
			if tt.known != "" {
				d.post(tt.known)
			}
			wantAnswer(t, d.post(tt.body), tt.status, tt.answer)
			if got := d.inbox.ids(); got != tt.queued {
				t.Errorf("queued %q, want %q", got, tt.queued)
			}
			d.wantCounts(t, tt.counts)
		})
	}
}

func TestAdmission(t *testing.T) {
	tests := []struct {
		name   string
		event  func(e *engine.Event)
		reason string // "" = queued
	}{
		{"our own message", func(e *engine.Event) { e.Self = true }, "self"},
		{"a message at the age limit", func(e *engine.Event) { e.Time = noon.Add(-10 * time.Minute) }, ""},
		{"a message past it", func(e *engine.Event) { e.Time = noon.Add(-10*time.Minute - time.Second) }, "age"},
		{"a message from the future", func(e *engine.Event) { e.Time = noon.Add(time.Hour) }, ""},
		{"a message without a time", func(e *engine.Event) {}, ""},
		{"an old friend request", func(e *engine.Event) { e.Kind, e.Time = engine.FriendRequest, noon.Add(-time.Hour) }, ""},
		{"an old new friend", func(e *engine.Event) { e.Kind, e.Time = engine.FriendAdded, noon.Add(-time.Hour) }, ""},
		{"an old new member", func(e *engine.Event) { e.Kind, e.Time = engine.MemberJoined, noon.Add(-time.Hour) }, ""},
		{"what Admit does not want", func(e *engine.Event) { e.Sender = "blocked" }, "blocked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, Options{Admit: func(e *engine.Event) string {
				if e.Sender == "blocked" {
					return "blocked"
				}
				return ""
			}}, words{tt.event})
			wantAnswer(t, d.post("a"), 200, "yes")
			if tt.reason == "" {
				if d.inbox.ids() != "a" {
					t.Error("not queued")
				}
				d.wantBalance(t)
				return
			}
			d.wantCounts(t, map[string]float64{"received shop": 1, "refused shop " + tt.reason: 1})
		})
	}
}

// 500 old ids pushed again with fresh timestamps are duplicates and nothing
// else; whoever counts firsts must not hear of them.
func TestAdmitIsNotAskedOfDuplicates(t *testing.T) {
	asked := 0
	d := newDoor(t, Options{Admit: func(*engine.Event) string { asked++; return "" }}, words{})
	for range 3 {
		for id := range 500 {
			d.post(fmt.Sprint("id", id))
		}
	}
	if asked != 500 {
		t.Errorf("asked %d times, want 500", asked)
	}
	d.wantCounts(t, map[string]float64{"received shop": 1500, "queued shop message": 500, "duplicate shop": 1000})
}

func TestPressure(t *testing.T) {
	limits := func(backlog, limit int, wait, maxWait time.Duration) Options {
		return Options{
			Inbox: &inbox{wait: wait}, Backlog: func() int { return backlog }, MaxBacklog: func() int { return limit },
			MaxCommitWait: func() time.Duration { return maxWait },
		}
	}
	tests := []struct {
		name    string
		options Options
		body    string
		reason  string
	}{
		{"room and time", limits(9, 10, time.Second, time.Second), "a", ""},
		{"a full backlog", limits(10, 10, 0, time.Second), "a", "backlog"},
		{"a full backlog, and a sender that gives up soon", limits(10, 10, 0, time.Second), "a@quick", ""},
		{"a full backlog, and one of the batch would not come back", limits(10, 10, 0, time.Second), "a b@quick", ""},
		{"a slow disk", limits(0, 10, 2*time.Second, time.Second), "a", "commit_wait"},
		{"a slow disk is for everybody", limits(0, 10, 2*time.Second, time.Second), "a@quick", "commit_wait"},
		{"no limits", limits(1e9, 0, time.Hour, 0), "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, tt.options, words{})
			w := d.post(tt.body)
			if tt.reason == "" {
				wantAnswer(t, w, 200, "yes")
			} else {
				wantAnswer(t, w, 503, "busy")
				for key := range d.counts(t) {
					if name, rest, _ := strings.Cut(key, " "); name == "refused" && !strings.HasSuffix(rest, tt.reason) {
						t.Errorf("counted %s, want %s", key, tt.reason)
					}
				}
			}
			d.wantBalance(t)
		})
	}
}

// What needs no room is answered however full it is: a duplicate sent away
// would come back for ever.
func TestDuplicatesAreAnsweredUnderPressure(t *testing.T) {
	full := false
	d := newDoor(t, Options{Backlog: func() int { return 1 }, MaxBacklog: func() int {
		if full {
			return 1
		}
		return 0
	}}, words{func(e *engine.Event) { e.Self = e.ID == "self" }})
	d.post("a")
	full = true
	wantAnswer(t, d.post("a self"), 200, "yes")
	wantAnswer(t, d.post("a b self"), 503, "busy")
	d.wantCounts(t, map[string]float64{
		"received shop": 6, "queued shop message": 1, "duplicate shop": 2, "refused shop self": 2, "refused shop backlog": 1,
	})
}

func TestStoreFailures(t *testing.T) {
	tests := []struct {
		name   string
		inbox  *inbox
		status int
		answer string
		reason string
	}{
		{"full", &inbox{err: fmt.Errorf("append: %w", store.ErrFull)}, 503, "busy", "full"},
		{"failed", &inbox{err: fmt.Errorf("append: %w", store.ErrFailed)}, 500, "error", "store"},
		{"closed", &inbox{err: store.ErrClosed}, 500, "error", "store"},
		{"unreadable", &inbox{seenErr: errors.New("disk")}, 500, "error", "store"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, Options{Inbox: tt.inbox}, words{})
			wantAnswer(t, d.post("a b"), tt.status, tt.answer)
			if tt.inbox.ids() != "" {
				t.Error("something was queued")
			}
			d.wantCounts(t, map[string]float64{"received shop": 2, "refused shop " + tt.reason: 2})
		})
	}
}

func TestTheWindowIsTheAccounts(t *testing.T) {
	d := newDoor(t, Options{}, words{})
	d.post("a")
	d.post("a@quick")
	d.post("b b@quick")
	want := []time.Duration{time.Hour, 3 * time.Hour, 3 * time.Hour}
	if fmt.Sprint(d.inbox.windows) != fmt.Sprint(want) {
		t.Errorf("windows %v, want %v", d.inbox.windows, want)
	}
}

func TestRouting(t *testing.T) {
	d := newDoor(t, Options{}, words{})
	try := func(method, path string) int {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader("ping")))
		return w.Code
	}
	for path, want := range map[string]int{"/callback/shop": 200, "/callback/shop/": 404, "/callback/SHOP": 404, "/": 404, "/callback/shop/x": 404, "//callback/shop": 404} {
		if got := try("POST", path); got != want {
			t.Errorf("POST %s: %d, want %d", path, got, want)
		}
	}
	for _, method := range []string{"GET", "PUT", "HEAD", "OPTIONS", "DELETE"} {
		if got := try(method, "/callback/shop"); got != 405 {
			t.Errorf("%s: %d, want 405", method, got)
		}
	}
	// A path nobody has is not ours to count; a wrong method on one of ours is.
	d.wantCounts(t, map[string]float64{"received shop": 6, "refused shop no_event": 1, "refused shop method": 5})

	route := shop(words{})
	route.Methods = []string{"GET", "POST"}
	if err := d.SetRoutes([]Route{route}); err != nil {
		t.Fatal(err)
	}
	if got := try("GET", "/callback/shop"); got != 200 {
		t.Errorf("GET where it is a method: %d, want 200", got)
	}
	if got := try("PUT", "/callback/shop"); got != 405 {
		t.Errorf("PUT: %d, want 405", got)
	}
}

func TestSetRoutesIsAllOrNothing(t *testing.T) {
	d := newDoor(t, Options{}, words{})
	other := shop(words{})
	other.Path = "/other"
	for _, path := range []string{"callback", "", "/a/:b", "/a/*b", "/other"} {
		bad := shop(words{})
		bad.Path = path
		if err := d.SetRoutes([]Route{other, bad}); err == nil {
			t.Errorf("path %q was taken", path)
		}
	}
	wantAnswer(t, d.post("a"), 200, "yes")
	if err := d.SetRoutes([]Route{other}); err != nil {
		t.Fatal(err)
	}
	if got := d.post("b").Code; got != 404 {
		t.Errorf("a route that was taken away answers %d", got)
	}
}

// A request that began before a reload ends by the routes it began with.
func TestRoutesAreExchangedUnderRequests(t *testing.T) {
	d := newDoor(t, Options{}, words{})
	d.inbox.hold, d.inbox.reached = make(chan struct{}), make(chan struct{})
	var under sync.WaitGroup
	under.Go(func() {
		if w := d.post("a"); w.Code != 200 {
			t.Errorf("got %d", w.Code)
		}
	})
	<-d.inbox.reached
	if err := d.SetRoutes(nil); err != nil {
		t.Fatal(err)
	}
	if err := d.SetRoutes([]Route{shop(words{})}); err != nil {
		t.Fatal(err)
	}
	close(d.inbox.hold)
	under.Wait()
}

func TestBodies(t *testing.T) {
	announced := func(n int64) io.Reader { return strings.NewReader(strings.Repeat(" ", int(n))) }
	tests := []struct {
		name   string
		body   io.Reader
		length int64 // announced; -1 = not at all
		status int
		reason string
	}{
		{"as large as it may be", announced(1000), 1000, 200, "no_event"},
		{"a byte more", announced(1001), 1001, 413, "size"},
		{"as large as it may be, not announced", announced(1000), -1, 200, "no_event"},
		{"a byte more, not announced", announced(1001), -1, 413, "size"},
		{"endless", endless{}, -1, 413, "size"},
		{"announced large and never sent", iotest.ErrReader(errors.New("must not be read")), 1 << 40, 413, "size"},
		{"broken off", io.MultiReader(strings.NewReader("a"), iotest.ErrReader(io.ErrUnexpectedEOF)), 100, 400, "cut_off"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, Options{MaxBody: 1000}, words{})
			r := httptest.NewRequest(http.MethodPost, "/callback/shop", tt.body)
			r.ContentLength = tt.length
			w := httptest.NewRecorder()
			d.ServeHTTP(w, r)
			if w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			d.wantCounts(t, map[string]float64{"received shop": 1, "refused shop " + tt.reason: 1})
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestBuffersAreNotKept(t *testing.T) {
	d := newDoor(t, Options{}, words{})
	for n := range 100 {
		d.post(fmt.Sprintf("id%03d", n))
	}
	for n, e := range d.inbox.events {
		if want := fmt.Sprintf("id%03d", n); e.ID != want || string(e.Raw) != want {
			t.Errorf("event %d is %s with %q", n, e.ID, e.Raw)
		}
	}
}

// 2, 5 and 50 copies of one callback at once: one is queued, all are answered.
func TestCopiesAtOnce(t *testing.T) {
	d := newDoor(t, Options{}, words{})
	sent := 0
	for _, copies := range []int{2, 5, 50} {
		for round := range 20 {
			var all sync.WaitGroup
			for range copies {
				all.Go(func() {
					if w := d.post(fmt.Sprintf("c%d-%d", copies, round)); w.Code != 200 {
						t.Errorf("got %d", w.Code)
					}
				})
			}
			all.Wait()
			sent += copies
		}
	}
	d.wantCounts(t, map[string]float64{"received shop": float64(sent), "queued shop message": 60, "duplicate shop": float64(sent - 60)})
}

// Whoever caused a panic may still hold on to the request it was given.
func TestWhatAPanicHeldIsNotUsedAgain(t *testing.T) {
	held := make(map[*channel.Request]bool)
	d := newDoor(t, Options{}, receiverFunc(func(q *channel.Request) (channel.Receipt, error) {
		if held[q] {
			t.Error("a request that a panic held came again")
		}
		if string(q.Body) == "panic" {
			held[q] = true
			panic("holding")
		}
		return channel.Receipt{}, nil
	}))
	for range 20 {
		d.post("panic")
		d.post("ping")
	}
	d.wantCounts(t, map[string]float64{"received shop": 40, "refused shop panic": 20, "refused shop no_event": 20})
}

func TestEverythingIsAccountedFor(t *testing.T) {
	d := newDoor(t, Options{Admit: func(e *engine.Event) string {
		switch e.ID {
		case "bad":
			panic("admit")
		case "spam":
			return "blocked"
		}
		return ""
	}}, words{})
	bodies := []string{"a", "b c", "a panic", "refuse", "ping", "foreign a", "x@nobody y", "spam z", "bad w", "q@quick bad"}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 200 {
				d.post(bodies[n%len(bodies)])
			}
		})
	}
	all.Wait()
	d.wantBalance(t)
	if d.counts(t)["received shop"] < 800 {
		t.Errorf("counts %v", d.counts(t))
	}
}

// The client's patience ends before the commit does: the event is stored and
// counted all the same, and the repeat is a duplicate.
func TestAClientThatLeavesEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, Options{}, words{})
		d.inbox.hold = make(chan struct{})
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/callback/shop", strings.NewReader("a"))
			d.ServeHTTP(httptest.NewRecorder(), r)
		}()
		synctest.Wait() // it waits for the disk
		leave()
		synctest.Wait()
		close(d.inbox.hold)
		wantAnswer(t, d.post("a"), 200, "yes")
		synctest.Wait()
		d.wantCounts(t, map[string]float64{"received shop": 2, "queued shop message": 1, "duplicate shop": 1})
	})
}

func TestAnswersCarryNoGuessedType(t *testing.T) {
	d := newDoor(t, Options{}, receiverFunc(func(*channel.Request) (channel.Receipt, error) {
		return channel.Receipt{Answer: channel.Answer{Body: []byte("<html>")}}, nil
	}))
	srv := httptest.NewServer(d)
	defer srv.Close()
	r, err := http.Post(srv.URL+"/callback/shop", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	if r.StatusCode != 200 || r.Header["Content-Type"] != nil || !bytes.Equal(b, []byte("<html>")) {
		t.Errorf("got %d %v %q", r.StatusCode, r.Header, b)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAReceiverThatBreaksItsWordIsOurFault(t *testing.T) {
	d := newDoor(t, Options{}, receiverFunc(func(*channel.Request) (channel.Receipt, error) {
		return channel.Receipt{}, errors.New("no refusal")
	}))
	wantAnswer(t, d.post("a"), 500, "error")
	d.wantCounts(t, map[string]float64{"received shop": 1, "refused shop receiver": 1})
}

type receiverFunc func(*channel.Request) (channel.Receipt, error)

func (f receiverFunc) Receive(q *channel.Request) (channel.Receipt, error) { return f(q) }
