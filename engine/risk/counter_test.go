package risk

import (
	"math/rand/v2"
	"testing"
	"time"
)

// However events fall, no window of the whole length holds more than are let
// through, and no one is held back for what happened more than a tenth of the
// window before it.
func TestTheWindowIsOffByLessThanATenth(t *testing.T) {
	const most, window = 7, 10 * time.Second
	for seed := range uint64(50) {
		chance := rand.New(rand.NewPCG(seed, 1))
		c := newCounters(10)
		var all, passed []time.Duration
		now := time.Duration(chance.Int64N(int64(time.Hour)))
		for range 500 {
			now += time.Duration(chance.ExpFloat64() * float64(time.Second))
			all = append(all, now)
			n := c.count(1, window, now, 1)
			if within := count(all, now, window); n < within {
				t.Fatalf("seed %d: counted %d, there were %d", seed, n, within)
			}
			if within := count(all, now, window+window/buckets); n > within {
				t.Fatalf("seed %d: counted %d, there were %d in a tenth more", seed, n, within)
			}
			if n <= most {
				passed = append(passed, now)
			}
			if p := count(passed, now, window); p > most {
				t.Fatalf("seed %d: %d passed within a window", seed, p)
			}
		}
	}
}

// count is how many of the times lie in the window that ends now.
func count(times []time.Duration, now, window time.Duration) (n int) {
	for _, at := range times {
		if now-at < window {
			n++
		}
	}
	return n
}

func TestTheCountersAreBoundedAndTheOldestGoFirst(t *testing.T) {
	c := newCounters(3)
	for key := range uint64(3) {
		c.count(key, time.Minute, 0, 1)
	}
	c.count(0, time.Minute, 0, 1) // touched again
	c.count(9, time.Minute, 0, 1) // and one too many
	for key, want := range map[uint64]int{0: 2, 1: 0, 2: 1, 9: 1} {
		if got := c.count(key, time.Minute, 0, 0); got != want {
			t.Errorf("key %d: %d, want %d", key, got, want)
		}
	}
	for key := range uint64(100) {
		c.count(key, time.Minute, 0, 1)
	}
	if len(c.byKey) != 3 {
		t.Errorf("%d counters", len(c.byKey))
	}
	n := 0
	for e := c.newest; e != nil; e = e.older {
		n++
	}
	if n != 3 || c.oldest.key != 97 || c.newest.key != 99 {
		t.Errorf("%d in order, from %d to %d", n, c.newest.key, c.oldest.key)
	}
}

func TestACounterOfOneSurvivesItself(t *testing.T) {
	c := newCounters(1)
	for key := range uint64(10) {
		if n := c.count(key, time.Minute, 0, 1); n != 1 {
			t.Errorf("key %d: %d", key, n)
		}
	}
}
