// Package warm runs short functions on goroutines that are kept. A new
// goroutine begins with a small stack and pays for every growth of it; where
// thousands a second each call deep, that growth is a tenth of the processor.
package warm

import "sync"

// Crew runs functions, each on a goroutine of its own: one that has nothing to
// do where there is one, else a new one. Its methods are safe for concurrent
// use.
type Crew struct {
	idle chan func()   // unbuffered: a send succeeds only to one that waits
	over chan struct{} // closed: who has nothing to do ends
	once sync.Once
}

// NewCrew returns a crew without goroutines. It keeps as many as were ever busy
// at once, until Close.
func NewCrew() *Crew {
	return &Crew{idle: make(chan func()), over: make(chan struct{})}
}

// Go runs f soon and returns at once. A panic in f ends the process, as it
// would with a go statement. After Close it is a go statement.
func (c *Crew) Go(f func()) {
	select {
	case c.idle <- f:
	default:
		go c.work(f)
	}
}

func (c *Crew) work(f func()) {
	for {
		f()
		select {
		case f = <-c.idle:
		case <-c.over:
			return
		}
	}
}

// Close lets the goroutines end, each when its function has returned. It does
// not wait for them.
func (c *Crew) Close() { c.once.Do(func() { close(c.over) }) }
