package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"bot/store"
)

// order says what is to happen and where. A test writes it as one line,
// "Commit/before kill 3", into the file that BOT_CRASH names; it counts from
// when the line is there, so that a process can be left to recover before.
// When it is carried out a file that ends with ".hit" is put beside it.
type order struct {
	point  string // an act, and which side of it: Commit/before
	action string // kill, panic, full, failed, error or sleep
	count  int    // the passing that it happens at, from 1
}

// points counts how often the point of the present order was passed.
type points struct {
	file string
	nap  time.Duration // how long an act that takes its time takes

	mu     sync.Mutex
	order  string
	passed int
}

// pass does what is ordered for this passing of the point. Its error is to be
// answered to whoever came by.
func (p *points) pass(point string) error {
	o, ok := p.due(point)
	if !ok {
		return nil
	}
	switch o.action {
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	case "panic":
		panic("ordered at " + point)
	case "full":
		return fmt.Errorf("ordered at %s: %w", point, store.ErrFull)
	case "failed":
		return fmt.Errorf("ordered at %s: %w", point, store.ErrFailed)
	case "error":
		return errors.New("ordered at " + point)
	case "sleep":
		time.Sleep(p.nap)
	}
	return nil
}

// due tells whether this passing is the ordered one, and notes the hit.
func (p *points) due(point string) (o order, ok bool) {
	line, err := os.ReadFile(p.file)
	if err != nil || !strings.HasPrefix(string(line), point+" ") {
		return o, false
	}
	if _, err := fmt.Sscan(string(line), &o.point, &o.action, &o.count); err != nil {
		panic(fmt.Sprintf("order %q: %v", line, err))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.order != string(line) {
		p.order, p.passed = string(line), 0
	}
	if p.passed++; p.passed != o.count {
		return o, false
	}
	if err := os.WriteFile(p.file+".hit", line, 0o600); err != nil {
		panic(err)
	}
	return o, true
}

// ordered tells whether the order is for the act at all.
func (p *points) ordered(act string) bool {
	line, err := os.ReadFile(p.file)
	return err == nil && strings.HasPrefix(string(line), act+"/")
}

// around passes the points before and after an act. The one after is passed
// only if the act succeeded.
func (p *points) around(act string, do func() error) error {
	if err := p.pass(act + "/before"); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return p.pass(act + "/after")
}
