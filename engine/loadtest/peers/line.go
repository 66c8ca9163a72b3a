package peers

import (
	"context"
	"errors"
	"sync"
)

// errOver is the end of what nobody commits any more.
var errOver = errors.New("nothing is committed any more")

// line gathers the callbacks that wait while those before them are made durable.
type line struct {
	mu   sync.Mutex
	open *batch
	some chan struct{} // holds one element when open is not empty, and may when it is
}

// batch is the callbacks that become durable together.
type batch struct {
	ids, bodies [][]byte
	done        chan struct{}
	err         error // valid after done
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

func newLine() *line { return &line{open: newBatch(), some: make(chan struct{}, 1)} }

// add returns when the callback is durable, or is not going to be.
func (l *line) add(id, body []byte) error {
	l.mu.Lock()
	b := l.open
	b.ids, b.bodies = append(b.ids, id), append(b.bodies, body)
	l.mu.Unlock()
	select {
	case l.some <- struct{}{}:
	default:
	}
	<-b.done
	return b.err
}

// serve commits batch after batch until ctx is done or one fails.
func (l *line) serve(ctx context.Context, commit func(*batch) error) error {
	defer l.end()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.some:
		}
		l.mu.Lock()
		b := l.open
		if len(b.ids) > 0 {
			l.open = newBatch()
		}
		l.mu.Unlock()
		if len(b.ids) == 0 {
			continue // its callbacks went with the batch before
		}
		b.err = commit(b)
		close(b.done)
		if b.err != nil {
			return b.err
		}
	}
}

// end refuses those who wait and all who come.
func (l *line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open.err = errOver
	close(l.open.done)
}
