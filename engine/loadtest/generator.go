package loadtest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// load is what a generator sends.
type load struct {
	addr          string
	connections   int
	conversations int     // see spread
	rate          float64 // callbacks per second of all connections together; 0: as fast as answers come
	duplicates    float64 // share of requests that repeat an earlier event, 0 to 1
	events        int     // at most this many different ones
	retell        Redelivery
	hurry         float64 // by how much the waits of retell are shortened; 0 = 1
	deaf          float64 // share of answers that never reach the platform, 0 to 1
}

// generator sends callbacks and keeps account of the answers.
//
// Connection c of n sends the events c, c+n, c+2n, … one after the other, so
// that a conversation's events never travel on two connections: the order of
// sending is the order that replies must keep.
type generator struct {
	load
	ledger *ledger
	now    time.Time    // the platform's time in the callbacks
	begun  int64        // ledger time of the first request
	from   atomic.Int64 // ledger time since which answers are counted; 0: not yet
}

// traffic is what one or all connections were answered since measuring began.
type traffic struct {
	answered  histogram
	statuses  map[int]int
	ok        int
	failed    int   // requests without an answer, from the very beginning
	lastError error // of the last of them
	retold    int   // tellings after the first, from the very beginning
	gaveUp    int   // events that were told as often as the platform does and never answered, as far as it knows
	unheard   int   // answers that did not reach the platform
}

func newGenerator(l load, led *ledger, now time.Time) *generator {
	l.conversations = spread(l.conversations, l.connections)
	l.retell.Within = cmp.Or(l.retell.Within, answerWithin)
	l.hurry = max(l.hurry, 1)
	return &generator{load: l, ledger: led, now: now}
}

// spread is the number of conversations, rounded up so that each connection
// has as many as the others.
func spread(conversations, connections int) int {
	return (max(conversations, 1) + connections - 1) / connections * connections
}

// measure makes answers to what is sent from now on count.
func (g *generator) measure() { g.from.Store(g.ledger.now()) }

// run sends until ctx is done, the events are used up, or no connection can be
// had any more. It returns when every connection is closed.
func (g *generator) run(ctx context.Context) (*traffic, error) {
	first, err := dial(ctx, g.addr, g.retell.Within) // a wrong address is one error, not one per connection
	if err != nil {
		return nil, fmt.Errorf("connect to the server under test: %w", err)
	}
	first.close()
	g.begun = g.ledger.now()
	parts := make([]traffic, g.connections)
	var running sync.WaitGroup
	for c := range g.connections {
		running.Go(func() { g.connection(ctx, c, &parts[c]) })
	}
	running.Wait()
	all := &traffic{statuses: make(map[int]int)}
	for i := range parts {
		all.add(&parts[i])
	}
	return all, nil
}

func (t *traffic) add(part *traffic) {
	t.answered.merge(&part.answered)
	for status, n := range part.statuses {
		t.statuses[status] += n
	}
	t.ok += part.ok
	t.failed += part.failed
	t.retold += part.retold
	t.gaveUp += part.gaveUp
	t.unheard += part.unheard
	if part.lastError != nil {
		t.lastError = part.lastError
	}
}

// lastAnswer is how long the answer to what is already sent is waited for when
// the run ends. Cut off at once, events would be taken in that nobody knows of.
const lastAnswer = time.Second

// connection is the life of one of them. A broken one is opened again once;
// when that fails too, the server is gone.
func (g *generator) connection(ctx context.Context, number int, t *traffic) {
	t.statuses = make(map[int]int)
	s := sender{
		generator: g, traffic: t, number: number,
		request: newRequest(g.addr, g.conversations, g.now),
		chance:  rand.New(rand.NewPCG(uint64(number), 1)),
		again:   retellings{how: g.retell, hurry: g.hurry},
	}
	for ctx.Err() == nil && !s.done() {
		c, err := dial(ctx, g.addr, g.retell.Within)
		if err != nil {
			if ctx.Err() == nil {
				t.failed, t.lastError = t.failed+1, err
			}
			return
		}
		s.client = c
		stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastAnswer, func() { c.close() }) })
		s.send(ctx)
		stop()
		c.close()
	}
}

// sender is a connection at work.
type sender struct {
	*generator
	*traffic
	number  int
	next    int // how many different events it has sent
	turns   int // how many requests
	recent  [64]uint64
	known   int // how many events were acked; the last of them are in recent
	again   retellings
	request *request
	client  *client
	chance  *rand.Rand
}

func (s *sender) done() bool {
	return s.number+s.next*s.connections >= s.events
}

// send works until ctx is done, the events are used up or the connection broke.
// What was then still to be told again is told at once: there is no later.
func (s *sender) send(ctx context.Context) {
	for ctx.Err() == nil && !s.done() {
		if r, due := s.again.next(s.ledger.now()); due {
			s.retold++
			if !s.tell(ctx, r.index, r.told, s.ledger.now()) {
				return
			}
			continue
		}
		start := s.pace(ctx)
		if start == 0 {
			break
		}
		if !s.tell(ctx, s.choose(), 0, start) {
			return
		}
	}
	for _, r := range s.again.waiting {
		s.retold++
		if !s.tell(ctx, r.index, len(s.again.how.Again), s.ledger.now()) {
			break
		}
	}
	s.again.waiting = nil
}

// tell makes the callback of event i, which was told so often before, and takes
// note of the answer. It returns false when the connection broke.
func (s *sender) tell(ctx context.Context, i uint64, told int, start int64) bool {
	s.request.fill(i)
	s.ledger.sent(i, start)
	status, err := s.client.post(s.request.bytes)
	if err != nil {
		if ctx.Err() == nil { // a run that ends cuts off what it waits for
			s.failed, s.lastError = s.failed+1, err
			s.missed(i, told+1, false) // its time is over already, or the connection closed
		}
		return false
	}
	if s.deaf > 0 && s.chance.Float64() < s.deaf {
		s.unheard++
		s.missed(i, told+1, true)
		return true
	}
	if status != http.StatusOK {
		s.missed(i, told+1, false)
	}
	s.answer(i, status, start)
	return true
}

// missed has event i told again, if the platform does so.
func (s *sender) missed(i uint64, told int, silent bool) {
	if s.again.missed(i, told, s.ledger.now(), silent) {
		s.ledger.again(i)
		return
	}
	s.gaveUp++
}

func (s *sender) answer(i uint64, status int, start int64) {
	if status == http.StatusOK {
		s.ledger.acked(i)
		s.recent[s.known%len(s.recent)] = i
		s.known++
	}
	from := s.from.Load()
	if from == 0 || start < from {
		return
	}
	s.statuses[status]++
	if status == http.StatusOK {
		s.ok++
		s.answered.add(time.Duration(s.ledger.now() - start))
	}
}

// choose returns the next event, or again one of the last that were acked: a
// refused one that came back would rightly be handled out of order.
func (s *sender) choose() uint64 {
	if s.known > 0 && s.duplicates > 0 && s.chance.Float64() < s.duplicates {
		return s.recent[s.chance.IntN(min(s.known, len(s.recent)))]
	}
	s.next++
	return uint64(s.number + (s.next-1)*s.connections)
}

// pace waits for the next request's turn and returns the time from which its
// latency counts; 0 when ctx is done.
//
// At a fixed rate that is the intended time whenever the connection was still
// busy with the answer before, so that a server that stalls is charged for
// everything it held up. Where the connection was idle it is the real time of
// sending: what the sleep overshot is the generator's fault, and up to a
// millisecond, which would hide what is to be measured.
func (s *sender) pace(ctx context.Context) int64 {
	now := s.ledger.now()
	if s.rate == 0 {
		return now
	}
	nth := float64(s.turns*s.connections + s.number)
	s.turns++
	intended := s.begun + int64(nth/s.rate*float64(time.Second))
	if now >= intended {
		return intended
	}
	timer := time.NewTimer(time.Duration(intended - now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return s.ledger.now()
	case <-ctx.Done():
		return 0
	}
}
