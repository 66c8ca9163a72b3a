package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"bot/engine"
)

// ErrOffline refuses a request where skills are only tried and no answer is left
// for it.
var ErrOffline = errors.New("other systems are not called in a test or a replay; its answers = [\"…\"] stand in for them, and none is left")

type answersKey struct{}

// answers are handed out one after the other.
type answers struct {
	mu   sync.Mutex
	rest []engine.Answer
}

// WithAnswers has the requests of clients of this package that are made with the
// context answered from a list, in its order, and not by the network.
func WithAnswers(ctx context.Context, list []engine.Answer) context.Context {
	return context.WithValue(ctx, answersKey{}, &answers{rest: list})
}

// Offline has such requests refused with ErrOffline.
func Offline(ctx context.Context) context.Context { return WithAnswers(ctx, nil) }

// Tried tells whether the context has a list of answers, be it empty.
func Tried(ctx context.Context) bool {
	_, tried := ctx.Value(answersKey{}).(*answers)
	return tried
}

// Next takes the next answer of the context's list; tried is false where there
// is no list and the network is to be asked.
func Next(ctx context.Context) (a engine.Answer, tried bool, err error) {
	list, tried := ctx.Value(answersKey{}).(*answers)
	if !tried {
		return engine.Answer{}, false, nil
	}
	list.mu.Lock()
	defer list.mu.Unlock()
	if len(list.rest) == 0 {
		return engine.Answer{}, true, ErrOffline
	}
	a, list.rest = list.rest[0], list.rest[1:]
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	return a, true, nil
}

// Left is how many answers of the context's list nobody has asked for.
func Left(ctx context.Context) int {
	list, tried := ctx.Value(answersKey{}).(*answers)
	if !tried {
		return 0
	}
	list.mu.Lock()
	defer list.mu.Unlock()
	return len(list.rest)
}

// canned answers from the request's context where that has answers.
type canned struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	a, tried, err := Next(r.Context())
	if !tried {
		return c.Transport.RoundTrip(r)
	}
	if r.Body != nil {
		r.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(a.Status), StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: io.NopCloser(strings.NewReader(a.Body)), ContentLength: int64(len(a.Body)), Request: r,
	}, nil
}
