package peers

import (
	"context"
	"errors"
	"runtime"
	"sync"
)

// errOver is the end of what nobody commits any more.
var errOver = errors.New("nothing is committed any more")

// line gathers what waits while that before it is made durable.
type line[T any] struct {
	mu   sync.Mutex
	open *batch[T]
	some chan struct{} // holds one element when open is not empty, and may when it is
}

// batch is what becomes durable together.
type batch[T any] struct {
	items []T
	done  chan struct{}
	err   error // valid after done
}

func newBatch[T any]() *batch[T] { return &batch[T]{done: make(chan struct{})} }

func newLine[T any]() *line[T] { return &line[T]{open: newBatch[T](), some: make(chan struct{}, 1)} }

// add returns when the item is durable, or is not going to be.
func (l *line[T]) add(item T) error {
	l.mu.Lock()
	b := l.open
	b.items = append(b.items, item)
	l.mu.Unlock()
	select {
	case l.some <- struct{}{}:
	default:
	}
	<-b.done
	return b.err
}

// serve commits batch after batch until ctx is done or one fails.
func (l *line[T]) serve(ctx context.Context, commit func(items []T) error) error {
	defer l.end()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.some:
		}
		runtime.Gosched() // as the engine does: whoever is about to add something gets the processor first
		b := l.take()
		if b == nil {
			continue // what waited went with the batch before
		}
		b.err = commit(b.items)
		close(b.done)
		if b.err != nil {
			return b.err
		}
	}
}

// take opens another batch in place of the one that is there, nil when that is empty.
func (l *line[T]) take() *batch[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.open
	if len(b.items) == 0 {
		return nil
	}
	l.open = newBatch[T]()
	return b
}

// end refuses what waits and all that comes.
func (l *line[T]) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open.err = errOver
	close(l.open.done)
}
