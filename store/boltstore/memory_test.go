package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
	"bot/store/storetest"

	bolt "go.etcd.io/bbolt"
)

func note(key, value string) engine.Note { return engine.Note{Key: key, Value: value} }

func noteUntil(at time.Time, key, value string) engine.Note {
	return engine.Note{Key: key, Value: value, Expires: at}
}

func mustRemember(t testing.TB, s *Store, notes ...engine.Note) {
	t.Helper()
	if err := s.Remember(ctx, "acc", notes); err != nil {
		t.Fatal(err)
	}
}

func recalls(t testing.TB, s *Store, key, want string) {
	t.Helper()
	if got, err := s.Recall("acc", key); err != nil || got != want {
		t.Errorf("note %s is %q, %v; want %q", key, got, err, want)
	}
}

// noteRows counts the rows of both trees, which must agree.
func noteRows(t testing.TB, s *Store) (notes, expiries int) {
	t.Helper()
	err := s.read(func(tx *bolt.Tx) error {
		byTime := tx.Bucket(bNoteExpiry)
		expiries = count(byTime)
		expiring := 0
		err := tx.Bucket(bNotes).ForEach(func(k, row []byte) error {
			notes++
			if at := noteExpiryOf(row); at != nil {
				expiring++
				if v := byTime.Get(expiryRow(at, k)); v == nil {
					t.Errorf("note %q has no row in its expiry's place", k)
				}
			}
			return nil
		})
		if expiring != expiries {
			t.Errorf("%d notes expire, %d rows say so", expiring, expiries)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return notes, expiries
}

func TestAFileFromBeforeThereWereNotesIsTakenOver(t *testing.T) {
	for name, lacks := range map[string][][]byte{"both trees": {bNotes, bNoteExpiry}, "one": {bNoteExpiry}} {
		t.Run("without "+name, func(t *testing.T) {
			p := filled(t)
			altered(t, p, func(tx *bolt.Tx) error {
				for _, b := range lacks {
					if err := tx.DeleteBucket(b); err != nil {
						return err
					}
				}
				return nil
			})
			s := mustOpen(t, testOptions(t, p))
			if got := logged(t, s); len(got) != 49 {
				t.Errorf("the log holds %d events, want those it held before", len(got))
			}
			mustRemember(t, s, note("k", "v"), noteUntil(s.Now().Add(time.Hour), "l", "w"))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, testOptions(t, p))
			recalls(t, s, "k", "v")
			recalls(t, s, "l", "w")
		})
	}
}

func TestNotesAreForgottenThoughTheDiskIsFull(t *testing.T) {
	opt := testOptions(t, path(t))
	free := int64(1 << 30)
	opt.MinFree, opt.FreeSpace = 1<<20, func(string) (int64, error) { return free, nil }
	s := mustOpen(t, opt)
	mustRemember(t, s, note("k", "v"), note("ring", "1"), note("cursor", "1"))
	seq := mustAppend(t, s, "1")[0]
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	free = 0
	s = mustOpen(t, opt)
	if err := s.Remember(ctx, "acc", []engine.Note{note("k", ""), note("l", "v")}); !errors.Is(err, store.ErrFull) {
		t.Errorf("a note: %v", err)
	}
	_, err := s.AppendPage(ctx, []*engine.Event{event("2")}, window, "acc", []engine.Note{note("ring", "")})
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("a page: %v", err)
	}
	recalls(t, s, "k", "v")
	recalls(t, s, "ring", "1")
	mustRemember(t, s, note("k", ""))
	// So is what has less go on: whoever wants to stop need not find room first.
	stop := note("paused", "by an operator")
	stop.Stops = true
	mustRemember(t, s, stop)
	if _, err := s.AppendPage(ctx, nil, window, "acc", []engine.Note{note("ring", "")}); err != nil {
		t.Errorf("a page that adds nothing: %v", err)
	}
	// What an event that is in the log teaches is kept: the event goes.
	if err := s.Commit(ctx, store.Commit{Seq: seq, Account: "acc", Learned: []engine.Note{note("w_id", "w")}}); err != nil {
		t.Error(err)
	}
	for key, want := range map[string]string{"k": "", "l": "", "ring": "", "cursor": "1", "w_id": "w", "paused": "by an operator"} {
		recalls(t, s, key, want)
	}
}

func TestANoteThatIsKnownCostsNoCommit(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	until := noteUntil(s.Now().Add(time.Hour), "until", "v")
	page := func() {
		t.Helper()
		if _, err := s.AppendPage(ctx, []*engine.Event{event("1")}, window, "acc", []engine.Note{note("k", "v"), until}); err != nil {
			t.Fatal(err)
		}
	}
	page()
	before := s.commits.Load()
	for range 3 {
		mustRemember(t, s, note("k", "v"), until, note("unknown", ""), noteUntil(s.Now(), "over", "v"))
		mustRemember(t, s)
		page()
	}
	if n := s.commits.Load() - before; n != 0 {
		t.Errorf("%d commits", n)
	}
}

func TestASweepTakesExpiredNotesOutInSteps(t *testing.T) {
	clock := storetest.NewClock()
	opt := testOptions(t, path(t))
	opt.Now, opt.Uptime = clock.Now, clock.Uptime
	s := mustOpen(t, opt)
	notes := []engine.Note{note("endless", "v"), noteUntil(clock.Now().Add(time.Hour), "later", "v")}
	for i := range 2*noteSweep + 1 {
		notes = append(notes, noteUntil(clock.Now().Add(time.Minute), fmt.Sprint("k", i), "v"))
	}
	mustRemember(t, s, notes...)
	clock.Advance(time.Minute)
	before := s.acts.Load()
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if n := s.acts.Load() - before; n != 3 {
		t.Errorf("%d acts for %d notes, %d to be taken out with each", n, len(notes)-2, noteSweep)
	}
	if notes, expiries := noteRows(t, s); notes != 2 || expiries != 1 {
		t.Errorf("%d notes and %d expiries are left", notes, expiries)
	}
	before = s.acts.Load()
	if err := s.Sweep(ctx); err != nil || s.acts.Load() != before {
		t.Errorf("a sweep of nothing: %d acts, %v", s.acts.Load()-before, err)
	}
}

func TestANoteThatIsBrokenOnDiskIsTold(t *testing.T) {
	p := filled(t)
	altered(t, p, func(tx *bolt.Tx) error { return tx.Bucket(bNotes).Put(noteKey("acc", "k"), []byte("12345678")) })
	s := mustOpen(t, testOptions(t, p))
	if got, err := s.Recall("acc", "k"); got != "" || !errors.Is(err, store.ErrDamaged) {
		t.Errorf("recalled %q, %v", got, err)
	}
	if got, err := s.Recollect("acc", "", "", 9); got != nil || !errors.Is(err, store.ErrDamaged) {
		t.Errorf("recollected %v, %v", got, err)
	}
	mustRemember(t, s, note("k", "v"))
	recalls(t, s, "k", "v")
}

func TestAnAccountWhoseNameLeavesNoRoomForAKeyIsRefused(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	long := string(bytes.Repeat([]byte("a"), bolt.MaxKeySize-12)) // a note of 9 bytes no longer fits
	for key, fits := range map[string]bool{"k": true, "beyond it": false} {
		err := s.Remember(ctx, long, []engine.Note{noteUntil(s.Now().Add(time.Hour), key, "v")})
		if (err == nil) != fits {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

func TestABackupHoldsNotes(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	mustRemember(t, s, note("k", "v"))
	to := path(t)
	if err := s.Backup(ctx, to); err != nil {
		t.Fatal(err)
	}
	recalls(t, mustOpen(t, testOptions(t, to)), "k", "v")
}

func BenchmarkRecall(b *testing.B) {
	s := benchStore(b, 0)
	mustRemember(b, s, note("token", string(make([]byte, 200))))
	for b.Loop() {
		if _, err := s.Recall("acc", "token"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendPage(b *testing.B) {
	s := benchStore(b, 0)
	n := uint64(0)
	for b.Loop() {
		var events []*engine.Event
		for range 100 {
			n++
			events = append(events, benchEvent(n))
		}
		if _, err := s.AppendPage(ctx, events, window, "acc", []engine.Note{note("cursor/kf", fmt.Sprint(n))}); err != nil {
			b.Fatal(err)
		}
	}
}
