package loadtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// faulty stands where the engine does, answers every callback at once and replies
// to it, except for what is planted.
type faulty struct {
	url    string // of the platform
	drops  func(event int) bool
	twice  func(event int) (again string) // the key of a second reply, "" for none
	late   func(event int) bool           // its reply comes after that of the conversation's next
	mu     sync.Mutex
	held   map[string]int // event by person, plus one
	client http.Client
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct{ Sender, Content string }
	var event int
	json.NewDecoder(r.Body).Decode(&m)
	fmt.Sscanf(m.Content, "#%d", &event)
	f.mu.Lock()
	defer f.mu.Unlock() // one after the other, so that nothing else is out of order
	w.Header().Set("Content-Length", "2")
	w.Write([]byte("ok"))
	switch {
	case f.drops != nil && f.drops(event):
		return
	case f.late != nil && f.late(event):
		f.held[m.Sender] = event + 1
		return
	}
	f.reply(m.Sender, event, fmt.Sprint(event))
	if f.twice != nil && f.twice(event) != "" {
		f.reply(m.Sender, event, f.twice(event))
	}
	if held := f.held[m.Sender]; held > 0 {
		delete(f.held, m.Sender)
		f.reply(m.Sender, held-1, fmt.Sprint(held-1))
	}
}

func (f *faulty) reply(to string, event int, key string) {
	body := fmt.Sprintf(`{"content":"#%010d","to":"%s"}`, event, to)
	req, err := http.NewRequest(http.MethodPost, f.url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Idempotency-Key", key)
	if resp, err := f.client.Do(req); err == nil {
		resp.Body.Close()
	}
}

// runs measures it as the engine is measured, and reports.
func (f *faulty) runs(t *testing.T) *Report {
	t.Helper()
	f.client.Transport, f.held = &http.Transport{}, make(map[string]int)
	defer f.client.CloseIdleConnections()
	srv := httptest.NewServer(f)
	defer srv.Close()
	b := &bench{progress: newProgress(nil, false), patience: 300 * time.Millisecond, Options: Options{
		// The load ends with its events, however slow the machine is.
		Warmup: time.Millisecond, Duration: time.Minute, Conversations: people, Events: 400, Now: time.Now,
	}}
	m := b.closed(func(_ context.Context, url string) (*server, error) {
		f.url = url
		return &server{addr: strings.TrimPrefix(srv.URL, "http://")}, nil
	}, 2, 0)
	m.replies, m.load.rate = true, 1000
	sample, err := b.measure(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	g := group{name: "planted", trials: []trial{{name: engineName, engine: true, replies: true}}}
	r := &Report{Scenarios: []Result{{Name: "profile", Groups: []Group{sumUp(g, [][]Sample{{sample}})}}}}
	r.Promises = r.promises()
	return r
}

func TestWhatIsPlantedIsFound(t *testing.T) {
	every := func(n int) func(int) bool { return func(event int) bool { return event%n == n/2 } }
	tests := []struct {
		name  string
		plant faulty
		want  Promises
		says  string
	}{
		{"nothing", faulty{}, Promises{Kept: true}, "of 400 acknowledged events 0 lost, 0 doubled, 0 out of order, 0 repeated"},
		{"loss", faulty{drops: every(100)}, Promises{Lost: 4}, "4 lost, 0 doubled"},
		{"doubles", faulty{twice: func(event int) string {
			if event%80 == 7 {
				return "another"
			}
			return ""
		}}, Promises{Doubled: 5}, "0 lost, 5 doubled"},
		{"repeats under the same key, which are none", faulty{twice: func(event int) string {
			if event%80 == 7 {
				return fmt.Sprint(event)
			}
			return ""
		}}, Promises{Kept: true}, "0 doubled, 0 out of order, 5 repeated under the same key"},
		{"disorder", faulty{late: every(200)}, Promises{Disordered: 2}, "0 doubled, 2 out of order"},
	}
	for i := range tests {
		tt := &tests[i]
		t.Run(tt.name, func(t *testing.T) {
			r := tt.plant.runs(t)
			if r.Promises != tt.want || r.Sound() != tt.want.Kept {
				t.Errorf("finds %+v, want %+v", r.Promises, tt.want)
			}
			var out strings.Builder
			if err := r.Print(&out, false); err != nil || !strings.Contains(out.String(), tt.says) {
				t.Errorf("the report lacks %q: %v\n%s", tt.says, err, &out)
			}
		})
	}
}
