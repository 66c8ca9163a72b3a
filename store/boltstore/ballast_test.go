package boltstore

import (
	"errors"
	"fmt"
	"testing"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// cramped lets no transaction through that needs pages, until the ballast was
// given up; then all, until it is to be got back.
func cramped(s *Store, roomy func() bool) {
	s.update = func(fn func(*bolt.Tx) error) error {
		return s.db.Update(func(tx *bolt.Tx) error {
			had := count(tx.Bucket(bBallast)) > 0
			if err := fn(tx); err != nil {
				return err
			}
			switch has := count(tx.Bucket(bBallast)) > 0; {
			case roomy(), had && !has: // it is being given up
				return nil
			case has:
				return berrors.ErrMaxSizeReached
			}
			return nil
		})
	}
}

func TestTheLastPagesAreForTakingOut(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	var seqs []uint64
	for i := range 3 {
		seqs = append(seqs, hear(t, s, fmt.Sprint(i), engine.StateKey{Account: "a", Conversation: "c"}))
	}
	room := false
	cramped(s, func() bool { return room })
	take := func() error {
		_, err := s.Append(ctx, []*engine.Event{event("more")}, window)
		return err
	}
	if err := take(); !errors.Is(err, store.ErrFull) {
		t.Fatalf("a full disk took an event: %v", err)
	}
	for _, seq := range seqs {
		if err := s.Commit(ctx, store.Commit{Seq: seq}); err != nil {
			t.Errorf("a full disk let nothing out: %v", err)
		}
	}
	if err := take(); !errors.Is(err, store.ErrFull) {
		t.Errorf("the reserve was used for an event: %v", err)
	}
	room = true
	s.ballast.next = s.clock.Steady() // it is looked again once a second
	if err := take(); err != nil {
		t.Errorf("there is room again, but not for an event: %v", err)
	}
	if s.ballast.spent {
		t.Error("the reserve was not got back before an event was taken in")
	}
	if again := reopen(t, s); again.ballast.spent {
		t.Error("the next process does not find the reserve")
	}
}
