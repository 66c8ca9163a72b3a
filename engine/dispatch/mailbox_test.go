package dispatch

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bot/engine"
)

func TestAFifoIsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q fifo[int]
		var model []int
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"push some": func(t *rapid.T) {
				for range rapid.IntRange(1, 100).Draw(t, "n") {
					q.push(next)
					model = append(model, next)
					next++
				}
			},
			"pop some": func(t *rapid.T) {
				for range rapid.IntRange(1, 100).Draw(t, "n") {
					if len(model) == 0 {
						return
					}
					if got := q.pop(); got != model[0] {
						t.Fatalf("popped %d, want %d", got, model[0])
					}
					model = model[1:]
				}
			},
			"": func(t *rapid.T) {
				if q.len() != len(model) {
					t.Fatalf("length %d, want %d", q.len(), len(model))
				}
			},
		})
	})
}

func TestAFifoGivesMemoryBack(t *testing.T) {
	var q fifo[uint64]
	for i := range uint64(100_000) {
		q.push(i)
	}
	for q.len() > 1000 {
		q.pop()
	}
	if got := cap(q.items); got > 4000 {
		t.Errorf("room for %d elements, holds 1000", got)
	}
	for range uint64(100_000) { // a queue that neither grows nor empties
		q.push(0)
		q.pop()
	}
	if got := cap(q.items); got > 6000 {
		t.Errorf("room for %d elements after steady use, holds 1000", got)
	}
}

func TestDelaysEndInTheOrderOfTheirTimes(t *testing.T) {
	now := time.Now()
	var d delays
	boxes := map[int]*mailbox{}
	for _, s := range []int{5, 1, 4, 2, 3} {
		boxes[s] = &mailbox{}
		d.add(now.Add(time.Duration(s)*time.Second), boxes[s])
	}
	at := now.Add(3 * time.Second)
	for s := 1; s <= 3; s++ {
		if d.due(at) != boxes[s] {
			t.Errorf("number %d is not the next", s)
		}
	}
	if d.due(at) != nil || len(d) != 2 {
		t.Errorf("%d left, and one of them is due early", len(d))
	}
}

// inUse is the memory that a garbage collection cannot free.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The bound that is promised is 200 bytes per waiting event, wherever it waits.
// The worst case is a conversation for each event just after the map has grown.
func TestAWaitingEventTakesLittleMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		events, conversations int
		most                  int64
	}{
		"all in one conversation":             {200_000, 1, 12},
		"ten in each":                         {200_000, 20_000, 40},
		"each in its own":                     {200_000, 200_000, 200},
		"each in its own, the map just grown": {115_000, 115_000, 200},
		"each in its own, the map about to":   {110_000, 110_000, 200},
		"each in its own, and only a few":     {2_000, 2_000, 200},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(Options{})
			before := inUse()
			for i := range tc.events {
				key := engine.ConversationKey{Account: "shop", Conversation: fmt.Sprintf("wxid_%019d", i%tc.conversations)}
				if b := d.table.add(uint64(i+1), key); b != nil {
					d.ready.push(b)
				}
			}
			if each := (inUse() - before) / int64(tc.events); each > tc.most {
				t.Errorf("%d bytes per event, want at most %d", each, tc.most)
			} else {
				t.Logf("%d bytes per event", each)
			}
			runtime.KeepAlive(d)
		})
	}
}

func TestATableThatEmptiesGivesMemoryBack(t *testing.T) {
	before := inUse()
	table := newTable()
	var boxes []*mailbox
	for i := range 100_000 {
		boxes = append(boxes, table.add(uint64(i), engine.ConversationKey{Account: "shop", Conversation: fmt.Sprint(i)}))
	}
	for i, b := range boxes[10:] {
		table.remove(b)
		boxes[10+i] = nil
	}
	boxes = boxes[:10:10]
	if left := inUse() - before; left > 2<<20 { // boxes itself is 1 MiB and more
		t.Errorf("%d bytes left for 10 mailboxes", left)
	}
	if len(table.boxes) != 10 || table.accounts["shop"].boxes != 10 {
		t.Errorf("%d mailboxes in the table, %d of the account", len(table.boxes), table.accounts["shop"].boxes)
	}
	for _, b := range boxes {
		table.remove(b)
	}
	if len(table.boxes)+len(table.accounts) != 0 {
		t.Errorf("left: %v, %v", table.boxes, table.accounts)
	}
}

func TestTheTableKeepsNothingOfTheEvent(t *testing.T) {
	before := inUse()
	table := newTable()
	for i := range 64 {
		body := fmt.Sprintf("shop%02d", i) + strings.Repeat(" ", 1<<20)
		table.add(1, engine.ConversationKey{Account: body[:4], Conversation: body[4:6]})
	}
	if kept := inUse() - before; kept > 1<<20 {
		t.Errorf("the table keeps %d bytes of 64 events of 1 MiB", kept)
	}
	runtime.KeepAlive(table)
}

func TestBackoffStaysWithinItsLimits(t *testing.T) {
	for n, want := range map[int]time.Duration{
		1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 6: 30 * time.Second, 100: 30 * time.Second, 1 << 40: 30 * time.Second,
	} {
		if got := backoff(n, 0.5); got != want/2 {
			t.Errorf("half of the wait after failure %d is %v, want %v", n, got, want/2)
		}
		if got := backoff(n, 0); got != 0 {
			t.Errorf("none of the wait after failure %d is %v", n, got)
		}
	}
}
