package egress

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
)

// wide is a world whose account has sixteen slots, with an answer after the time
// given, and much bulk.
func wide(t *testing.T, latency time.Duration) *world {
	w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 16 })))
	w.platforms["shop"].latency = func(*engine.Command) time.Duration { return latency }
	for i := range 400 {
		w.say("shop", fmt.Sprintf("bulk b%d bulk%d", i, i))
	}
	return w
}

// bulkSent is how many bulk commands are not in the outbox any more.
func (w *world) bulkSent() (n int) {
	for i := range 400 {
		if _, err := w.outbox.Delivery(uint64(i + 1)); err != nil {
			n++
		}
	}
	return n
}

func TestBulkAloneTakesAllSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wide(t, time.Second)
		w.start()
		defer w.stop()
		after(5500 * time.Millisecond)
		if n := w.bulkSent(); n != 80 {
			t.Errorf("%d bulk commands were sent in five seconds by sixteen slots, want 80", n)
		}
	})
}

func TestBulkBesideRepliesTakesAQuarterOfTheSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wide(t, 250*time.Millisecond)
		for i := range 21 {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("r", i), Conversation: "u", NotBefore: time.Now().Add(time.Duration(i) * 500 * time.Millisecond)})
		}
		w.start()
		defer w.stop()
		after(300 * time.Millisecond)
		first := w.bulkSent() // chosen together with the first reply
		after(8 * time.Second)
		if n := w.bulkSent() - first; n != 4*4*8 {
			t.Errorf("%d bulk commands were sent in eight seconds beside replies, want %d", n, 4*4*8)
		}
		for i := range 17 {
			w.wantState(fmt.Sprint("r", i), "sent")
		}
		after(3200 * time.Millisecond) // the last reply was a second ago
		before := w.bulkSent()
		after(time.Second)
		if n := w.bulkSent() - before; n != 4*16 {
			t.Errorf("%d bulk commands were sent in the second after, want 64", n)
		}
	})
}

// Beside replies bulk writes one command at a time, and rests after it as long as that
// took: mark and end take it ten milliseconds each, and the rest as long as the end.
func TestBulkBesideRepliesLeavesThemTheDisk(t *testing.T) {
	for _, tt := range []struct {
		latency time.Duration // of the platform
		least   int           // bulk commands in eight seconds
		most    int
	}{
		{0, 8*1000/30 - 8, 8*1000/30 + 1},
		{500 * time.Millisecond, 4*8*1000/520 - 8, 4 * 8 * 1000 / 520}, // the slots are the limit
	} {
		synctest.Test(t, func(t *testing.T) {
			w := wide(t, tt.latency)
			w.outbox.disk = 10 * time.Millisecond
			for i := range 21 {
				w.put("shop", engine.Command{TaskID: fmt.Sprint("r", i), Conversation: "u", NotBefore: time.Now().Add(time.Duration(i) * 600 * time.Millisecond)})
			}
			w.start()
			defer w.stop()
			after(time.Second)
			first := w.bulkSent()
			after(8 * time.Second)
			if n := w.bulkSent() - first; n < tt.least || n > tt.most {
				t.Errorf("a platform that takes %v: %d bulk commands were sent in eight seconds beside replies, want %d to %d", tt.latency, n, tt.least, tt.most)
			}
		})
	}
}

func TestOneSlotIsBulksToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.say("shop", "reply u r1", "bulk a b1", "bulk b b2")
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantState("b2", "sent")
	})
}
