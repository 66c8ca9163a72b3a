package boltstore

import (
	"errors"
	"testing"
	"time"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// altered changes a closed store's file behind its back.
func altered(t *testing.T, name string, change func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(name, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error { return errors.Join(change(tx), markLast(tx)) })
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFileFromBeforeThereWereContactsIsTakenOver(t *testing.T) {
	p := filled(t)
	altered(t, p, func(tx *bolt.Tx) error { return tx.DeleteBucket(bContacts) })
	s := mustOpen(t, testOptions(t, p))
	if got := logged(t, s); len(got) != 49 {
		t.Errorf("the log holds %d events, want those it held before", len(got))
	}
	if err := s.SetStanding(ctx, "acc", "u", engine.Block); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := mustOpen(t, testOptions(t, p)).Standing("acc", "u"); !got.Blocked {
		t.Errorf("stands as %+v", got)
	}
}

func TestAFileThatLacksAnOlderBucketIsRefused(t *testing.T) {
	p := filled(t)
	altered(t, p, func(tx *bolt.Tx) error { return tx.DeleteBucket(bOnce) })
	refused(t, p)
}

func TestContactsThatCannotBeReadAreNoticedAtOpen(t *testing.T) {
	for name, row := range map[string][2]string{
		"a broken record": {"\x03accu", "{"},
		"a broken key":    {"\x09acc", "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			p := filled(t)
			altered(t, p, func(tx *bolt.Tx) error { return tx.Bucket(bContacts).Put([]byte(row[0]), []byte(row[1])) })
			refused(t, p)
		})
	}
}

func TestPeopleCanBeBarredAndLetInAgainThoughTheDiskIsFull(t *testing.T) {
	opt := testOptions(t, path(t))
	free := int64(1 << 30)
	opt.MinFree, opt.FreeSpace = 1<<20, func(string) (int64, error) { return free, nil }
	s := mustOpen(t, opt)
	for _, c := range []engine.Change{engine.Block, engine.Change(engine.Unsubscribe)} {
		if err := s.SetStanding(ctx, "acc", "u", c); err != nil {
			t.Fatal(err)
		}
	}
	seq := mustAppend(t, s, "1")[0]
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	free = 0
	s = mustOpen(t, opt)
	for _, c := range []engine.Change{engine.Block, engine.Change(engine.Unsubscribe)} {
		if err := s.SetStanding(ctx, "acc", "v", c); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	if _, err := s.Submit(ctx, []engine.Command{{Account: "acc", Conversation: "v", TaskID: "t", Action: engine.SendText}}, time.Hour); !errors.Is(err, store.ErrFull) {
		t.Errorf("something to be sent was taken: %v", err)
	}
	for _, c := range []engine.Change{engine.Unblock, engine.Change(engine.Subscribe)} {
		if err := s.SetStanding(ctx, "acc", "u", c); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	// The wish of somebody whose event is in the log is heard: the event goes.
	if err := s.Commit(ctx, store.Commit{Seq: seq, Account: "acc", Sender: "s", Subscription: engine.Unsubscribe}); err != nil {
		t.Error(err)
	}
	if u, v, sender := s.Standing("acc", "u"), s.Standing("acc", "v"), s.Standing("acc", "s"); u != (engine.Standing{}) ||
		v != (engine.Standing{Blocked: true, Unsubscribed: true}) || sender != (engine.Standing{Unsubscribed: true}) {
		t.Errorf("stand as %+v, %+v, %+v", u, v, sender)
	}
}

func TestAChangeThatChangesNothingCostsNoCommit(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	if err := s.SetStanding(ctx, "acc", "u", engine.Block); err != nil {
		t.Fatal(err)
	}
	before := s.commits.Load()
	for range 3 {
		if err := s.SetStanding(ctx, "acc", "u", engine.Block); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.commits.Load() - before; n != 0 {
		t.Errorf("%d commits", n)
	}
}
