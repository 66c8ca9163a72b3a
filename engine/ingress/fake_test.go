package ingress

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/metrics"
	"bot/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// inbox is a store of events in memory, with the failures a test asks for.
type inbox struct {
	mu      sync.Mutex
	seen    map[engine.Key]bool
	events  []*engine.Event
	windows []time.Duration
	err     error // of Append
	seenErr error
	wait    time.Duration
	hold    chan struct{} // Append waits for it
	reached chan struct{} // where it is not nil, closed by the first Append that waits
}

func (f *inbox) Append(ctx context.Context, events []*engine.Event, window time.Duration) (store.Appended, error) {
	if f.hold != nil {
		if f.reached != nil {
			close(f.reached)
		}
		select {
		case <-f.hold:
		case <-ctx.Done():
			return store.Appended{}, ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return store.Appended{}, f.err
	}
	if f.seen == nil {
		f.seen = make(map[engine.Key]bool)
	}
	done := store.Appended{Seqs: make([]uint64, len(events)), Duplicate: make([]bool, len(events))}
	f.windows = append(f.windows, window)
	for n, e := range events {
		if done.Duplicate[n] = f.seen[e.Key()]; !done.Duplicate[n] {
			f.seen[e.Key()] = true
			f.events = append(f.events, e)
		}
	}
	return done, nil
}

func (f *inbox) Seen(k engine.Key, _ time.Duration) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[k], f.seenErr
}

func (f *inbox) CommitWait() time.Duration { return f.wait }

func (f *inbox) ids() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := make([]string, len(f.events))
	for n, e := range f.events {
		ids[n] = e.ID
	}
	return strings.Join(ids, " ")
}

// words is a platform that sends events as words: "id", "id@account",
// "panic", "refuse", "ping", "foreign".
type words struct {
	change func(e *engine.Event)
}

func (r words) Receive(q *channel.Request) (channel.Receipt, error) {
	receipt := channel.Receipt{Answer: channel.Answer{ContentType: "text/plain", Body: []byte("yes")}}
	for word := range strings.FieldsSeq(string(q.Body)) {
		switch word {
		case "panic":
			panic("receiver")
		case "refuse":
			return channel.Receipt{}, &channel.Refusal{Reason: "signature", Detail: "bad", Answer: channel.Answer{Status: 401, Body: []byte("no")}}
		case "foreign":
			receipt.Foreign = "stranger"
		case "ping":
		case "ring":
			receipt.Doorbells = append(receipt.Doorbells, channel.Doorbell{Account: "shop", Source: "s", Token: "t"})
		default:
			id, account, _ := strings.Cut(word, "@")
			e := &engine.Event{
				Account: cmp.Or(account, "shop"), Kind: engine.Message, ID: id, Sender: "u", Conversation: "u", Raw: bytes.Clone(q.Body),
			}
			if r.change != nil {
				r.change(e)
			}
			receipt.Events = append(receipt.Events, e)
		}
	}
	return receipt, nil
}

// door is an Ingress with everything a test looks at.
type door struct {
	*Ingress
	inbox *inbox
	log   *bytes.Buffer
	m     *metrics.Metrics
}

func newDoor(t testing.TB, o Options, receiver channel.Receiver) *door {
	t.Helper()
	d := &door{inbox: &inbox{}, log: new(bytes.Buffer), m: metrics.New()}
	if o.Inbox == nil {
		o.Inbox = d.inbox
	}
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewJSONHandler(d.log, nil))
	}
	o.Metrics = d.m
	d.Ingress = New(o)
	if err := d.SetRoutes([]Route{shop(receiver)}); err != nil {
		t.Fatal(err)
	}
	return d
}

func shop(receiver channel.Receiver) Route {
	return Route{
		Path: "/callback/shop", Channel: "words", Receiver: receiver, Account: "shop",
		Accounts: map[string]Policy{
			"shop":  {Window: time.Hour, MaxAge: 10 * time.Minute, ComesBack: true},
			"quick": {Window: 3 * time.Hour, MaxAge: 10 * time.Minute},
		},
	}
}

func (d *door) post(body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/callback/shop", strings.NewReader(body)))
	return w
}

// counts reads the counters of intake by name and labels, without zeros.
func (d *door) counts(t testing.TB) map[string]float64 {
	t.Helper()
	families, err := d.m.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]float64)
	for _, f := range families {
		name, ok := strings.CutPrefix(f.GetName(), "bot_events_")
		if !ok {
			continue
		}
		for _, m := range f.GetMetric() {
			key := strings.TrimSuffix(name, "_total")
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			if v := m.GetCounter().GetValue(); v != 0 {
				got[key] = v
			}
		}
	}
	return got
}

func (d *door) wantCounts(t *testing.T, want map[string]float64) {
	t.Helper()
	got := d.counts(t)
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("counts\n got %s\nwant %s", a, b)
	}
	d.wantBalance(t)
}

// wantBalance checks that everything that was received met one fate.
func (d *door) wantBalance(t *testing.T) {
	t.Helper()
	sum := make(map[string]float64)
	for key, v := range d.counts(t) {
		name, _, _ := strings.Cut(key, " ")
		sum[name] += v
	}
	if sum["received"] != sum["queued"]+sum["duplicate"]+sum["refused"] {
		t.Errorf("received is not queued + duplicate + refused: %v", sum)
	}
}

func (d *door) lines(t *testing.T) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(d.log.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, m)
	}
	return lines
}

func wantAnswer(t *testing.T, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status || w.Body.String() != body {
		t.Errorf("answer %d %q, want %d %q", w.Code, w.Body, status, body)
	}
	if after := w.Header().Get("Retry-After"); (after != "") != (status == http.StatusServiceUnavailable) {
		t.Errorf("status %d with Retry-After %q", status, after)
	}
}
