package boltstore

import (
	"container/list"
	"sync"

	"bot/engine"
)

// cacheKey names a decoded record.
type cacheKey struct {
	n     uint64 // of events and commands: twice their number, and one more for commands
	state string // of states: their key, which is never empty
}

func eventKey(seq uint64) cacheKey    { return cacheKey{n: seq << 1} }
func commandKey(id uint64) cacheKey   { return cacheKey{n: id<<1 | 1} }
func stateCacheKey(k []byte) cacheKey { return cacheKey{state: string(k)} }

// cache holds decoded events, commands and states within a number of bytes, so
// that what was just written is not read and decoded again.
//
// It never holds what the file does not: what a commit wrote or removed is
// brought in line before the commit is answered (offer, put, drop), and what a
// reader found is kept only if no commit came between (round, fill).
type cache struct {
	mu    sync.Mutex
	turn  uint64 // changes with every change that a commit made
	limit int64
	size  int64
	order *list.List // of *cached, least recently used last
	// Two maps, since those of one plain type are the fastest.
	numbered map[uint64]*list.Element
	states   map[string]*list.Element
}

type cached struct {
	key  cacheKey
	v    any
	size int64
}

// decodedOverhead is about what a decoded record takes beyond its bytes.
const decodedOverhead = 512

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), numbered: make(map[uint64]*list.Element), states: make(map[string]*list.Element)}
}

func (c *cache) find(k cacheKey) *list.Element {
	if k.state != "" {
		return c.states[k.state]
	}
	return c.numbered[k.n]
}

func (c *cache) get(k cacheKey) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.find(k)
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*cached).v
}

// round is to be asked for before a reader looks into the file.
func (c *cache) round() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turn
}

// fill is put for what a reader found that began in the round.
func (c *cache) fill(round uint64, k cacheKey, v any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn == round {
		c.keep(k, v, size)
	}
}

// offer keeps v if there is room. It displaces nothing: in a backlog what was
// just written is needed last.
func (c *cache) offer(k cacheKey, v any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	if c.size+int64(size)+decodedOverhead <= c.limit {
		c.add(k, v, size)
	}
}

// put keeps v, which was just needed, in place of what was not for longest.
func (c *cache) put(k cacheKey, v any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	c.keep(k, v, size)
}

func (c *cache) keep(k cacheKey, v any, size int) {
	if int64(size)+decodedOverhead > c.limit {
		return
	}
	c.add(k, v, size)
	for c.size > c.limit {
		c.remove(c.order.Back())
	}
}

func (c *cache) add(k cacheKey, v any, size int) {
	if el := c.find(k); el != nil {
		c.remove(el)
	}
	it := &cached{k, v, int64(size) + decodedOverhead}
	if el := c.order.PushFront(it); k.state != "" {
		c.states[k.state] = el
	} else {
		c.numbered[k.n] = el
	}
	c.size += it.size
}

func (c *cache) drop(k cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	if el := c.find(k); el != nil {
		c.remove(el)
	}
}

func (c *cache) remove(el *list.Element) {
	it := c.order.Remove(el).(*cached)
	if it.key.state != "" {
		delete(c.states, it.key.state)
	} else {
		delete(c.numbered, it.key.n)
	}
	c.size -= it.size
}

// close empties the cache for good, so that a closed store answers nothing.
func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit, c.size = -1, 0
	c.order.Init()
	clear(c.numbered)
	clear(c.states)
}

func (c *cache) event(seq uint64) *engine.Event {
	e, _ := c.get(eventKey(seq)).(*engine.Event)
	return e
}

// state returns a state as it is stored, the zero State where it is known that
// there is none.
func (c *cache) state(key cacheKey) (st engine.State, known bool) {
	st, known = c.get(key).(engine.State)
	return st, known
}

func (c *cache) command(id uint64) *engine.Command {
	cmd, _ := c.get(commandKey(id)).(*engine.Command)
	return cmd
}
