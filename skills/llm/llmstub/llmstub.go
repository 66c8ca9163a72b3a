// Package llmstub is an endpoint of chat completions to test against: it answers
// by a list, well and badly, and keeps what it was asked.
package llmstub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Reply is how the stub answers one request.
type Reply struct {
	// Chunks are the pieces of the answer, with Pause before each; Raw stands in
	// place of all lines that they would make.
	Chunks []string
	Pause  time.Duration
	Raw    string
	// Finish is the reason given at the end: "stop" when it is empty, none at
	// all for "-".
	Finish string
	// Stall says nothing more after the chunks until the caller goes away, Cut
	// ends the connection there.
	Stall, Cut bool

	Status int               // 0: 200
	Header map[string]string // besides
	Body   string            // of a Status that is none of success
}

// Say is a reply of one piece.
func Say(text string) Reply { return Reply{Chunks: []string{text}} }

// Refuse is a reply that refuses, in the shape of OpenAI's errors.
func Refuse(status int, code, message string) Reply {
	body, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "stub_error", "code": code}})
	if err != nil {
		panic(err) // three texts
	}
	return Reply{Status: status, Body: string(body)}
}

// Request is one that the stub was asked.
type Request struct {
	Model       string
	Stream      bool
	MaxTokens   int `json:"max_tokens"`
	Completion  int `json:"max_completion_tokens"`
	Temperature *float64
	Messages    []Message
	Key         string `json:"-"` // of the Authorization header
	Path        string `json:"-"`
}

// Message is one of a request.
type Message struct{ Role, Content string }

// Stub is the endpoint, as an http.Handler and as an http.RoundTripper that needs
// no network. Its methods are safe for concurrent use.
type Stub struct {
	mu       sync.Mutex
	replies  []Reply
	requests []Request
	last     Reply
}

// New makes a stub that gives the replies in their order and the last one for ever.
func New(replies ...Reply) *Stub { return &Stub{replies: replies} }

// Requests are those made so far.
func (s *Stub) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// next keeps a request and takes the reply to it.
func (s *Stub) next(r *http.Request) (Reply, Request, error) {
	var asked Request
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	asked.Key, asked.Path = r.Header.Get("Authorization"), r.URL.Path
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, asked)
	if len(s.replies) > 0 {
		s.last, s.replies = s.replies[0], s.replies[1:]
	}
	return s.last, asked, err
}

// ServeHTTP implements http.Handler.
func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply, asked, err := s.next(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for k, v := range reply.header(asked.Stream) {
		w.Header()[k] = v
	}
	w.WriteHeader(reply.status())
	flush := http.NewResponseController(w).Flush
	if err := flush(); err != nil {
		return
	}
	if !reply.write(flushing{w, flush}, asked.Stream, r.Context().Done()) {
		panic(http.ErrAbortHandler) // which cuts the connection
	}
}

type flushing struct {
	io.Writer
	flush func() error
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err == nil {
		err = f.flush()
	}
	return n, err
}

// RoundTrip implements http.RoundTripper.
func (s *Stub) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, asked, err := s.next(r)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	body, w := io.Pipe()
	go func() {
		if reply.write(w, asked.Stream, r.Context().Done()) {
			w.Close()
			return
		}
		err := r.Context().Err()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		w.CloseWithError(err)
	}()
	return &http.Response{
		StatusCode: reply.status(), Status: http.StatusText(reply.status()), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: reply.header(asked.Stream), Body: body, ContentLength: -1, Request: r,
	}, nil
}

func (r *Reply) status() int {
	if r.Status == 0 {
		return http.StatusOK
	}
	return r.Status
}

func (r *Reply) header(stream bool) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	if stream && r.Status == 0 {
		h.Set("Content-Type", "text/event-stream")
	}
	for k, v := range r.Header {
		h.Set(k, v)
	}
	return h
}

// write gives the answer; false cuts the connection.
func (r *Reply) write(w io.Writer, stream bool, gone <-chan struct{}) bool {
	switch {
	case r.Body != "" || r.Raw != "":
		_, err := io.WriteString(w, r.Body+r.Raw)
		return err == nil && r.end(gone)
	case stream:
		return r.events(w, gone)
	}
	return r.document(w, gone)
}

// events is the answer as a stream.
func (r *Reply) events(w io.Writer, gone <-chan struct{}) bool {
	for _, c := range r.Chunks {
		if !wait(r.Pause, gone) {
			return false
		}
		if _, err := fmt.Fprintf(w, ": keep-alive\n\ndata: %s\n\n", chunk(c, nil)); err != nil {
			return false
		}
	}
	if !r.end(gone) {
		return false
	}
	if reason := r.finish(); reason != nil {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", chunk("", reason)); err != nil {
			return false
		}
		_, err := io.WriteString(w, "data: [DONE]\n\n")
		return err == nil
	}
	return true
}

// document is the answer as a whole.
func (r *Reply) document(w io.Writer, gone <-chan struct{}) bool {
	var text string
	for _, c := range r.Chunks {
		if !wait(r.Pause, gone) {
			return false
		}
		text += c
	}
	b, err := json.Marshal(map[string]any{"object": "chat.completion", "choices": []any{map[string]any{
		"index": 0, "finish_reason": r.finish(), "message": map[string]any{"role": "assistant", "content": text, "reasoning_content": "hm"},
	}}})
	if err != nil {
		panic(err) // texts
	}
	if r.Cut {
		b = b[:len(b)/2]
	}
	_, err = w.Write(b)
	return err == nil && r.end(gone)
}

// end stalls or cuts where the reply does.
func (r *Reply) end(gone <-chan struct{}) bool {
	if r.Stall {
		<-gone
	}
	return !r.Stall && !r.Cut
}

func (r *Reply) finish() any {
	switch r.Finish {
	case "":
		return "stop"
	case "-":
		return nil
	}
	return r.Finish
}

// chunk is one event of a stream, with fields that only some endpoints have.
func chunk(text string, finish any) string {
	b, err := json.Marshal(map[string]any{"object": "chat.completion.chunk", "x_unknown": []int{1}, "choices": []any{map[string]any{
		"index": 0, "finish_reason": finish, "delta": map[string]any{"content": text, "reasoning_content": "hm"},
	}}})
	if err != nil {
		panic(err) // texts
	}
	return string(b)
}

func wait(d time.Duration, gone <-chan struct{}) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-gone:
		return false
	}
}
