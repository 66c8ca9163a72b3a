package stub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"bot/engine"
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

// Ask has a stub of an AI bot tell a message, and asks for the stream that
// answers it until that is finished or six minutes have passed by the stub's
// clock, every so often by the true one. The error is for whatever the platform
// would not have understood: a status, a signature, another nonce than the
// request's, another stream, too long a text.
func (s *Stub) Ask(ctx context.Context, target string, what Said, every time.Duration) (Stream, error) {
	w, ok := s.protocol.(*wecom)
	if !ok || w.secret == nil || w.account.Form != "aibot" {
		return Stream{}, errors.New("only an AI bot of WeCom, with its key, can be asked")
	}
	what.Type = cmp.Or(what.Type, "text")
	what.ID = cmp.Or(what.ID, strconv.FormatInt(s.ids.Add(1)+s.o.Now().UnixNano(), 10))
	what.Kind, what.Time = engine.Message, s.o.Now()
	var seen Stream
	for start, n := s.o.Now(), 0; ; n++ {
		r, err := w.ask(target, &what, seen.ID)
		if err != nil {
			return seen, fmt.Errorf("make callback: %w", err)
		}
		p, err := w.packet(ctx, r)
		if err != nil {
			return seen, fmt.Errorf("callback %d: %w", n, err)
		}
		if n > 0 && p.Stream.ID != seen.ID {
			return seen, fmt.Errorf("asked for stream %q, told of %q", seen.ID, p.Stream.ID)
		}
		seen.ID, seen.Finished = p.Stream.ID, p.Stream.Finish
		if len(seen.Packets) == 0 || seen.Text() != p.Stream.Content {
			seen.Packets = append(seen.Packets, p.Stream.Content)
		}
		if seen.Finished || s.o.Now().Sub(start) >= streamLife {
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
func (w *wecom) ask(target string, s *Said, stream string) (*http.Request, error) {
	if stream == "" {
		return w.callback(target, *s, 0)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.botDocument(s)
	o["msgid"], o["msgtype"], o["stream"] = w.nextID("POLL"), "stream", object{"id": stream}
	b, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return w.seal(target, string(b))
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
func (w *wecom) packet(ctx context.Context, r *http.Request) (p streamPacket, err error) {
	nonce := r.URL.Query().Get("nonce")
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	resp, err := http.DefaultClient.Do(r.WithContext(ctx))
	if err != nil {
		return p, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	switch {
	case err != nil:
		return p, err
	case resp.StatusCode != http.StatusOK:
		return p, fmt.Errorf("answered with status %d", resp.StatusCode)
	}
	plain, err := w.openAnswer(body, nonce)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(plain, &p); err != nil {
		return p, fmt.Errorf("the answer is no JSON: %w", err)
	}
	if p.MsgType != "stream" || p.Stream.ID == "" || len(p.Stream.Content) > maxStream {
		return p, fmt.Errorf("answered %q with %d bytes, want a stream of at most %d", p.MsgType, len(p.Stream.Content), maxStream)
	}
	return p, nil
}

// openAnswer decrypts the answer to the callback with that nonce.
func (w *wecom) openAnswer(body []byte, nonce string) ([]byte, error) {
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
	return w.secret.Open(e.MsgSignature, e.Timestamp.String(), e.Nonce, e.Encrypt)
}
