package loadtest

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

// callers are people who write to one account, each in a conversation of their
// own and one message after the other. They are a source, and they hear the
// answers. Caller c of n writes the events c, c+n, c+2n, ….
type callers struct {
	dialect  dialect
	platform *stub.Stub
	target   string // of the callbacks
	events   int
	ledger   *ledger
	numbers  map[string]int // of the callers, by conversation
	// unanswered has a place for each message that a caller may be ahead of
	// the answers.
	unanswered []chan struct{}
	heard      atomic.Int64
	malformed  atomic.Int64 // calls with an effect that answer no event
	from       atomic.Int64 // ledger time since which answers count; 0: not yet
}

const (
	// maxAhead keeps within what customer service takes: five messages in answer
	// to one, of which one may be on its way when the next begins to count.
	maxAhead = 4
	// maxCallers keeps what all are ahead within the thousand messages that the
	// stub of customer service keeps for being fetched.
	maxCallers = 128
	// twiceEach is how many messages have one among them that is told twice.
	twiceEach = 10
)

func newCallers(d dialect, n, events int, led *ledger) *callers {
	c := &callers{dialect: d, events: events, ledger: led, numbers: make(map[string]int, n)}
	for i := range n {
		c.numbers[d.conversation(i)] = i
		c.unanswered = append(c.unanswered, make(chan struct{}, maxAhead))
	}
	return c
}

func (c *callers) measure() { c.from.Store(c.ledger.now()) }

// run has all of them write until ctx is done or the events are used up.
func (c *callers) run(ctx context.Context) (*traffic, error) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastAnswer, cancel) })()
	parts := make([]traffic, len(c.unanswered))
	var writing sync.WaitGroup
	for n := range parts {
		writing.Go(func() { c.write(ctx, late, n, &parts[n]) })
	}
	writing.Wait()
	all := &traffic{statuses: make(map[int]int)}
	for i := range parts {
		all.add(&parts[i])
	}
	return all, nil
}

// write is what caller n does. What is begun when ctx ends goes on until late
// does, so that its answer is known.
func (c *callers) write(ctx, late context.Context, n int, t *traffic) {
	t.statuses = make(map[int]int)
	for turn := 0; n+turn*len(c.unanswered) < c.events; turn++ {
		select {
		case c.unanswered[n] <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}
		i := uint64(n + turn*len(c.unanswered))
		what := c.said(n, i)
		c.ledger.sent(i, c.ledger.now())
		if !c.tell(late, i, what, t) {
			c.answered(n) // or never will be
			continue
		}
		if (n+turn)%twiceEach == 0 {
			c.tell(late, i, what, t)
		}
	}
}

// firstID is beyond the numbers that are taken for times, and leaves the ids
// within 63 bits, which is all that some platforms have.
const firstID = 7_000_000_000_000_000_000

// said is event i, which happens now.
func (c *callers) said(n int, i uint64) stub.Said {
	return stub.Said{
		Kind: engine.Message, ID: strconv.FormatUint(firstID+i, 10), Group: c.dialect.service, Time: time.Now(),
		User: fmt.Sprintf(c.dialect.user, n), Name: "顾客", Text: fmt.Sprintf("%0*d %s", indexDigits, i, filler),
	}
}

// tell makes the callback and tells whether it was taken. The stub repeats what
// is refused, as the platform does: the time is that until it was taken.
func (c *callers) tell(ctx context.Context, i uint64, what stub.Said, t *traffic) bool {
	start := c.ledger.now()
	told, err := c.platform.Tell(ctx, c.target, what)
	if err != nil {
		if ctx.Err() == nil { // a run that ends cuts off what it waits for
			t.failed, t.lastError = t.failed+1, err
		}
		return false
	}
	if told.Taken {
		c.ledger.acked(i)
	}
	if from := c.from.Load(); from == 0 || start < from {
		return told.Taken
	}
	t.statuses[told.Status]++
	if told.Taken {
		t.ok++
		t.answered.add(time.Duration(c.ledger.now() - start))
	}
	return told.Taken
}

// hear is the script of the platform: it notes what each call answers, and
// leaves what to say to the platform.
//
// The platform loses nothing and the engine is not killed, so that a message
// that comes again has no excuse, its idempotency key being the same included:
// each counts under a key of its own.
func (c *callers) hear(call stub.Call) *stub.Answer {
	at := c.ledger.now()
	if call.Action == "" {
		return nil // a token is fetched, say
	}
	n, known := c.numbers[call.To]
	i, isEvent := eventOf(call.Text)
	if call.Action != engine.SendText || !known || !isEvent {
		c.malformed.Add(1)
		return nil
	}
	d := delivery{index: i, conversation: uint64(n), key: uint64(c.heard.Add(1))}
	c.ledger.delivered(d, uint64(len(c.unanswered)), at)
	c.answered(n)
	return nil
}

// answered gives caller n a place back.
func (c *callers) answered(n int) {
	select {
	case <-c.unanswered[n]:
	default: // there was one answer too many
	}
}

// eventOf reads which event a text echoes.
func eventOf(text string) (i uint64, ok bool) {
	if len(text) < indexDigits {
		return 0, false
	}
	i, err := strconv.ParseUint(text[:indexDigits], 10, 64)
	return i, err == nil
}
