package boltstore

import (
	"container/list"
	"sync"

	"bot/engine"
)

// cacheKey names a decoded record. Neither kind of number is ever given twice,
// so an entry that outlived its record is never mistaken for another's.
type cacheKey struct {
	command bool
	n       uint64
}

func eventKey(seq uint64) cacheKey  { return cacheKey{n: seq} }
func commandKey(id uint64) cacheKey { return cacheKey{command: true, n: id} }

// cache holds decoded events and commands within a number of bytes, so that
// what was just written is not read and decoded again. It is never asked
// whether a record exists.
type cache struct {
	mu    sync.Mutex
	limit int64
	size  int64
	order *list.List // of *cached, least recently used last
	items map[cacheKey]*list.Element
}

type cached struct {
	key  cacheKey
	v    any
	size int64
}

// decodedOverhead is about what a decoded record takes beyond its bytes.
const decodedOverhead = 512

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), items: make(map[cacheKey]*list.Element)}
}

func (c *cache) get(k cacheKey) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.items[k]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*cached).v
}

// offer keeps v if there is room. It displaces nothing: in a backlog what was
// just written is needed last.
func (c *cache) offer(k cacheKey, v any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size+int64(size)+decodedOverhead <= c.limit {
		c.add(k, v, size)
	}
}

// put keeps v, which was just needed, in place of what was not for longest.
func (c *cache) put(k cacheKey, v any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if int64(size)+decodedOverhead > c.limit {
		return
	}
	c.add(k, v, size)
	for c.size > c.limit {
		c.remove(c.order.Back())
	}
}

func (c *cache) add(k cacheKey, v any, size int) {
	if el := c.items[k]; el != nil {
		c.remove(el)
	}
	it := &cached{k, v, int64(size) + decodedOverhead}
	c.items[k] = c.order.PushFront(it)
	c.size += it.size
}

func (c *cache) drop(k cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.items[k]; el != nil {
		c.remove(el)
	}
}

func (c *cache) remove(el *list.Element) {
	it := c.order.Remove(el).(*cached)
	delete(c.items, it.key)
	c.size -= it.size
}

func (c *cache) event(seq uint64) *engine.Event {
	e, _ := c.get(eventKey(seq)).(*engine.Event)
	return e
}

func (c *cache) command(id uint64) *engine.Command {
	cmd, _ := c.get(commandKey(id)).(*engine.Command)
	return cmd
}
