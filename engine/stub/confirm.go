package stub

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"bot/engine"
)

// Confirm is how a platform speaks of what it took: engine.Confirmed, with the
// call's key as the user, and as the text why it failed.
type Confirm struct {
	Target string        // the bot's address
	After  time.Duration // its answer
	Failed string        // why it was not carried out after all; "": it was
}

// ParseConfirm reads how a platform confirms, as the command line has it: never
// (nil), ok, failed, and either with a delay, like ok:2s; a delay alone is of ok.
func ParseConfirm(text string) (*Confirm, error) {
	word, wait, _ := strings.Cut(text, ":")
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return &Confirm{After: d}, nil
	}
	d, err := time.ParseDuration(cmp.Or(wait, "0s"))
	switch {
	case err != nil || d < 0:
	case text == "never":
		return nil, nil
	case word == "ok":
		return &Confirm{After: d}, nil
	case word == "failed":
		return &Confirm{After: d, Failed: "the platform could not do it"}, nil
	}
	return nil, fmt.Errorf("%q is no way to confirm (never, ok, failed, or one of them with a delay, like ok:2s)", text)
}

// later is what a stub does besides answering. Its zero value is ready, and is so
// again after its end.
type later struct {
	mu   sync.Mutex
	ctx  context.Context
	stop context.CancelFunc
	busy sync.WaitGroup
}

func (l *later) do(f func(ctx context.Context)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil {
		l.ctx, l.stop = context.WithCancel(context.Background())
	}
	ctx := l.ctx
	l.busy.Go(func() { f(ctx) })
}

func (l *later) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil {
		return
	}
	l.stop()
	l.busy.Wait()
	l.ctx, l.stop = nil, nil
}

// comesBack is how long a platform waits before it tries once more to confirm what
// nobody took from it.
const comesBack = time.Second

// confirm says later what became of a call, again and again until it is taken.
func (s *Stub) confirm(c Confirm, key string) {
	said := s.Filled(Said{Kind: engine.Confirmed, User: key, Text: c.Failed})
	s.later.do(func(ctx context.Context) {
		for wait := c.After; ; wait = comesBack {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
			if told, _ := s.Tell(ctx, c.Target, said); told.Taken {
				return
			}
		}
	})
}
