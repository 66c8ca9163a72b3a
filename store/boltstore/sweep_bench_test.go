package boltstore

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
)

// An hour of a busy bot leaves the dedup window while callbacks go on coming,
// 6,000 a second. The writer is held up for drop-ms (the longest commit within
// the sweep); worst-ms is the slowest callback of the second around it, rest-ms
// that of all others. Run it with -benchtime 1x -count 5.
func BenchmarkDropOfASlice(b *testing.B) {
	const keys, perSecond, senders, lasts = 500_000, 6000, 32, 5 * time.Second
	for range b.N {
		b.StopTimer()
		var ahead atomic.Int64 // of the uptime
		var longest atomic.Int64
		begin := time.Now()
		opt := testOptions(b, path(b))
		opt.MapSize = 1 << 30
		opt.Uptime = func() time.Duration { return time.Since(begin) + time.Duration(ahead.Load()) }
		opt.Observe = func(d time.Duration, _ int) { longest.Store(max(longest.Load(), int64(d))) }
		s := mustOpen(b, opt)
		remember(b, s, randomKeys(rand.New(rand.NewPCG(1, 1)), keys), 50_000)
		before := s.index.keys()
		ahead.Store(int64(s.opt.Window + 2*sliceLength(s.opt.Window)))

		b.StartTimer()
		answered := make([][]answered, senders)
		var load sync.WaitGroup
		from := time.Now()
		for n := range answered {
			load.Go(func() { answered[n] = sendSteadily(b, s, from, n, senders, perSecond, lasts) })
		}
		time.Sleep(lasts / 2)
		longest.Store(0)
		swept := time.Now()
		if err := s.Sweep(ctx); err != nil {
			b.Fatal(err)
		}
		drop := time.Duration(longest.Load())
		load.Wait()
		b.StopTimer()
		if gone := before - s.index.keys(); gone < keys-perSecond*int(lasts.Seconds()+1) {
			b.Fatalf("the sweep dropped %d keys of %d", gone, before)
		}
		near, rest := worst(answered, swept)
		b.ReportMetric(float64(drop.Microseconds())/1000, "drop-ms")
		b.ReportMetric(float64(near.Microseconds())/1000, "worst-ms")
		b.ReportMetric(float64(rest.Microseconds())/1000, "rest-ms")
		s.Close()
	}
}

type answered struct {
	at   time.Time
	took time.Duration
}

// sendSteadily appends one sender's share of an open load, late or not.
func sendSteadily(b *testing.B, s *Store, from time.Time, n, senders, perSecond int, lasts time.Duration) []answered {
	var all []answered
	for i := n; ; i += senders {
		due := from.Add(time.Duration(i) * time.Second / time.Duration(perSecond))
		if due.Sub(from) > lasts {
			return all
		}
		time.Sleep(time.Until(due))
		began := time.Now()
		if _, err := s.Append(ctx, []*engine.Event{benchEvent(uint64(i))}, window); err != nil {
			b.Error(err)
			return all
		}
		all = append(all, answered{began, time.Since(began)})
	}
}

// worst is the slowest answer within half a second of a moment, and elsewhere.
// The first second is left out: everything is new to the machine then.
func worst(all [][]answered, moment time.Time) (near, rest time.Duration) {
	for _, one := range all {
		for _, a := range one {
			switch d := a.at.Sub(moment).Abs(); {
			case d < time.Second/2:
				near = max(near, a.took)
			case a.at.Sub(one[0].at) > time.Second:
				rest = max(rest, a.took)
			}
		}
	}
	return near, rest
}
