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

	"bot/engine"
)

// Manners is how the platform that replies are sent to behaves. The zero value
// answers everything with success, at once.
type Manners struct {
	Delay    time.Duration // before each answer
	Fail     float64       // share answered 500 and not carried out, 0 to 1
	Throttle engine.Rate   // beyond it requests are answered 429 and not carried out; zero: none
}

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
}

// maxReply bounds a request that is read into memory.
const maxReply = 1 << 20

// The answers, byte by byte.
var (
	answerDone      = answer("200 OK", "", `{"status":"success"}`)
	answerFailed    = answer("500 Internal Server Error", "", `{"status":"error"}`)
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

// serve reads one request and answers it. The error only says that the
// connection is at its end.
func (v *visitor) serve(ctx context.Context) error {
	key, err := v.read()
	if err != nil {
		return err
	}
	arrived := v.ledger.now()
	reply := answerDone
	switch {
	case v.limiter != nil && !v.limiter.Allow():
		reply = answerThrottled
	case v.manners.Fail > 0 && v.chance.Float64() < v.manners.Fail:
		reply = answerFailed
	default:
		v.carryOut(key, arrived)
	}
	if v.manners.Delay > 0 {
		select {
		case <-time.After(v.manners.Delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err = v.w.Write(reply)
	return err
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
