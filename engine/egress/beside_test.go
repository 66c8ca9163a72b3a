package egress

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store"
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
// took: mark and end take it ten milliseconds each, and so does the rest for either.
func TestBulkBesideRepliesLeavesThemTheDisk(t *testing.T) {
	for _, tt := range []struct {
		latency time.Duration // of the platform
		least   int           // bulk commands in eight seconds
		most    int
	}{
		{0, 8*1000/40 - 1, 8*1000/40 + 1},
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

// A long rest ends with the talk that it was for.
func TestBulkRestsForNobodyWhereNobodyTalks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wide(t, 0)
		var stalled atomic.Bool
		w.outbox.fault = func(act string, id uint64) error {
			if act == "settle" && id <= 400 && !stalled.Swap(true) {
				time.Sleep(8 * time.Second)
			}
			return nil
		}
		for i := range 14 {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("r", i), Conversation: "u", NotBefore: time.Now().Add(time.Duration(i) * 600 * time.Millisecond)})
		}
		w.start()
		defer w.stop()
		after(9500 * time.Millisecond)
		if n := w.bulkSent(); n != 400 {
			t.Errorf("%d bulk commands were sent, 700 ms after nobody talked any more, want all 400", n)
		}
	})
}

// What is given up unsent, or is gone when it is to be marked, leaves nothing behind
// that bulk would wait for.
func TestBulkThatIsNotSentHoldsNoneUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 16 })))
		w.outbox.disk = time.Millisecond
		for i := range 60 {
			c := engine.Command{TaskID: fmt.Sprint("b", i), Conversation: fmt.Sprint("c", i), Lane: engine.LaneBulk}
			if i%3 == 0 {
				c.Deadline = time.Now().Add(time.Duration(i) * time.Millisecond)
			}
			w.put("shop", c)
		}
		w.outbox.fault = func(act string, id uint64) error {
			if act == "attempt" && id%3 == 0 && id <= 60 {
				return store.ErrGone
			}
			return nil
		}
		for i := range 20 {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("r", i), Conversation: "u", NotBefore: time.Now().Add(time.Duration(i) * 500 * time.Millisecond)})
		}
		w.start()
		defer w.stop()
		after(5 * time.Second)
		for i := 1; i < 60; i += 3 {
			w.wantState(fmt.Sprint("b", i), "sent")
		}
	})
}

// What bulk wrote while it was alone, it has not to rest for once somebody talks.
func TestBulkGoesOnWhenPeopleBeginToTalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 16 })))
		var n atomic.Int32
		w.platforms["shop"].latency = func(*engine.Command) time.Duration {
			return time.Duration(3+n.Add(1)%17) * time.Millisecond // so that there is always a write going on
		}
		w.outbox.disk = 7 * time.Millisecond
		for i := range 20_000 {
			w.say("shop", fmt.Sprintf("bulk b%d bulk%d", i, i))
		}
		for i := range 20 {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("r", i), Conversation: "u", NotBefore: time.Now().Add(10*time.Second + time.Duration(i)*500*time.Millisecond)})
		}
		w.start()
		defer w.stop()
		after(11 * time.Second)
		before := len(w.platforms["shop"].tasks())
		after(4 * time.Second)
		if n := len(w.platforms["shop"].tasks()) - before - 8; n < 4*1000/30 {
			t.Errorf("%d bulk commands in four seconds, a second after people began to talk", n)
		}
	})
}

// However many replies there are, one send in ten is bulk's, rest or none, as far as a
// quarter of the slots allows: of what is marked ahead for sixteen slots that is one in
// sixteen.
func TestBulkThatRestsHasItsTenthTurn(t *testing.T) {
	for _, parallel := range []int{2, 16, 64} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = parallel })))
			w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 300 * time.Millisecond }
			w.outbox.disk = 10 * time.Millisecond
			for i := range 8000 {
				w.say("shop", fmt.Sprintf("reply u%d r%d", i, i), fmt.Sprintf("bulk b%d bulk%d", i, i))
			}
			w.start()
			defer w.stop()
			after(30 * time.Second)
			bulk, all := 0, w.platforms["shop"].tasks()
			for _, task := range all {
				if task[0] == 'b' {
					bulk++
				}
			}
			if len(all) < 50*parallel || bulk < len(all)/22 || bulk > len(all)/8 {
				t.Errorf("%d slots: %d of %d sends were bulk, want one in ten to one in twenty", parallel, bulk, len(all))
			}
		})
	}
}

// A slot that bulk left to others it takes back when they have been silent for a second.
func TestBulkTakesItsSlotsBackFromTheSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wide(t, 25*time.Second)
		w.platforms["shop"].latency = func(c *engine.Command) time.Duration {
			if c.Lane == engine.LaneBulk {
				return 25 * time.Second
			}
			return 0
		}
		w.outbox.disk = time.Millisecond
		w.put("shop", engine.Command{TaskID: "r", Conversation: "u", NotBefore: time.Now().Add(-time.Hour)})
		w.start()
		defer w.stop()
		after(2 * time.Second)
		if n := w.platforms["shop"].most; n != 16 {
			t.Errorf("%d of 16 slots are in use a second after the reply", n)
		}
	})
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

// repliesEvery has replies become due every so often for so long, to somebody else each.
func (w *world) repliesEvery(every, during time.Duration) {
	for at := time.Duration(0); at < during; at += every {
		w.put("shop", engine.Command{TaskID: fmt.Sprint("r", at), Conversation: fmt.Sprint("u", at), NotBefore: time.Now().Add(at)})
	}
}

// What is written of bulk rides on the commits of others while these come one upon the
// other, and nothing that others write does.
func TestBulkRidesOnTheCommitsOfReplies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		every time.Duration // a reply is sent
		least float64       // share of bulk's marks and ends that ride
		most  float64
	}{
		{"no replies", time.Hour, 0, 0.15}, // but the one that comes first
		{"now and then", 500 * time.Millisecond, 0.001, 0.1},
		{"one upon the other", 5 * time.Millisecond, 0.95, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := wide(t, time.Millisecond)
				w.outbox.disk = time.Millisecond
				w.repliesEvery(tt.every, time.Second)
				w.start()
				defer w.stop()
				after(990 * time.Millisecond)
				w.outbox.mu.Lock()
				defer w.outbox.mu.Unlock()
				rode, of := w.outbox.rode[engine.LaneBulk], w.outbox.wrote[engine.LaneBulk]
				if share := float64(rode) / float64(of); of < 50 || share < tt.least || share > tt.most {
					t.Errorf("%d of %d rode, want %v to %v", rode, of, tt.least, tt.most)
				}
				if n := w.outbox.rode[engine.LaneReply]; n > 0 {
					t.Errorf("%d of what was written of replies rode", n)
				}
			})
		})
	}
}

// Of a ride only a part is time of the disk that bulk would have to rest for: a command's
// mark takes five milliseconds here, of which it rides four, and its end may be written
// beside the mark of the next.
func TestBulkRestsForHalfOfItsRides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wide(t, 0)
		w.outbox.disk, w.outbox.ride = time.Millisecond, 4*time.Millisecond
		w.repliesEvery(5*time.Millisecond, 2*time.Second)
		w.start()
		defer w.stop()
		after(500 * time.Millisecond)
		first := w.bulkSent()
		after(time.Second)
		if n := w.bulkSent() - first; n < 65 || n > 95 { // it is 58 with a rest for the whole ride, 110 without any
			t.Errorf("%d bulk commands were sent in a second beside replies, want 65 to 95", n)
		}
	})
}
