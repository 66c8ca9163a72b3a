package wheel

import (
	"container/heap"
	"fmt"
	"testing"
	"time"
)

var pendings = []int{100, 10_000, 100_000, 1_000_000}

// step is the time between two sends, each of which is confirmed when half of the
// limit has passed, so that there are always as many pending.
const step = 10 * time.Microsecond

// BenchmarkWheel adds one value and cancels the oldest while many are pending: what
// confirmations do that come in time. The clock goes on meanwhile.
func BenchmarkWheel(b *testing.B) {
	for _, n := range pendings {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w, pending, now := New[int](began, time.Millisecond), make([]*Entry[int], n), began
			limit := time.Duration(2*n) * step
			for i := range pending {
				pending[i] = w.Add(now.Add(limit), i)
				now = now.Add(step)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				k := i % n
				if !w.Cancel(pending[k]) {
					b.Fatal("it has left before")
				}
				pending[k] = w.Add(now.Add(limit), k)
				if now = now.Add(step); i%64 == 0 {
					w.Advance(now)
				}
			}
		})
	}
}

// BenchmarkHeap is the same with the usual alternative.
func BenchmarkHeap(b *testing.B) {
	for _, n := range pendings {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var h alternative
			pending, now := make([]*timer, n), began
			limit := time.Duration(2*n) * step
			for i := range pending {
				pending[i] = &timer{due: now.Add(limit), value: i}
				heap.Push(&h, pending[i])
				now = now.Add(step)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				k := i % n
				heap.Remove(&h, pending[k].pos)
				pending[k] = &timer{due: now.Add(limit), value: k}
				heap.Push(&h, pending[k])
				now = now.Add(step)
			}
		})
	}
}

type timer struct {
	due        time.Time
	pos, value int
}

type alternative []*timer

func (h alternative) Len() int           { return len(h) }
func (h alternative) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h alternative) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i, j
}
func (h *alternative) Push(x any) {
	t := x.(*timer)
	t.pos = len(*h)
	*h = append(*h, t)
}
func (h *alternative) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return t
}
