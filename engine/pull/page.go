package pull

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

const (
	// maxAtOnce is how many pages of one account are fetched at the same time:
	// platforms refuse more (WeCom about five).
	maxAtOnce = 4
	// pageTime bounds the fetching of one page.
	pageTime = 30 * time.Second
)

var (
	errNoPuller = errors.New("the account is not configured for fetching")
	errSlow     = errors.New("the disk is too slow for more")
	errStalled  = errors.New("the platform says that there is more, and not where")
)

// attend fetches from a source whenever it is rung for, and now and then.
func (p *Porter) attend(ctx context.Context, s *source) error {
	if !s.known {
		s.rest(ctx, p.o.Every)
	}
	for ctx.Err() == nil {
		err := p.drain(ctx, s)
		switch {
		case ctx.Err() != nil:
		case over(err):
			return err
		case err != nil:
			p.failed(s, err).wait(ctx, s)
		default:
			s.rest(ctx, p.o.Every)
		}
	}
	return nil
}

// drain fetches page after page, until there is no more or one fails.
func (p *Porter) drain(ctx context.Context, s *source) error {
	select {
	case <-s.changed: // what is tried now is as configured now
	default:
	}
	for {
		more, err := p.page(ctx, s)
		if err != nil {
			return err
		}
		p.recovered(s)
		if !more {
			return nil
		}
	}
}

// page fetches the page behind the cursor and stores it.
func (p *Porter) page(ctx context.Context, s *source) (more bool, err error) {
	puller := p.o.Pullers()[s.account]
	if puller == nil {
		return false, errNoPuller
	}
	if limit := p.o.MaxCommitWait(); limit > 0 && p.o.Store.CommitWait() > limit {
		return false, errSlow
	}
	cursor, err := p.o.Store.Recall(s.account, cursorNote+s.source)
	if err != nil {
		return false, fmt.Errorf("read cursor: %w", err)
	}
	free, err := p.slot(ctx, s.account)
	if err != nil {
		return false, err
	}
	ring, token := s.ring()
	got, err := p.fetch(ctx, puller, s.source, token, cursor)
	free()
	if err != nil {
		return false, err
	}
	if err := p.keep(ctx, s, got, cursor, ring); err != nil {
		return false, err
	}
	if got.More && (got.Cursor == "" || got.Cursor == cursor) {
		return false, errStalled
	}
	return got.More, nil
}

// slot waits for one of the account's; free gives it back.
func (p *Porter) slot(ctx context.Context, account string) (free func(), err error) {
	p.mu.Lock()
	slots := p.slots[account]
	if slots == nil {
		slots = make(chan struct{}, maxAtOnce)
		p.slots[account] = slots
	}
	p.mu.Unlock()
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fetch pulls one page. A Puller that panics has brought nothing.
func (p *Porter) fetch(ctx context.Context, puller channel.Puller, source, token, cursor string) (got channel.Page, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			what := fmt.Sprintf("a %T", r)
			if e, ok := r.(runtime.Error); ok {
				what = e.Error() // safe to print, unlike a value that may hold anything
			}
			p.o.Log.Error("puller panicked", "source", source, "panic", what, "stack", string(debug.Stack()))
			got, err = channel.Page{}, &channel.SendError{Class: channel.Unsure, Note: "the puller panicked"}
		}
	}()
	return puller.Pull(ctx, source, token, cursor)
}

// keep stores a page and how far it goes. The last page answers the ring that
// it was fetched for, unless another came meanwhile.
func (p *Porter) keep(ctx context.Context, s *source, got channel.Page, before string, ring uint64) error {
	var notes []engine.Note
	if got.Cursor != "" && got.Cursor != before {
		notes = append(notes, engine.Note{Key: cursorNote + s.source, Value: got.Cursor})
	}
	if got.More {
		return p.store(ctx, s.account, got.Events, notes)
	}
	s.onDisk.Lock()
	defer s.onDisk.Unlock()
	last, _ := s.ring()
	answers := last == ring && s.waits()
	if answers {
		notes = append(notes, engine.Note{Key: ringNote + s.source})
	}
	err := p.store(ctx, s.account, got.Events, notes)
	if err == nil && answers {
		s.settle(ring)
	}
	return err
}

// store appends the events that are welcome, and the notes, and tells what
// became of them.
func (p *Porter) store(ctx context.Context, account string, events []*engine.Event, notes []engine.Note) error {
	var welcome, refused []*engine.Event
	var reasons []string
	for _, e := range events {
		if why := p.o.Admit(e); why != "" {
			refused, reasons = append(refused, e), append(reasons, why)
		} else {
			welcome = append(welcome, e)
		}
	}
	if len(welcome) > 0 || len(notes) > 0 {
		done, err := p.o.Store.AppendPage(ctx, welcome, p.o.Window(account), account, notes)
		if err != nil {
			return fmt.Errorf("store page: %w", err)
		}
		fresh := false
		for i, e := range welcome {
			fresh = fresh || !done.Duplicate[i]
			p.o.Logged(e, done.Duplicate[i])
		}
		if fresh {
			p.o.Poke()
		}
	}
	for i, e := range refused {
		p.o.Refused(e, reasons[i])
	}
	return nil
}
