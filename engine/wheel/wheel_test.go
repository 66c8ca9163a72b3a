package wheel

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var began = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return began.Add(d) }

// run advances from one Next to the following until the end, and notes when each
// value left and how often it looked.
func run(w *Wheel[string], end time.Duration) (left map[string]time.Duration, looks int) {
	left = make(map[string]time.Duration)
	for {
		next, ok := w.Next()
		if !ok || next.After(at(end)) {
			return left, looks
		}
		looks++
		for _, v := range w.Advance(next) {
			left[v] = next.Sub(began)
		}
	}
}

func TestAValueLeavesAtItsTime(t *testing.T) {
	for _, tt := range []struct {
		name string
		tick time.Duration
		due  time.Duration
		want time.Duration
	}{
		{"in the next tick", time.Second, time.Second, time.Second},
		{"between two ticks it waits for the later", time.Second, 1500 * time.Millisecond, 2 * time.Second},
		{"at the end of the first level", time.Second, 63 * time.Second, 63 * time.Second},
		{"at the beginning of the second", time.Second, 64 * time.Second, 64 * time.Second},
		{"within the second", time.Second, 100 * time.Second, 100 * time.Second},
		{"at the beginning of the third", time.Second, 4096 * time.Second, 4096 * time.Second},
		{"years ahead by the millisecond", time.Millisecond, 30000 * time.Hour, 30000 * time.Hour},
		{"a century ahead by the nanosecond", 1, 100 * 8760 * time.Hour, 100 * 8760 * time.Hour},
		{"now", time.Second, 0, 0},
		{"in the past", time.Second, -time.Hour, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := New[string](began, tt.tick)
			w.Add(at(tt.due), "x")
			left, looks := run(w, 200*8760*time.Hour)
			if got, ok := left["x"]; !ok || got != tt.want {
				t.Errorf("left at %v (%v), want %v", got, ok, tt.want)
			}
			if looks > levels {
				t.Errorf("looked %d times", looks)
			}
			if w.pending != 0 {
				t.Errorf("%d pending", w.pending)
			}
		})
	}
}

func TestValuesLeaveInOrder(t *testing.T) {
	w := New[string](began, time.Second)
	w.Add(at(5000*time.Second), "d")
	w.Add(at(70*time.Second), "b")
	w.Add(at(70*time.Second), "c")
	w.Add(at(3*time.Second), "a")
	if due := w.Advance(at(65 * time.Second)); !slices.Equal(due, []string{"a"}) {
		t.Errorf("left %v", due)
	}
	w.Add(at(70*time.Second), "c2") // behind those that came from a level above
	w.Add(at(10*time.Second), "late")
	if due := w.Advance(at(2 * time.Hour)); !slices.Equal(due, []string{"late", "b", "c", "c2", "d"}) {
		t.Errorf("left %v", due)
	}
}

func TestACancelledValueDoesNotLeave(t *testing.T) {
	w := New[string](began, time.Second)
	near, far, past := w.Add(at(time.Second), "near"), w.Add(at(time.Hour), "far"), w.Add(began, "past")
	for _, e := range []*Entry[string]{near, far, past} {
		if !w.Cancel(e) {
			t.Errorf("%s was not pending", e.Value)
		}
		if w.Cancel(e) {
			t.Errorf("%s was cancelled twice", e.Value)
		}
	}
	if _, ok := w.Next(); ok || w.pending != 0 {
		t.Errorf("%d pending", w.pending)
	}
	if due := w.Advance(at(2 * time.Hour)); len(due) > 0 {
		t.Errorf("left %v", due)
	}
	gone := w.Add(at(3*time.Hour), "gone")
	w.Advance(at(3 * time.Hour))
	if w.Cancel(gone) || w.Cancel(nil) {
		t.Error("cancelled what is not pending")
	}
}

func TestAClockThatJumps(t *testing.T) {
	w := New[string](began, time.Millisecond)
	for i, d := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour, 8760 * time.Hour} {
		w.Add(at(d), string(rune('a'+i)))
	}
	if due := w.Advance(at(48 * time.Hour)); !slices.Equal(due, []string{"a", "b", "c", "d"}) {
		t.Errorf("two days later left %v", due)
	}
	if due := w.Advance(at(time.Hour)); len(due) > 0 {
		t.Errorf("set back, left %v", due)
	}
	w.Add(at(2*time.Hour), "behind") // what is behind the wheel is due
	if due := w.Advance(at(time.Hour)); !slices.Equal(due, []string{"behind"}) {
		t.Errorf("set back, left %v", due)
	}
	if due := w.Advance(at(10000 * time.Hour)); !slices.Equal(due, []string{"e"}) {
		t.Errorf("in the end left %v", due)
	}
}

// TestAgainstASortedList does what comes to mind to a wheel and to a list of what
// should be in it.
func TestAgainstASortedList(t *testing.T) {
	type item struct {
		e   *Entry[int]
		due uint64
		n   int
	}
	rapid.Check(t, func(t *rapid.T) {
		tick := time.Duration(rapid.SampledFrom([]int64{1, 1000, 1_000_000}).Draw(t, "tick"))
		w := New[int](began, tick)
		span := rapid.SampledFrom([]int64{100, 5000, 1 << 20, 1 << 40})
		var list []item
		var now time.Duration
		n := 0
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				d := now + time.Duration(rapid.Int64Range(-50, span.Draw(t, "span")).Draw(t, "after"))*tick/3
				n++
				// What is due already leaves with the next look, before all else.
				due := w.ticks(at(d))
				if due <= w.now {
					due = 0
				}
				list = append(list, item{w.Add(at(d), n), due, n})
			},
			"cancel": func(t *rapid.T) {
				if len(list) == 0 {
					return
				}
				i := rapid.IntRange(0, len(list)-1).Draw(t, "which")
				if !w.Cancel(list[i].e) {
					t.Fatalf("%d was not pending", list[i].n)
				}
				list = slices.Delete(list, i, i+1)
			},
			"advance": func(t *rapid.T) {
				now += time.Duration(rapid.Int64Range(-20, span.Draw(t, "span")).Draw(t, "by")) * tick / 2
				until := max(w.passed(at(now)), w.now)
				slices.SortStableFunc(list, func(a, b item) int { return int(min(max(int64(a.due)-int64(b.due), -1), 1)) })
				var want []int
				for len(list) > 0 && list[0].due <= until {
					want = append(want, list[0].n)
					list = list[1:]
				}
				if got := w.Advance(at(now)); !slices.Equal(got, want) {
					t.Fatalf("left %v, want %v", got, want)
				}
			},
			"": func(t *rapid.T) {
				if w.pending != len(list) {
					t.Fatalf("%d pending, want %d", w.pending, len(list))
				}
				next, ok := w.Next()
				if ok != (len(list) > 0) {
					t.Fatalf("next is %v, %v with %d pending", next, ok, len(list))
				}
				for _, i := range list {
					if first := w.time(i.due); i.due > 0 && next.After(first) {
						t.Fatalf("next is %v, after the first at %v", next, first)
					}
				}
			},
		})
	})
}
