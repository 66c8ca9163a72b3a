package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"sync"

	bolt "go.etcd.io/bbolt"

	"bot/engine/channel/wire"
)

// BareChain is C, a plain whole way in a bbolt file: L, and then for each message a
// state that is read, changed and written, a reply that is stored with it in one
// commit, sent with the engine's own transport, and taken out in another. It keeps the
// order of a conversation and loses nothing, but it recognises no message that is told
// again, writes no mark before it sends, tries nothing again, paces nothing, recovers
// nothing after a crash, and matches no skill. States lie in their tree, a page each:
// that the engine does not write these for each event is what its journal is for.
type BareChain struct {
	http.Handler
	file
	url    string
	client http.Client
	turns  [lanes]chan heard
	sends  [lanes]chan reply
}

// lanes is how many conversations are handled at once, and as many sent to: what the
// transport keeps connections for.
const lanes = 64

// waiting is how many messages of a lane may wait before callbacks do.
const waiting = 1 << 12

// heard is a message in the log.
type heard struct {
	number []byte
	message
}

// reply is one in the file.
type reply struct{ number, body, key []byte }

// answer is what the platform is told.
type answer struct {
	Content string `json:"content"`
	To      string `json:"to"`
}

// numberLen is what of a message the platform knows it by: "#" and ten digits.
const numberLen = 11

// state is that of a conversation.
type state struct {
	Misses int `json:"misses"`
}

// NewBareChain makes it in a new file; replies go to the platform at url.
func NewBareChain(path, callbacks, url string) (*BareChain, error) {
	f, err := newFile(path)
	if err != nil {
		return nil, err
	}
	c := &BareChain{file: f, url: url + "/v1/message/send_text", client: http.Client{Transport: &wire.Transport{}}}
	for i := range lanes {
		c.turns[i], c.sends[i] = make(chan heard, waiting), make(chan reply, waiting)
	}
	c.Handler = receive(callbacks, c.take)
	return c, nil
}

// take logs a message and hands it on before it is answered: the next one of its
// conversation comes after that.
func (c *BareChain) take(body []byte) error {
	var m message
	if json.Unmarshal(body, &m) != nil || m.ID == "" {
		return errNoMessage
	}
	number, err := c.log(body)
	if err == nil {
		c.turns[laneOf(m.Sender)] <- heard{number, m}
	}
	return err
}

func laneOf(sender string) int {
	h := fnv.New32a()
	io.WriteString(h, sender)
	return int(h.Sum32() % lanes)
}

// Run works until ctx is done or something fails, and closes the file.
func (c *BareChain) Run(ctx context.Context) error {
	defer c.db.Close()
	defer c.client.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	var working sync.WaitGroup
	for i := range lanes {
		working.Go(func() { each(ctx, c.turns[i], cancel, func(m heard) error { return c.turn(ctx, m, c.sends[i]) }) })
		working.Go(func() { each(ctx, c.sends[i], cancel, func(r reply) error { return c.send(ctx, r) }) })
	}
	cancel(c.commits(ctx))
	working.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// each does with what comes until ctx is done, and cancels it with the first failure.
// That nothing is committed any more has its cause elsewhere.
func each[T any](ctx context.Context, of chan T, cancel context.CancelCauseFunc, do func(T) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case v := <-of:
			if err := do(v); err != nil && !errors.Is(err, errOver) {
				cancel(err)
			}
		}
	}
}

// turn handles a message in one commit, which reads the state as well: the lane is its
// conversation's alone.
func (c *BareChain) turn(ctx context.Context, m heard, sends chan<- reply) error {
	body, err := json.Marshal(answer{m.Content[:min(numberLen, len(m.Content))], m.Sender})
	if err != nil {
		return err
	}
	r := reply{number: m.number, body: body, key: []byte(m.ID)}
	err = c.line.add(write{run: func(tx *bolt.Tx) error {
		states := tx.Bucket(bucketStates)
		var s state
		if before := states.Get([]byte(m.Sender)); before != nil {
			if err := json.Unmarshal(before, &s); err != nil {
				return fmt.Errorf("read a state: %w", err)
			}
		}
		s.Misses++
		after, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if err := tx.Bucket(bucketLog).Delete(m.number); err != nil {
			return err
		}
		if err := states.Put([]byte(m.Sender), after); err != nil {
			return err
		}
		return tx.Bucket(bucketReplies).Put(r.number, r.body)
	}})
	if err != nil {
		return err
	}
	select {
	case sends <- r:
	case <-ctx.Done():
	}
	return nil
}

// send has the platform take a reply, which is then forgotten.
func (c *BareChain) send(ctx context.Context, r reply) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", string(r.key))
	resp, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the platform answered %s", resp.Status)
	}
	return c.line.add(write{run: func(tx *bolt.Tx) error { return tx.Bucket(bucketReplies).Delete(r.number) }})
}
