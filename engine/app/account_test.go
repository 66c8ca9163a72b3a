package app_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/stub"
)

// books is G7 as the metrics have it: everything that came in, and what became
// of it.
type books struct {
	recovered, received, replayed, raised      float64
	handled, expired, duplicate, refused, dead float64
	waiting                                    float64
}

func (b books) balanced() bool {
	return b.recovered+b.received+b.replayed+b.raised ==
		b.handled+b.expired+b.duplicate+b.refused+b.dead+b.waiting
}

// books reads the metrics as Prometheus would.
func (r *rig) books() books {
	r.t.Helper()
	resp, err := r.http.Get("http://" + r.life.at.Admin + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	sum := func(name, label string) (total float64) {
		for line := range strings.Lines(string(body)) {
			series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			series, labels, _ := strings.Cut(series, "{")
			n, err := strconv.ParseFloat(value, 64)
			if series == "bot_"+name && strings.Contains(labels, label) && err == nil {
				total += n
			}
		}
		return total
	}
	return books{
		recovered: sum("events_recovered_total", ""), received: sum("events_received_total", ""),
		replayed: sum("events_replayed_total", ""), raised: sum("expiries_raised_total", ""),
		handled: sum("events_handled_total", ""), expired: sum("expiries_total", ""),
		duplicate: sum("events_duplicate_total", ""), refused: sum("events_refused_total", ""),
		dead: sum("dead_letters_total", `what="event"`), waiting: sum("backlog_events", ""),
	}
}

// valve lets a test hold everything that moves: callbacks before they are sent
// and turns before they end.
type valve struct {
	mu   sync.Mutex
	shut chan struct{} // nil while it is open; closed when it opens again
}

func (v *valve) close() (open func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = make(chan struct{})
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		close(v.shut)
		v.shut = nil
	}
}

func (v *valve) wait(ctx context.Context) error {
	v.mu.Lock()
	shut := v.shut
	v.mu.Unlock()
	if shut == nil {
		return nil
	}
	select {
	case <-shut:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass is a skill that stops while the valve is shut.
func (v *valve) pass(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	if err := v.wait(ctx); err != nil {
		return engine.Outcome{}, err
	}
	if strings.HasPrefix(t.Event.Text, "bad") {
		return engine.Outcome{}, errBroken
	}
	return answer(t.Event.Text), nil
}

const accounted = `
[queue]
attempts = 1
` + shop + `
[[skill]]
name = "form"
keywords = ["form"]
match = "exact"
expires = "1s"
expired_reply = "LATE"
done = "DONE"
[[skill.step]]
save = "a"
ask = "A?"
[[skill]]
name = "valve"
match = "any"
go = "valve"
`

// TestEverythingIsAccountedFor holds all that moves at random moments under a
// load of good, repeated, hostile and failing callbacks, over restarts and
// replays, and sums.
func TestEverythingIsAccountedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	r.configure(accounted)
	var v valve
	r.skills["valve"] = v.pass

	var seen books // the largest of each, to know that the test met them all
	for life := range 3 {
		r.begin()
		load, stopLoad := context.WithCancel(context.Background())
		var senders sync.WaitGroup
		for n := range 6 {
			senders.Go(func() { r.mix(load, &v, fmt.Sprintf("%d-%d", life, n)) })
		}
		finish := sync.OnceFunc(func() { stopLoad(); senders.Wait() })
		t.Cleanup(finish)
		for range 8 {
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // a random moment, not a wait for something
			seen.most(r.weigh(&v))
			r.replayOne()
		}
		finish()
		if life < 2 {
			open := v.close() // so that the next life recovers something
			r.backlog(20, life)
			r.end()
			open()
		}
	}
	r.until("every form has ended", func() bool { return r.books().expired >= 1 })
	r.idle()
	last := r.weigh(&v)
	if last.waiting != 0 {
		t.Errorf("idle and %v events wait", last.waiting)
	}
	seen.most(last)
	for name, n := range map[string]float64{
		"recovered": seen.recovered, "received": seen.received, "replayed": seen.replayed, "raised": seen.raised,
		"handled": seen.handled, "expired": seen.expired, "duplicate": seen.duplicate, "refused": seen.refused,
		"dead": seen.dead, "waiting": seen.waiting,
	} {
		if n == 0 {
			t.Errorf("no event was ever %s: that was no test", name)
		}
	}
}

// weigh shuts the valve and expects the books to balance as soon as what was
// past it has come to rest.
func (r *rig) weigh(v *valve) (b books) {
	r.t.Helper()
	defer v.close()()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if b = r.books(); b.balanced() && b == r.books() {
			return b
		}
		if time.Now().After(end) {
			r.t.Fatalf("the books do not balance: %+v", b)
		}
	}
}

func (b *books) most(o books) {
	for _, p := range []struct{ to, from *float64 }{
		{&b.recovered, &o.recovered}, {&b.received, &o.received}, {&b.replayed, &o.replayed}, {&b.raised, &o.raised},
		{&b.handled, &o.handled}, {&b.expired, &o.expired}, {&b.duplicate, &o.duplicate}, {&b.refused, &o.refused},
		{&b.dead, &o.dead}, {&b.waiting, &o.waiting},
	} {
		*p.to = max(*p.to, *p.from)
	}
}

// mix posts callbacks of all sorts until ctx is done.
func (r *rig) mix(ctx context.Context, v *valve, name string) {
	for i := 0; ctx.Err() == nil; i++ {
		body := message(fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("u%d", rand.IntN(20)), "hello")
		switch rand.IntN(8) {
		case 0, 1:
			body = message(fmt.Sprintf("%s-%d", name, rand.IntN(i+1)), "u", "hello") // known, mostly
		case 2, 3:
			body = hostile[rand.IntN(len(hostile))].body
		case 4:
			body = message(fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("bad%d", rand.IntN(5)), "bad")
		case 5:
			body = message(fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("form-%s-%d", name, i), "form")
		}
		if v.wait(ctx) == nil {
			r.post(body)
		}
	}
}

// backlog fills the log while the valve is shut.
func (r *rig) backlog(n, life int) {
	for i := range n {
		r.say(fmt.Sprintf("backlog-%d-%d", life, i), fmt.Sprintf("waiting%d", i), "hello")
	}
}

func (r *rig) replayOne() {
	r.t.Helper()
	var page struct{ Dead []api.Letter }
	r.admin(http.MethodGet, "/api/v1/dead", "", &page)
	if len(page.Dead) > 0 {
		r.admin(http.MethodPost, fmt.Sprintf("/api/v1/dead/%d/replay", page.Dead[0].ID), "", nil)
	}
}
