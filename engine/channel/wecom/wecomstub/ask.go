package wecomstub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"bot/engine/stub"
)

// Stream is what a user of an AI bot saw of an answer.
type Stream struct {
	ID       string
	Packets  []string // the texts, one after the other, each the whole so far
	Finished bool     // by the bot; else the platform stopped asking
}

// Text is what stands there in the end.
func (s *Stream) Text() string {
	if len(s.Packets) == 0 {
		return ""
	}
	return s.Packets[len(s.Packets)-1]
}

// Ask has the stub of an AI bot tell a message, and asks for the stream that
// answers it until that is finished or six minutes have passed by the stub's
// clock, every so often by the true one. The error is for whatever the platform
// would not have understood: a status, a signature, another nonce than the
// request's, another stream, too long a text.
func Ask(ctx context.Context, s *stub.Stub, target string, what stub.Said, every time.Duration) (Stream, error) {
	p := Of(s)
	if p == nil || p.secret == nil || p.account.Form != "aibot" {
		return Stream{}, errors.New("only an AI bot of WeCom, with its key, can be asked")
	}
	what = s.Filled(what)
	var seen Stream
	for start, n := p.now(), 0; ; n++ {
		r, err := p.ask(target, &what, seen.ID)
		if err != nil {
			return seen, fmt.Errorf("make callback: %w", err)
		}
		told, err := p.packet(ctx, s, r)
		if err != nil {
			return seen, fmt.Errorf("callback %d: %w", n, err)
		}
		if n > 0 && told.Stream.ID != seen.ID {
			return seen, fmt.Errorf("asked for stream %q, told of %q", seen.ID, told.Stream.ID)
		}
		seen.ID, seen.Finished = told.Stream.ID, told.Stream.Finish
		if len(seen.Packets) == 0 || seen.Text() != told.Stream.Content {
			seen.Packets = append(seen.Packets, told.Stream.Content)
		}
		if seen.Finished || p.now().Sub(start) >= streamLife {
			return seen, nil
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return seen, ctx.Err()
		}
	}
}

// ask is the message itself, or a poll for its stream.
func (p *Platform) ask(target string, s *stub.Said, stream string) (*http.Request, error) {
	if stream == "" {
		return p.Callback(target, *s, 0)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.botDocument(s)
	o["msgid"], o["msgtype"], o["stream"] = p.nextID("POLL"), "stream", object{"id": stream}
	b, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return p.seal(target, string(b))
}

// streamPacket is one answer to a callback of an AI bot.
type streamPacket struct {
	MsgType string
	Stream  struct {
		ID, Content string
		Finish      bool
	}
}

// packet makes the call and opens its answer.
func (p *Platform) packet(ctx context.Context, s *stub.Stub, r *http.Request) (told streamPacket, err error) {
	status, body, err := s.Deliver(ctx, r)
	switch {
	case err != nil:
		return told, err
	case status != http.StatusOK:
		return told, fmt.Errorf("answered with status %d", status)
	}
	plain, err := p.openAnswer(body, r.URL.Query().Get("nonce"))
	if err != nil {
		return told, err
	}
	if err := json.Unmarshal(plain, &told); err != nil {
		return told, fmt.Errorf("the answer is no JSON: %w", err)
	}
	if told.MsgType != "stream" || told.Stream.ID == "" || len(told.Stream.Content) > maxStream {
		return told, fmt.Errorf("answered %q with %d bytes, want a stream of at most %d", told.MsgType, len(told.Stream.Content), maxStream)
	}
	return told, nil
}

// openAnswer decrypts the answer to the callback with that nonce.
func (p *Platform) openAnswer(body []byte, nonce string) ([]byte, error) {
	var e struct {
		Encrypt, MsgSignature, Nonce string
		Timestamp                    json.Number
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("the answer is no envelope: %w", err)
	}
	if e.Nonce != nonce {
		return nil, fmt.Errorf("the answer has the nonce %q, the request had %q", e.Nonce, nonce)
	}
	return p.secret.Open(e.MsgSignature, e.Timestamp.String(), e.Nonce, e.Encrypt)
}
