package boltstore

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// checkLong expects the pieces of each long value, and no others.
func checkLong(t testing.TB, s *Store) (long int) {
	t.Helper()
	err := s.read(func(tx *bolt.Tx) error {
		found := 0
		for _, name := range [][]byte{bWal, bDelivery, bOutbox, bState, bDead} {
			err := tx.Bucket(name).ForEach(func(k, v []byte) error {
				if !isLong(v) {
					return nil
				}
				long++
				for range pieces(tx, name, k) {
					found++
				}
				if isLong(whole(tx, name, k, v)) {
					t.Errorf("%s %x: pieces are missing", name, k)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if n := count(tx.Bucket(bLong)); n != found {
			t.Errorf("%d pieces, %d of them of a value", n, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return long
}

// TestLongValues: events, states, commands and letters are read as they were
// written, whatever their length, and leave nothing behind.
func TestLongValues(t *testing.T) {
	for _, size := range []int{1, longest - 200, longest, longest + 1, 2 * longest, 300_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := mustOpen(t, testOptions(t, path(t)))
			text := func(of string) string { return of + strings.Repeat("好x", size/4) }
			k := engine.StateKey{Account: "acc", Conversation: "c"}

			e := event("1")
			e.Text = text("first")
			dead := event("2")
			dead.Text = text("second")
			in, err := s.Append(ctx, []*engine.Event{e, dead}, window)
			if err != nil {
				t.Fatal(err)
			}
			s = restarted(t, s)
			for i, want := range []string{e.Text, dead.Text} {
				if got, err := s.Entry(in.Seqs[i]); err != nil || got.Event.Text != want {
					t.Errorf("event %d: %.20q of %d bytes, %v", i, got.Event.Text, len(got.Event.Text), err)
				}
			}

			state := engine.State{Skill: "form", Data: map[string]string{"answer": text("yes")}}
			cmd := engine.Command{TaskID: "t", Account: "acc", Action: engine.SendText, Text: text("reply")}
			err = errors.Join(
				s.Commit(ctx, store.Commit{Seq: in.Seqs[0], Owner: "o", Commands: []engine.Command{cmd}, States: []store.StateWrite{{Key: k, State: state}}}),
				s.Fail(ctx, store.Failure{Seq: in.Seqs[1], Bury: true}))
			if err != nil {
				t.Fatal(err)
			}
			s = restarted(t, s)
			if got, err := s.State(k); err != nil || !reflect.DeepEqual(got.Data, state.Data) {
				t.Errorf("state: %d bytes, %v", len(got.Data["answer"]), err)
			}
			if got, _, err := s.Find("t"); err != nil || got.Command.Text != cmd.Text {
				t.Errorf("command: %v, %v", got.Command, err)
			}
			letters, err := s.Letters(0, 9)
			if err != nil || len(letters) != 1 || letters[0].Event.Text != dead.Text {
				t.Fatalf("letters: %v, %v", letters, err)
			}
			if err := s.CheckNow(); err != nil {
				t.Error(err)
			}

			cmd.TaskID, cmd.Submitted = "given up", true
			if _, err := s.Submit(ctx, []engine.Command{cmd}, window); err != nil {
				t.Fatal(err)
			}
			gone, _, _ := s.Find("given up")
			err = errors.Join(s.Settle(ctx, store.Settlement{ID: gone.ID, Final: store.Dead}), s.Resolve(ctx, "given up", true, nil))
			if _, final, e := s.Find("given up"); err != nil || e != nil || final != store.Confirmed {
				t.Errorf("a letter that had arrived: %q, %v, %v", final, err, e)
			}

			d, _, _ := s.Find("t")
			more := mustAppend(t, s, "3")
			st, _ := s.State(k)
			err = errors.Join(
				s.Settle(ctx, store.Settlement{ID: d.ID, Final: store.Sent}),
				s.Drop(ctx, letters[0].ID),
				s.Commit(ctx, store.Commit{Seq: more[0], Owner: "o", States: []store.StateWrite{{Key: k, Read: st.Version, State: engine.State{Skill: "form"}}}}))
			if err != nil {
				t.Fatal(err)
			}
			if long := checkLong(t, restarted(t, s)); long != 0 {
				t.Errorf("%d long values are left", long)
			}
		})
	}
}

// restarted closes a store, all of whose journal is then in the trees, and opens it
// again with nothing in its cache.
func restarted(t *testing.T, s *Store) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, s.opt)
	checkLong(t, s)
	return s
}

// TestAnOlderFileIsBroughtUpToDate: in schema 2 long values were in their rows.
func TestAnOlderFileIsBroughtUpToDate(t *testing.T) {
	p := filled(t)
	e := event("of old")
	e.Text = strings.Repeat("long ", 4000)
	seq := uint64(0)
	db, err := bolt.Open(p, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) (err error) {
		wal := tx.Bucket(bWal)
		if seq, err = wal.NextSequence(); err != nil {
			return err
		}
		return errors.Join(wal.Put(be(seq), store.EncodeEvent(e)), tx.Bucket(bMeta).Put(kSchema, be(oldSchema)),
			tx.DeleteBucket(bLong), markLast(tx))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}

	s := mustOpen(t, testOptions(t, p))
	if got, err := s.Entry(seq); err != nil || got.Event.Text != e.Text {
		t.Errorf("its event: %v, %v", got.Event, err)
	}
	if err := s.Commit(ctx, store.Commit{Seq: seq, Owner: "o"}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, s.opt)
	if _, err := s.Entry(seq); !errors.Is(err, store.ErrGone) {
		t.Errorf("its event, after it was handled: %v", err)
	}
	err = s.read(func(tx *bolt.Tx) error {
		if n := unbe(tx.Bucket(bMeta).Get(kSchema)); n != fileSchema {
			t.Errorf("it has schema %d, want %d, so that an older program leaves it alone", n, fileSchema)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
