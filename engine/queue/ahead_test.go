package queue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bot/engine"
	"bot/store"
)

// sized is an event of about so much weight.
func sized(bytes int) *engine.Event { return &engine.Event{Raw: make([]byte, bytes)} }

// take is what next gives a reader that has everything up to seq and room for so many.
func (a *ahead) take(seq uint64, room int) []uint64 {
	var seqs []uint64
	for _, e := range a.next(seq, make([]store.Entry, 0, room)) {
		seqs = append(seqs, e.Seq)
	}
	return seqs
}

func TestWhatIsAheadComesOutWithoutAGapAndIntoItsRoom(t *testing.T) {
	for _, tt := range []struct {
		name  string
		added []uint64
		after uint64
		room  int
		want  []uint64
	}{
		{"nothing", nil, 0, 9, nil},
		{"all of it", []uint64{1, 2, 3}, 0, 9, []uint64{1, 2, 3}},
		{"in the order of the log", []uint64{3, 1, 2}, 0, 9, []uint64{1, 2, 3}},
		{"up to a gap", []uint64{1, 2, 4}, 0, 9, []uint64{1, 2}},
		{"nothing behind a gap", []uint64{2, 3}, 0, 9, nil},
		{"no more than there is room for", []uint64{1, 2, 3}, 0, 2, []uint64{1, 2}},
		{"nothing where there is no room", []uint64{1}, 0, 0, nil},
		{"behind what the reader found in the log", []uint64{1, 2, 3, 4}, 2, 9, []uint64{3, 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a ahead
			for _, seq := range tt.added {
				if !a.add(seq, sized(1)) {
					t.Fatalf("%d was not taken", seq)
				}
			}
			if got := a.take(tt.after, tt.room); !slices.Equal(got, tt.want) {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// Room that entries took which the reader found in the log would be lost for good
// otherwise: what weighs too much is refused before it could take anybody's place.
func TestWhatTheReaderFoundInTheLogMakesRoom(t *testing.T) {
	const size = maxBytes / 4
	var a ahead
	for round := range uint64(100) {
		for _, seq := range []uint64{2, 3, 4} { // 1 is missing, so that the log is read
			if !a.add(4*round+seq, sized(size)) {
				t.Fatalf("round %d: %d was not taken; %d bytes are in use", round, 4*round+seq, a.bytes)
			}
		}
		if got := a.take(4*round, 9); got != nil {
			t.Fatalf("round %d: got %d from behind a gap", round, got)
		}
		a.take(4*round+4, 9)
		if a.bytes != 0 {
			t.Fatalf("round %d: %d bytes are in use of nothing", round, a.bytes)
		}
	}
}

func TestWhatComesLaterThanItsReaderTakesNoRoom(t *testing.T) {
	var a ahead
	a.take(7, 9)
	if !a.add(7, sized(1)) || a.bytes != 0 {
		t.Errorf("an entry that was read is to be looked for, or holds %d bytes", a.bytes)
	}
}

func TestAReaderFarAlongLooksAheadFromThere(t *testing.T) {
	const far = 1 << 60
	var a ahead
	if a.add(far+1, sized(1)) {
		t.Error("an entry was taken that is out of reach")
	}
	a.take(far, 9)
	if !a.add(far+1, sized(1)) || !a.add(far+reach, sized(1)) || a.add(far+reach+1, sized(1)) {
		t.Errorf("what is taken are not the %d entries that follow", reach)
	}
	if got := a.take(far, 9); !slices.Equal(got, []uint64{far + 1}) {
		t.Errorf("got %d, want what follows", got)
	}
}

// A reader that was stopped did not hand on all it took, and begins again with that.
func TestAReaderThatGoesBackFindsThereAfterWhatIsAhead(t *testing.T) {
	var a ahead
	for seq := range uint64(10) {
		a.add(seq+1, sized(1))
	}
	a.take(0, 10)
	a.add(10+reach, sized(1)) // it has the place that 10 had
	if got := a.take(5, 10); got != nil {
		t.Errorf("got %d again", got)
	}
	a.take(10, 10) // out of the log
	if got := a.take(10+reach-1, 10); !slices.Equal(got, []uint64{10 + reach}) {
		t.Errorf("got %d, want %d", got, 10+reach)
	}
}

// Whatever comes, it holds what was added within its bounds and not yet passed, and
// counts the bytes of that.
func TestWhatIsAheadIsWhatWasAddedAndNotPassed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a ahead
		held := map[uint64]*engine.Event{}
		var after, last, top, bytes uint64
		pass := func(seq uint64) {
			for s, e := range held {
				if s <= seq {
					bytes -= uint64(weight(e))
					delete(held, s)
				}
			}
			after = max(after, seq)
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				top += rapid.SampledFrom([]uint64{1, 1, 1, 1, 2, 100, reach}).Draw(t, "step")
				e := sized(rapid.SampledFrom([]int{0, 0, 0, 1 << 10, maxBytes / 3, maxBytes}).Draw(t, "size"))
				want := top <= after || top <= after+reach && bytes+uint64(weight(e)) <= maxBytes
				if got := a.add(top, e); got != want {
					t.Fatalf("add of %d after %d: %v, want %v", top, after, got, want)
				}
				last = max(last, top)
				if want && top > after {
					held[top] = e
					bytes += uint64(weight(e))
				}
			},
			"next": func(t *rapid.T) {
				seq := rapid.Uint64Range(after-min(after, 3), max(after, top+3)).Draw(t, "seq")
				room := rapid.IntRange(0, 5).Draw(t, "room")
				var want []uint64
				for len(want) < room && held[seq+uint64(len(want))+1] != nil {
					want = append(want, seq+uint64(len(want))+1)
				}
				if got := a.take(seq, room); !slices.Equal(got, want) {
					t.Fatalf("next after %d: %d, want %d", seq, got, want)
				}
				pass(seq + uint64(len(want)))
			},
			"empty": func(t *rapid.T) {
				upTo := rapid.SampledFrom([]uint64{last, last - min(last, 1)}).Draw(t, "up to")
				if a.empty(upTo); upTo == last {
					last = after
				}
			},
			"": func(t *rapid.T) {
				if upTo, ok := a.gap(); upTo != last || ok != (last > after) {
					t.Fatalf("gap: %d, %v, want %d after %d", upTo, ok, last, after)
				}
				if uint64(a.bytes) != bytes {
					t.Fatalf("%d bytes are counted, %d are held", a.bytes, bytes)
				}
				n := 0
				for _, e := range a.ring {
					if e.Event != nil {
						n++
						if held[e.Seq] != e.Event {
							t.Fatalf("%d is held after %d", e.Seq, after)
						}
					}
				}
				if n != len(held) {
					t.Fatalf("%d entries are held, want %d", n, len(held))
				}
			},
		})
	})
}
