package wecomstub

import (
	"container/heap"
	"time"
)

// maxRemembered is how many things of one sort are remembered.
const maxRemembered = 1 << 16

// memory is what the platform remembers by key, each until a time that its user
// looks at: to make room for something new beyond maxRemembered it forgets what
// ends first. Its zero value is ready for use.
type memory[V any] struct {
	all   map[string]*memo[V]
	order timely[V]
}

type memo[V any] struct {
	key   string
	value V
	until time.Time
	place int // in the order
}

// put remembers a value in the place of the one before.
func (m *memory[V]) put(key string, value V, until time.Time) {
	if known := m.all[key]; known != nil {
		known.value, known.until = value, until
		heap.Fix(&m.order, known.place)
		return
	}
	if m.all == nil {
		m.all = make(map[string]*memo[V])
	}
	if len(m.order) == maxRemembered {
		delete(m.all, heap.Pop(&m.order).(*memo[V]).key)
	}
	one := &memo[V]{key: key, value: value, until: until}
	m.all[key] = one
	heap.Push(&m.order, one)
}

func (m *memory[V]) get(key string) (value V, until time.Time, known bool) {
	one := m.all[key]
	if one == nil {
		return value, until, false
	}
	return one.value, one.until, true
}

func (m *memory[V]) clear() { *m = memory[V]{} }

// timely is a heap whose first memo is the one whose time comes first.
type timely[V any] []*memo[V]

func (h timely[V]) Len() int           { return len(h) }
func (h timely[V]) Less(i, j int) bool { return h[i].until.Before(h[j].until) }

func (h timely[V]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *timely[V]) Push(one any) {
	m := one.(*memo[V])
	m.place = len(*h)
	*h = append(*h, m)
}

func (h *timely[V]) Pop() any {
	last := len(*h) - 1
	one := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return one
}
