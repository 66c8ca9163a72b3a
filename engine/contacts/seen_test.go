package contacts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"bot/engine"
)

// forgetful is a directory that has just been made, over the same store: it goes by
// nothing but what is written.
func (r *rig) forgetful() *Directory { return New(r.o) }

func TestWhatIsKeptInMemoryNeverChangesWhatIsLearned(t *testing.T) {
	kinds := []engine.Kind{
		engine.Message, engine.Message, engine.Message, engine.Message, engine.FriendAdded, engine.FriendLost,
		engine.FriendDeleted, engine.ContactChanged, engine.EnterChat, engine.FriendRequest,
	}
	names := []string{"", "张三", "李四"}
	for seed := range uint64(200) {
		chance := rand.New(rand.NewPCG(seed, 1))
		r := newRig(t, Options{})
		for step := range 200 {
			id := fmt.Sprint("u", chance.IntN(3))
			if chance.IntN(20) == 0 {
				if err := r.Forget(t.Context(), "shop", id); err != nil {
					t.Fatal(err)
				}
			}
			e := engine.Event{
				Account: "shop", Kind: kinds[chance.IntN(len(kinds))], Conversation: id, Sender: id, SenderName: names[chance.IntN(len(names))],
				Received: r.m.now, Self: chance.IntN(10) == 0,
			}
			if chance.IntN(10) == 0 {
				e.Time = r.m.now.Add(-time.Duration(chance.IntN(72)) * time.Hour)
			}
			want, err := r.forgetful().Learn(&e)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Learn(&e)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, step %d: learns %v of %+v, and %v without memory: %v", seed, step, got, e, want, err)
			}
			if chance.IntN(10) > 0 { // now and then the act that carries the notes fails
				r.m.keep(got)
			}
			r.m.now = r.m.now.Add(time.Duration(chance.IntN(120)) * time.Minute)
		}
	}
}

func TestWhoIsForgottenIsKnownAgainByTheNextMessage(t *testing.T) {
	r := newRig(t, Options{})
	for range 3 {
		r.happens(of(engine.Message))
	}
	if err := r.Forget(t.Context(), "shop", "u"); err != nil {
		t.Fatal(err)
	}
	if r.happens(of(engine.Message)); r.all() != "u since 08-01 active 08-01" {
		t.Errorf("the directory has %q", r.all())
	}
}

func TestARecordReadBeforeAChangeDoesNotComeBackAfterIt(t *testing.T) {
	var s seen
	_, at := s.record("shop", "u")
	s.drop("shop", "u")
	if s.keep("shop", "u", "old", at); s.young[who{"shop", "u"}] != "" {
		t.Error("it came back")
	}
	_, at = s.record("shop", "u")
	s.keep("shop", "u", "new", at)
	if v, _ := s.record("shop", "u"); v != "new" {
		t.Errorf("it is %q", v)
	}
	if v, _ := s.record("other", "u"); v != "" {
		t.Errorf("another account has %q", v)
	}
}

func TestMemoryIsBoundedAndKeepsWhoWritesMost(t *testing.T) {
	var s seen
	for i := range 5 * seenMost {
		_, at := s.record("shop", "always")
		s.keep("shop", "always", "v", at)
		s.keep("shop", fmt.Sprint(i), "v", at)
	}
	if n := len(s.young) + len(s.old); n > 2*seenMost {
		t.Errorf("%d records are kept", n)
	}
	if v, _ := s.record("shop", "always"); v != "v" {
		t.Error("who writes all the time is forgotten")
	}
	if v, _ := s.record("shop", "0"); v != "" {
		t.Error("who wrote long ago is kept")
	}
}

func TestAStoreThatFailsIsToldOnlyWhereItIsAsked(t *testing.T) {
	r := newRig(t, Options{})
	r.happens(of(engine.Message))
	r.happens(of(engine.Message))
	r.m.err = errors.New("disk")
	again, first := of(engine.Message), of(engine.Message)
	again.Account, again.Received = "shop", r.m.now
	first.Account, first.Received, first.Conversation = "shop", r.m.now, "v"
	if notes, err := r.Learn(&again); err != nil || notes != nil {
		t.Errorf("of somebody known: %v, %v", notes, err)
	}
	if _, err := r.Learn(&first); err == nil {
		t.Error("of somebody new there is no error")
	}
}
