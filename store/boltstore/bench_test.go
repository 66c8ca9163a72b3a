package boltstore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"bot/engine"
	"bot/store"
)

// benchStore opens a store with keys in its window already.
func benchStore(b *testing.B, keys int) *Store {
	b.Helper()
	opt := testOptions(b, path(b))
	opt.MapSize = 1 << 30
	s := mustOpen(b, opt)
	if keys > 0 {
		remember(b, s, randomKeys(rand.New(rand.NewPCG(1, 1)), keys), 50_000)
	}
	return s
}

func benchEvent(n uint64) *engine.Event {
	e := event(fmt.Sprint(n))
	e.Raw = make([]byte, 600)
	binary.BigEndian.PutUint64(e.Raw, n)
	return e
}

// callers runs f from several goroutines until the benchmark has enough.
func callers(b *testing.B, n int, f func(i uint64)) {
	b.Helper()
	var next atomic.Uint64
	done := make(chan struct{})
	b.ResetTimer()
	for range n {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := next.Add(1); i <= uint64(b.N); i = next.Add(1) {
				f(i)
			}
		}()
	}
	for range n {
		<-done
	}
	b.StopTimer()
}

func BenchmarkAppend(b *testing.B) {
	for _, keys := range []int{0, 1_000_000} {
		for _, n := range []int{1, 16, 256} {
			for _, duplicates := range []uint64{0, 10, 50} {
				b.Run(fmt.Sprintf("keys=%d/callers=%d/duplicates=%d%%", keys, n, duplicates), func(b *testing.B) {
					s := benchStore(b, keys)
					callers(b, n, func(i uint64) {
						id := i
						if i%100 < duplicates {
							id = i - i%100 // the first of its hundred
						}
						if _, err := s.Append(ctx, []*engine.Event{benchEvent(id)}, window); err != nil {
							b.Error(err)
						}
					})
					b.ReportMetric(float64(s.acts.Load())/float64(max(1, s.commits.Load())), "acts/commit")
				})
			}
		}
	}
}

// The whole life of an event with one reply: append, commit with state and
// command, attempt, settle.
func BenchmarkChain(b *testing.B) {
	for _, n := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("callers=%d", n), func(b *testing.B) {
			s := benchStore(b, 0)
			callers(b, n, func(i uint64) {
				if err := chain(s, i); err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(s.acts.Load())/float64(max(1, s.commits.Load())), "acts/commit")
		})
	}
}

func chain(s *Store, i uint64) error {
	e := benchEvent(i)
	got, err := s.Append(ctx, []*engine.Event{e}, window)
	if err != nil {
		return err
	}
	task := engine.TaskIDOf(e.Ref(), 0)
	key := engine.StateKey{Account: "acc", Conversation: fmt.Sprint(i % 10_000), Sender: fmt.Sprint(i)}
	err = s.Commit(ctx, store.Commit{
		Seq: got.Seqs[0], Owner: e.Ref(),
		States:   []store.StateWrite{{Key: key, State: engine.State{Skill: "form", Node: "name", Expires: s.Now()}}},
		Commands: []engine.Command{{TaskID: task, Account: "acc", Conversation: key.Conversation, Action: engine.SendText, Text: "好的", Created: s.Now()}},
	})
	if err != nil {
		return err
	}
	d, _, err := s.Find(task)
	if err != nil {
		return err
	}
	p := store.Progress{Attempts: 1, Tries: []store.Try{{Time: s.Now()}}}
	if err := s.Attempt(ctx, d.ID, p); err != nil {
		return err
	}
	return s.Settle(ctx, store.Settlement{ID: d.ID, Final: store.Sent, Progress: p})
}
