package egress

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"bot/engine"
	"bot/store"
)

func TestALongLineCostsFiftyBytesEachAndSlowsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100_000
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.PerConversation = engine.Rate{N: 1, Per: time.Second} })))
		o := newOwner(t.Context(), New(w.options))
		defer o.endGrace()
		c := &engine.Command{Account: "shop", Conversation: "long", Created: time.Now(), Lane: engine.LanePush}
		o.hear()
		before := heapInUse()
		at := o.now()
		for i := range n {
			o.admit(store.Delivery{ID: uint64(i + 1), Command: c}, at)
		}
		if each := float64(heapInUse()-before) / n; each > 52 {
			t.Errorf("%.1f bytes for each waiting command, want about 50", each)
		}
		a := o.byName["shop"]
		l := a.conversations["long"].lines[engine.LanePush]
		for i := range n {
			if it := a.take(l); it.id != uint64(i+1) {
				t.Fatalf("%d-th is row %d", i, it.id)
			}
			a.release(l.conversation, at)
		}
		if left := heapInUse() - before; left > 100_000 {
			t.Errorf("%d bytes are kept by a line that is empty", left)
		}
	})
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestOthersPassALongLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.PerConversation = engine.Rate{N: 1, Per: time.Second} })))
		for i := range 20_000 {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("t", i), Conversation: "long"})
		}
		w.start()
		defer w.stop()
		after(time.Second + time.Millisecond)
		w.say("shop", "bulk short x")
		after(0)
		w.wantTasks("shop", "t0", "t1", "x")
	})
}

func TestHeapsGiveTheirElementsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap[*conversation]
		var in []*conversation
		base := time.Unix(0, 0)
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			if len(in) > 0 && rapid.IntRange(0, 2).Draw(t, "op") == 0 {
				i := rapid.IntRange(0, len(in)-1).Draw(t, "victim")
				if got := h.remove(in[i].pos); got != in[i] || got.pos != -1 {
					t.Fatalf("removed %v, want %v", got, in[i])
				}
				in = slices.Delete(in, i, i+1)
				continue
			}
			c := &conversation{freeAt: base.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "at")))}
			h.push(c)
			in = append(in, c)
		}
		slices.SortStableFunc(in, func(a, b *conversation) int { return a.freeAt.Compare(b.freeAt) })
		for _, want := range in {
			if got := h.remove(0); !got.freeAt.Equal(want.freeAt) {
				t.Fatalf("got %v, want %v", got.freeAt, want.freeAt)
			}
		}
		if len(h) != 0 {
			t.Fatal("elements are left")
		}
	})
}

func TestAHeapGivesMemoryBack(t *testing.T) {
	var h heap[item]
	for i := range 10_000 {
		h.push(item{id: uint64(i)})
	}
	for len(h) > 10 {
		h.remove(0)
	}
	if cap(h) > 100 {
		t.Errorf("room for %d items is kept for %d", cap(h), len(h))
	}
}

func TestTurns(t *testing.T) {
	all := [engine.Lanes]bool{true, true, true}
	var turns turns
	count := [engine.Lanes]int{}
	for range 1000 {
		l := turns.next(all)
		turns.took(l, all)
		count[l]++
	}
	if count[0] < 790 || count[1] < 90 || count[2] < 90 {
		t.Errorf("lanes got %v of 1000", count)
	}
	turns = [engine.Lanes]uint8{}
	rest := [engine.Lanes]bool{false, true, false}
	for range rand.IntN(10) + 1 {
		if l := turns.next(rest); l != engine.LanePush {
			t.Errorf("%v was chosen and has nothing", l)
		}
	}
}

func TestTimesOutsideTheRangeOfItems(t *testing.T) {
	for _, tt := range []struct {
		at   time.Time
		want int64
	}{
		{time.Time{}, 0},
		{time.Time{}.Add(time.Second), 0},
		{time.Unix(1, 5), 1e9 + 5},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), never},
	} {
		if got := nanos(tt.at); got != tt.want {
			t.Errorf("nanos(%v) = %d, want %d", tt.at, got, tt.want)
		}
	}
}
