package wire

import (
	"slices"
	"sync"
	"time"
)

const (
	maxIdle = 64 // connections per host
	// idleTimeout is shorter than what most gateways keep, so that it is rarely
	// they who close a connection we are about to use.
	idleTimeout = 30 * time.Second
)

// pool keeps the connections that wait for a request.
type pool struct {
	mu    sync.Mutex
	idle  map[host][]*conn // the longest idle first
	sweep *time.Timer      // set while any may be idle
}

// take hands out the connection that was used last, which is the least likely
// to have been closed; nil = there is none.
func (p *pool) take(h host) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.idle[h]
	if len(all) == 0 {
		return nil
	}
	last := len(all) - 1
	c := all[last]
	all[last] = nil
	p.idle[h] = all[:last]
	return c
}

// giveBack ends a request's use of a connection, and closes it where no other
// may follow. What came after the answer was not asked for; a connection that
// has some of it cannot be trusted.
func (p *pool) giveBack(c *conn, keep bool) {
	if c.end() && keep && c.r.Buffered() == 0 {
		p.put(c)
	} else {
		c.socket.Close()
	}
}

// put keeps a connection, and closes the one that was idle longest where there
// are too many.
func (p *pool) put(c *conn) {
	c.idleSince = time.Now()
	if surplus := p.add(c); surplus != nil {
		surplus.close()
	}
}

func (p *pool) add(c *conn) (surplus *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.idle[c.host]
	if len(all) == maxIdle {
		surplus = all[0]
		all = slices.Delete(all, 0, 1)
	}
	if p.idle == nil {
		p.idle = make(map[host][]*conn)
	}
	p.idle[c.host] = append(all, c)
	if p.sweep == nil {
		p.sweep = time.AfterFunc(idleTimeout, p.expire)
	}
	return surplus
}

// expire closes what has been idle for too long and comes back for the rest.
func (p *pool) expire() {
	for _, c := range p.expired(time.Now()) {
		c.close()
	}
}

func (p *pool) expired(now time.Time) (out []*conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sweep == nil { // closed meanwhile
		return nil
	}
	next := idleTimeout
	for h, all := range p.idle {
		n := 0
		for n < len(all) && now.Sub(all[n].idleSince) >= idleTimeout {
			n++
		}
		out = append(out, all[:n]...)
		if n == len(all) {
			delete(p.idle, h)
			continue
		}
		rest := slices.Delete(all, 0, n)
		p.idle[h] = rest
		next = min(next, idleTimeout-now.Sub(rest[0].idleSince))
	}
	if len(p.idle) == 0 {
		p.sweep = nil
	} else {
		p.sweep.Reset(next)
	}
	return out
}

// close closes everything that is idle.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
	p.mu.Unlock()
	for _, all := range idle {
		for _, c := range all {
			c.close()
		}
	}
}
