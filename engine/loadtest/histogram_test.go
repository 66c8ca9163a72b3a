package loadtest

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestQuantilesAreWithinTwoPercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 200).Draw(t, "values")
		var whole, a, b histogram
		for i, v := range values {
			whole.add(time.Duration(v))
			if i%2 == 0 {
				a.add(time.Duration(v))
			} else {
				b.add(time.Duration(v))
			}
		}
		if a.merge(&b); a != whole {
			t.Fatal("two merged halves differ from the whole")
		}
		slices.Sort(values)
		for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999} {
			want := float64(values[int(q*float64(len(values)))])
			got := float64(whole.quantile(q))
			if got < want || got > want*1.016+1 {
				t.Fatalf("quantile %v of %v is %v, want %v", q, values, got, want)
			}
		}
		if whole.quantile(1) != time.Duration(values[len(values)-1]) {
			t.Fatal("the last quantile is not the maximum")
		}
	})
}

func TestBordersOfBuckets(t *testing.T) {
	for _, v := range []uint64{0, 1, 127, 128, 129, 255, 256, 1<<40 - 1, 1 << 40, 1<<63 - 1} {
		i := bucket(v)
		if hi := border(i); uint64(hi) < v {
			t.Errorf("%d lies above its bucket's border %d", v, hi)
		}
		if i > 0 && uint64(border(i-1)) >= v {
			t.Errorf("%d fits into the bucket before its own", v)
		}
	}
	if i := bucket(1<<63 - 1); i >= buckets {
		t.Errorf("the longest duration falls into bucket %d of %d", i, buckets)
	}
}

func TestEmptyHistogram(t *testing.T) {
	var h histogram
	if got := h.latency(); got != (Latency{}) {
		t.Errorf("an empty histogram reads %v", got)
	}
	h.add(-time.Second) // a clock that was read in the wrong order
	if h.max != 0 || h.n != 1 {
		t.Errorf("a negative duration counts as %v, %d times", h.max, h.n)
	}
}
