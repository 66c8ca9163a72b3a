// Package wheel keeps what is to happen at times to come: a hierarchical timing
// wheel, to which adding and cancelling costs the same however much is pending.
//
// Time is counted in ticks, in digits to the base of 64, and each digit has a
// level of 64 slots. What is pending lies in the level of the highest digit in
// which its tick differs from the present one, in the slot of that digit: within
// the level all occupied slots are ahead of the present one, and a word of 64 bits
// tells which they are. When the present reaches a slot of a higher level, what
// lies there moves to lower ones, at most once for each level.
package wheel

import (
	"math/bits"
	"time"
)

const (
	digit  = 6
	slots  = 1 << digit
	levels = (64 + digit - 1) / digit
)

// Wheel holds values until their time has come. It has no clock and no
// goroutine: whoever owns it says what time it is, and nobody else may use it.
// Its memory follows what is pending.
type Wheel[T any] struct {
	origin  time.Time // tick 0
	tick    time.Duration
	now     uint64 // the tick up to which all that was due has left
	levels  [levels]level[T]
	overdue list[T] // added when their time had come already
	pending int
}

// level is the slots of one digit, and which of them hold something.
type level[T any] struct {
	occupied uint64
	slots    *[slots]list[T] // nil while nothing was ever put there
}

// Entry is one pending value. The zero Entry is none.
type Entry[T any] struct {
	Value      T
	due        uint64
	in         *list[T] // nil: not pending
	prev, next *Entry[T]
	level      int8 // -1: overdue
	slot       uint8
}

// list is entries in the order in which they were put there.
type list[T any] struct{ first, last *Entry[T] }

// New returns an empty wheel at the time now, for which times within one tick of
// each other are the same. tick is at least 1 ns.
func New[T any](now time.Time, tick time.Duration) *Wheel[T] {
	return &Wheel[T]{origin: now, tick: max(tick, 1)}
}

// Add has Advance return the value once it is told that time, or the first time
// after it where that has passed already: never before it, and at most one tick
// after it. The Entry serves to cancel it.
func (w *Wheel[T]) Add(at time.Time, value T) *Entry[T] {
	e := &Entry[T]{Value: value, due: w.ticks(at)}
	w.put(e)
	w.pending++
	return e
}

// Cancel takes a value out before its time; false: it has left already.
func (w *Wheel[T]) Cancel(e *Entry[T]) bool {
	if e == nil || e.in == nil {
		return false
	}
	w.unlink(e)
	w.pending--
	return true
}

// Next is a time at which Advance should be told the time: not after the first
// value is due, and perhaps before it, but no more than once for each level. ok
// is false when nothing is pending.
func (w *Wheel[T]) Next() (at time.Time, ok bool) {
	if w.pending == 0 {
		return time.Time{}, false
	}
	if w.overdue.first != nil {
		return w.time(w.now), true
	}
	_, _, tick := w.nearest()
	return w.time(tick), true
}

// Advance returns what is due by now, what is due first before the rest, and of one
// tick in the order of adding. A time before one that it was told is no news.
func (w *Wheel[T]) Advance(now time.Time) (due []T) {
	take := func(e *Entry[T]) {
		w.unlink(e)
		w.pending--
		due = append(due, e.Value)
	}
	for w.overdue.first != nil {
		take(w.overdue.first)
	}
	until := w.passed(now)
	for w.pending > 0 {
		l, slot, tick := w.nearest()
		if tick > until {
			break
		}
		w.now = tick
		for s := &w.levels[l].slots[slot]; s.first != nil; {
			e := s.first
			if e.due <= tick {
				take(e)
				continue
			}
			w.unlink(e)
			w.put(e)
		}
	}
	w.now = max(w.now, until)
	return due
}

// nearest is the occupied slot that is reached first, and the tick of that. A
// level's slots are all reached before those of the levels above it.
func (w *Wheel[T]) nearest() (l, slot int, tick uint64) {
	for l = range w.levels {
		if w.levels[l].occupied == 0 {
			continue
		}
		slot = bits.TrailingZeros64(w.levels[l].occupied)
		shift := uint(l * digit)
		above := w.now >> shift >> digit << digit << shift // the digits above this one
		return l, slot, above | uint64(slot)<<shift
	}
	panic("wheel: nothing is pending")
}

// put lays an entry where it is to wait.
func (w *Wheel[T]) put(e *Entry[T]) {
	if e.due <= w.now {
		e.level = -1
		w.overdue.push(e)
		return
	}
	l := (bits.Len64(e.due^w.now) - 1) / digit
	slot := e.due >> uint(l*digit) & (slots - 1)
	e.level, e.slot = int8(l), uint8(slot)
	here := &w.levels[l]
	if here.slots == nil {
		here.slots = new([slots]list[T])
	}
	here.occupied |= 1 << slot
	here.slots[slot].push(e)
}

// unlink takes an entry from where it waits.
func (w *Wheel[T]) unlink(e *Entry[T]) {
	s := e.in
	s.remove(e)
	if e.level >= 0 && s.first == nil {
		w.levels[e.level].occupied &^= 1 << e.slot
	}
}

// ticks is the first tick that is not before t, and passed the last that is not
// after it.
func (w *Wheel[T]) ticks(t time.Time) uint64 {
	since := t.Sub(w.origin) // saturates after 292 years
	if since <= 0 {
		return 0
	}
	return (uint64(since) + uint64(w.tick) - 1) / uint64(w.tick)
}

func (w *Wheel[T]) passed(t time.Time) uint64 {
	return uint64(max(t.Sub(w.origin), 0) / w.tick)
}

func (w *Wheel[T]) time(tick uint64) time.Time {
	return w.origin.Add(time.Duration(tick) * w.tick)
}

func (s *list[T]) push(e *Entry[T]) {
	e.in, e.prev, e.next = s, s.last, nil
	if s.last == nil {
		s.first = e
	} else {
		s.last.next = e
	}
	s.last = e
}

func (s *list[T]) remove(e *Entry[T]) {
	if e.prev == nil {
		s.first = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		s.last = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.in, e.prev, e.next = nil, nil, nil
}
