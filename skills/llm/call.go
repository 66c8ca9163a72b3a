package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"bot/engine/retryafter"
)

// Bytes of one answer: of what is read, and of its text. Both are far more than the
// most tokens there can be take, as a stream and with the model's thoughts.
const (
	maxBody = 32 << 20
	maxText = 1 << 20
)

// errTooLarge refuses an answer that would fill the memory.
var errTooLarge = errors.New("the answer is larger than max_tokens can be")

// call is the HTTP side of one request: it sees what the library does not pass on.
type call struct {
	client *http.Client
	now    func() time.Time
	status int  // of the answer; 0: none came
	json   bool // it came as one document
	body   *bounded
	after  time.Duration // how long the endpoint wants to be left alone; 0: not said
}

// Do implements openai.HTTPDoer.
func (c *call) Do(r *http.Request) (*http.Response, error) {
	resp, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	c.status = resp.StatusCode
	c.after, _ = retryafter.Read(resp.Header, c.now())
	c.json = strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json")
	c.body = &bounded{ReadCloser: resp.Body, left: maxBody}
	resp.Body = c.body
	return resp, nil
}

// complete tells whether the stream's own mark of its end has come.
func (c *call) complete() bool { return c.body != nil && c.body.done }

// bounded is a body that fails when there is too much of it, and looks out for the
// line that ends a stream.
type bounded struct {
	io.ReadCloser
	left int
	tail []byte // the last few bytes, for a mark that comes in two pieces
	done bool
}

// endMark is the last line of a stream.
const endMark = "data: [DONE]"

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLarge
	}
	b.tail = append(b.tail, p[:n]...)
	b.done = b.done || bytes.Contains(b.tail, []byte(endMark))
	b.tail = append(b.tail[:0], b.tail[max(0, len(b.tail)-len(endMark)):]...)
	return n, err
}

// errRedirect tells what to write where an endpoint has moved.
var errRedirect = errors.New("the endpoint redirects, which is not followed: the key and what users say go to base_url alone")

// stay is an http.Client's CheckRedirect.
func stay(*http.Request, []*http.Request) error { return errRedirect }
