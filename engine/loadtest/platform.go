package loadtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// platform is what replies are sent to. It reads as much of HTTP/1.1 as it
// takes to find a request's end and its idempotency key, so that most of the
// machine is left to the server under test. `bot stub` is the one that judges
// requests; this one keeps the ledger.
type platform struct {
	manners       Manners
	conversations uint64
	ledger        *ledger
	limiter       *rate.Limiter
	listener      net.Listener
	bulk          atomic.Int64 // bulk commands that came
	malformed     atomic.Int64 // requests from which no event could be read
	began         atomic.Int64 // ledger time of the load's beginning
	throttled     atomic.Int64 // answered 429
	failed        atomic.Int64 // answered 500 or 502
	hungUp        atomic.Int64 // carried out and hung up on
}

// Platform counts how the platform treated the requests that it did not simply
// carry out, warm-up included.
type Platform struct {
	Throttled int `json:"throttled"`
	Failed    int `json:"failed"`
	HungUp    int `json:"hung_up"`
}

func (p *platform) counts() Platform {
	return Platform{Throttled: int(p.throttled.Load()), Failed: int(p.failed.Load()), HungUp: int(p.hungUp.Load())}
}

// maxReply bounds a request that is read into memory.
const maxReply = 1 << 20

// The answers, byte by byte.
var (
	answerDone      = answer("200 OK", "", `{"status":"success"}`)
	answerFailed    = answer("500 Internal Server Error", "", `{"status":"error"}`)
	answerDown      = answer("502 Bad Gateway", "", `{"status":"error"}`)
	answerThrottled = answer("429 Too Many Requests", "Retry-After: 1\r\n", `{"status":"error"}`)
)

func answer(status, header, body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		status, header, len(body), body)
}

// newPlatform listens on a free loopback port. conversations is the
// generator's: it tells which conversation an event belongs to.
func newPlatform(m Manners, conversations int, led *ledger) (*platform, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for replies: %w", err)
	}
	p := &platform{manners: m, conversations: uint64(conversations), ledger: led, listener: l}
	if n := m.Throttle.PerSecond(); n > 0 {
		p.limiter = rate.NewLimiter(rate.Limit(n), 1+int(n/100))
	}
	return p, nil
}

// begin: the load begins now.
func (p *platform) begin() { p.began.Store(p.ledger.now()) }

func (p *platform) url() string { return "http://" + p.listener.Addr().String() }

// run serves until ctx is done and returns when every connection is closed.
func (p *platform) run(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { p.listener.Close() })()
	var open sync.WaitGroup
	defer open.Wait()
	for n := uint64(0); ; n++ {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		open.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			c := visitor{platform: p, r: bufio.NewReader(conn), w: conn, chance: rand.New(rand.NewPCG(n, 2))}
			for c.serve(ctx) == nil {
			}
		})
	}
}

// visitor is one connection from the server under test.
type visitor struct {
	*platform
	r      *bufio.Reader
	w      io.Writer
	body   []byte
	chance *rand.Rand
}

// errHungUp ends a connection on which there was no answer.
var errHungUp = errors.New("hung up")

// serve reads one request and answers it. The error only says that the
// connection is at its end.
func (v *visitor) serve(ctx context.Context) error {
	key, err := v.read()
	if err != nil {
		return err
	}
	arrived := v.ledger.now()
	reply, done := v.judge()
	if done {
		v.carryOut(key, arrived)
	}
	if v.manners.Delay > 0 {
		select {
		case <-time.After(v.manners.Delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if reply == nil {
		return errHungUp
	}
	_, err = v.w.Write(reply)
	return err
}

// judge chooses the answer to a request, nil for none, and whether it is done.
func (v *visitor) judge() (reply []byte, done bool) {
	m := &v.manners
	loaded := time.Duration(v.ledger.now() - v.began.Load())
	switch {
	case m.Down <= loaded && loaded < m.Up:
		v.failed.Add(1)
		return answerDown, false
	case v.limiter != nil && !v.limiter.Allow():
		v.throttled.Add(1)
		return answerThrottled, false
	case m.Fail > 0 && v.chance.Float64() < m.Fail:
		v.failed.Add(1)
		return answerFailed, false
	case m.HangUp > 0 && v.chance.Float64() < m.HangUp:
		v.hungUp.Add(1)
		return nil, true
	}
	return answerDone, true
}

func (v *visitor) carryOut(key uint64, arrived int64) {
	d, ok := parseDelivery(v.body)
	if !ok && bytes.Contains(v.body, []byte(`"content":"`+bulkMark)) {
		v.bulk.Add(1)
		return
	}
	if !ok {
		v.malformed.Add(1)
		return
	}
	d.key = key
	v.ledger.delivered(d, v.conversations, arrived)
}

// read takes a whole request in, its body into v.body.
func (v *visitor) read() (key uint64, err error) {
	line, err := readLine(v.r)
	if err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(line, []byte("POST ")) {
		return 0, fmt.Errorf("not a POST: %q", line)
	}
	length := 0
	for {
		if line, err = readLine(v.r); err != nil {
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		if value, ok := headerValue(line, "Content-Length"); ok {
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 || length > maxReply {
				return 0, errors.New("bad length")
			}
		} else if value, ok := headerValue(line, "Idempotency-Key"); ok {
			key = hashKey(value)
		}
	}
	if cap(v.body) < length {
		v.body = make([]byte, length)
	}
	v.body = v.body[:length]
	_, err = io.ReadFull(v.r, v.body)
	return key, err
}
