package boltstore

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// An act that rides goes with the next act that does not, in one commit, in its place;
// where none comes it has a commit of its own after as long as two take.
func TestActsRideOnOthersCommits(t *testing.T) {
	for _, tt := range []struct {
		name    string
		others  bool          // somebody who is in a hurry comes after 500 µs
		took    time.Duration // by a commit, lately
		wait    time.Duration // of those who ride
		commits uint64
	}{
		{"others come", true, 0, 500 * time.Microsecond, 1},
		{"nobody comes", false, 0, time.Millisecond, 1},
		{"nobody comes, the disk is slow", false, 4 * time.Millisecond, 8 * time.Millisecond, 1},
		{"nobody comes, the disk is very slow", false, time.Second, 20 * time.Millisecond, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mustOpen(t, testOptions(t, path(t)))
				defer s.Close()
				s.queue.mu.Lock()
				s.queue.took, s.queue.ended = tt.took, time.Now()
				s.queue.mu.Unlock()
				var order []string
				act := func(ctx context.Context, name string) {
					err := s.do(ctx, &act{run: func(t *txn) error {
						t.wrote = true
						order = append(order, name)
						return nil
					}})
					if err != nil {
						t.Error(err)
					}
				}
				began, before := time.Now(), s.commits.Load()
				for _, name := range []string{"first", "second"} {
					go func() {
						act(store.Riding(ctx), name)
						if got := time.Since(began); got != tt.wait {
							t.Errorf("%s waited for %v, want %v", name, got, tt.wait)
						}
					}()
					synctest.Wait()
				}
				if d := s.CommitWait(); d != tt.took {
					t.Errorf("while some ride an act is said to wait for %v, want %v", d, tt.took)
				}
				want := []string{"first", "second"}
				if tt.others {
					time.Sleep(500 * time.Microsecond)
					act(ctx, "in a hurry")
					want = append(want, "in a hurry")
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if !slices.Equal(order, want) {
					t.Errorf("acts ran as %v, want %v", order, want)
				}
				if n := s.commits.Load() - before; n != tt.commits {
					t.Errorf("%d commits, want %d", n, tt.commits)
				}
			})
		})
	}
}

// Who comes after a commit took the first has all of the time for themselves.
func TestARideIsAsLongForEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, testOptions(t, path(t)))
		defer s.Close()
		write := func(ctx context.Context) {
			if err := s.do(ctx, &act{run: func(t *txn) error { t.wrote = true; return nil }}); err != nil {
				t.Error(err)
			}
		}
		go write(store.Riding(ctx))
		time.Sleep(900 * time.Microsecond)
		write(ctx) // takes the first along
		began := time.Now()
		write(store.Riding(ctx))
		if d := time.Since(began); d != time.Millisecond {
			t.Errorf("it waited for %v, want 1ms", d)
		}
	})
}

// Those who come while a commit runs do not have one of their own after it, and the
// end of the store leaves none of them out.
func TestActsThatRideWaitForTheNextCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, testOptions(t, path(t)))
		slow := s.db.Update
		s.update = func(fn func(*bolt.Tx) error) error {
			time.Sleep(100 * time.Microsecond)
			return slow(fn)
		}
		write := func(ctx context.Context) error {
			return s.do(ctx, &act{run: func(t *txn) error { t.wrote = true; return nil }})
		}
		before := s.commits.Load()
		go func() {
			if err := write(ctx); err != nil {
				t.Error(err)
			}
		}()
		time.Sleep(50 * time.Microsecond) // it is being committed
		answered := make(chan error, 1)
		go func() { answered <- write(store.Riding(ctx)) }()
		time.Sleep(100 * time.Microsecond)
		if n := s.commits.Load() - before; n != 1 || len(answered) > 0 {
			t.Errorf("%d commits, %d answered: it did not wait for others", n, len(answered))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-answered; err != nil {
			t.Errorf("the end left out what rode: %v", err)
		}
	})
}
