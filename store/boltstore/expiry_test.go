package boltstore

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// A caller who gives up while the act is under way must share nothing with it;
// the race detector is what fails here.
func TestFireMayBeGivenUp(t *testing.T) {
	s := mustOpen(t, testOptions(t, filepath.Join(t.TempDir(), "bot.db")))
	for range 50 {
		seq := mustAppend(t, s, time.Now().String())[0]
		err := s.Commit(ctx, store.Commit{Seq: seq, Owner: "o", States: []store.StateWrite{{
			Key:   engine.StateKey{Account: "acc", Conversation: "c", Sender: time.Now().String()},
			State: engine.State{Skill: "s", Expires: s.Now().Add(-time.Second)},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithCancel(ctx)
		go cancel()
		if _, _, _, err := s.Fire(short); err != nil && short.Err() == nil {
			t.Fatal(err)
		}
	}
}
