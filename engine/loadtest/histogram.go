package loadtest

import (
	"math/bits"
	"time"
)

// Histogram geometry: below 2^subBits nanoseconds every value has a bucket of
// its own, above that each doubling is cut into 2^(subBits-1) equal ones, so
// that a reading is off by less than 1.6 %.
const (
	subBits = 7
	halves  = 1 << (subBits - 1)
	buckets = (64-subBits)*halves + 1<<subBits
)

// histogram counts durations in a fixed 30 KB, whatever their number. The zero
// value is empty. It belongs to one goroutine; merge those of several.
type histogram struct {
	counts [buckets]uint64
	n      uint64
	max    time.Duration
}

func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.counts[bucket(uint64(d))]++
	h.n++
	h.max = max(h.max, d)
}

func (h *histogram) merge(other *histogram) {
	for i, c := range other.counts {
		h.counts[i] += c
	}
	h.n += other.n
	h.max = max(h.max, other.max)
}

// quantile returns the upper border of the bucket in which the share q (0 to 1)
// of all values is reached, but never more than the largest; 0 when empty.
func (h *histogram) quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := uint64(q * float64(h.n))
	var below uint64
	for i, c := range h.counts {
		if below += c; below > rank {
			return min(border(i), h.max)
		}
	}
	return h.max
}

// bucket is the place of a value: its highest bits, and how far they were shifted.
func bucket(v uint64) int {
	shift := max(bits.Len64(v)-subBits, 0)
	return shift*halves + int(v>>shift)
}

// border is the largest value that bucket puts at i.
func border(i int) time.Duration {
	if i < 1<<subBits {
		return time.Duration(i)
	}
	shift := i/halves - 1
	top := uint64(i - shift*halves)
	return time.Duration((top+1)<<shift - 1)
}

// Latency is a histogram summed up, in milliseconds.
type Latency struct {
	P50  float64 `json:"p50_ms"`
	P99  float64 `json:"p99_ms"`
	P999 float64 `json:"p999_ms"`
	Max  float64 `json:"max_ms"`
}

func (h *histogram) latency() Latency {
	return Latency{
		P50: milliseconds(h.quantile(0.5)), P99: milliseconds(h.quantile(0.99)),
		P999: milliseconds(h.quantile(0.999)), Max: milliseconds(h.max),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
