package recent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/hourly"
)

func TestWhatIsKeptIsWhatSkillsSee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		now := time.Now().UTC()
		e := engine.Event{
			Account: "shop", Kind: engine.FriendAdded, Type: "t", ID: "m1", Receiver: "r", Identity: "i",
			Fact: "friend/u1", IfKnown: engine.ContactChanged, IfNoted: "n", NotedAs: engine.FriendAdded,
			Conversation: "g1", Sender: "u1", SenderName: "name", Self: true, Group: true, Mention: engine.MentionAll,
			Text: strings.Repeat("a text that stands in the body ", 3), Actor: "u2", Members: []string{"u3"}, MemberNames: []string{"n3"},
			Media: []engine.Media{{Kind: "image", URL: "https://example.com/a", Name: "a", Size: 5}}, Params: map[string]string{"scene": "s"},
			Ticket: engine.Ticket{Token: "permission", Expires: now.Add(time.Minute), Limit: 100}, Mute: "mute",
			Learned: []engine.Note{{Key: "token/x", Value: "secret"}}, Tally: "tally/1",
			Time: now.Add(-time.Second), Received: now,
		}
		e.Raw = []byte(`{"content":"` + e.Text + `"}`)
		before := e
		stop := r.run()
		r.Add(&e, engine.ContactChanged)
		stop()
		if !reflect.DeepEqual(e, before) {
			t.Errorf("the event was changed: %+v", e)
		}

		want := e
		want.Kind = engine.ContactChanged
		want.Fact, want.IfKnown, want.IfNoted, want.NotedAs = "", "", "", ""
		want.Raw, want.Ticket.Token, want.Learned, want.Tally = nil, "", nil, ""
		in, err := Read(r.dir, now)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Collect(in.Events())
		if len(got) != 1 || !reflect.DeepEqual(*got[0], want) {
			t.Errorf("read %+v, want %+v", got, want)
		}
	})
}

func TestOthersCannotReadIt(t *testing.T) {
	r := newRig(t)
	stop := r.run()
	r.add("m1")
	stop()
	for path, want := range map[string]fs.FileMode{r.dir: 0o700, filepath.Join(r.dir, r.names()[0]): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestEventsAreFoundByTheTimeOfTheirReceipt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now() // midnight
		stop := r.run()
		var late *engine.Event
		for _, id := range numbered(0, 6) { // one every half hour
			r.add(id)
			if id == "m2" {
				late = message("late") // received now, handled in another hour
			}
			time.Sleep(30 * time.Minute)
		}
		r.Add(late, engine.Message)
		r.Add(&engine.Event{Account: "shop", Kind: engine.Expired, ID: "x", Received: time.Now()}, engine.Expired)
		stop()
		if want := []string{"2000-01-01T00", "2000-01-01T01", "2000-01-01T02", "2000-01-01T03"}; !slices.Equal(r.names(), want) {
			t.Errorf("files %q, want %q", r.names(), want)
		}
		for since, want := range map[time.Duration][]string{
			0:                                {"m0", "m1", "m2", "late", "m3", "m4", "m5"},
			time.Hour:                        {"m2", "late", "m3", "m4", "m5"},
			time.Hour + time.Nanosecond:      {"m3", "m4", "m5"},
			2*time.Hour + 30*time.Minute:     {"m5"},
			2*time.Hour + 30*time.Minute + 1: nil,
			100 * time.Hour:                  nil,
		} {
			if got := r.ids(start.Add(since)); !slices.Equal(got, want) {
				t.Errorf("since %v: %q, want %q", since, got, want)
			}
		}
	})
}

func TestWhatIsAddedIsReadableASecondLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now()
		defer r.run()()
		for i, id := range numbered(0, 5) {
			r.add(id)
			time.Sleep(flushAfter + time.Millisecond)
			if got := r.ids(start); !slices.Equal(got, numbered(0, i+1)) {
				t.Errorf("reads %q", got)
			}
		}
	})
}

func TestOldFilesGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.keep.Store(int64(3 * time.Hour))
		start := time.Now()
		stop := r.run()
		for _, id := range numbered(0, 10) {
			r.add(id)
			time.Sleep(time.Hour)
		}
		time.Sleep(tidyEvery)
		// It is 10:01: what was handled after 07:01 is kept, by whole hours.
		if want := []string{"2000-01-01T07", "2000-01-01T08", "2000-01-01T09"}; !slices.Equal(r.names(), want) {
			t.Errorf("files %q, want %q", r.names(), want)
		}
		time.Sleep(24 * time.Hour)
		if names := r.names(); names != nil {
			t.Errorf("a day without traffic leaves %q", names)
		}
		r.add("again")
		stop()
		if got := r.ids(start); !slices.Equal(got, []string{"again"}) {
			t.Errorf("reads %q", got)
		}
	})
}

func TestTheOldestGoWhereTheSizeIsReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		const size = 1 << 20
		r.size.Store(size)
		start := time.Now()
		stop := r.run()
		body := strings.Repeat("x", 1000)
		var want []string
		for _, id := range numbered(0, 5000) {
			e := message(id)
			e.Text = body
			r.Add(e, engine.Message)
			want = append(want, id)
			synctest.Wait() // it is in the buffer: none is dropped
			if total := r.total(); total > size {
				t.Fatalf("%d bytes are kept after %s", total, id)
			}
		}
		stop()
		got := r.ids(start)
		if n := len(got); n < 700 || !slices.Equal(got, want[len(want)-n:]) {
			t.Errorf("of 5000, %d are kept, %q to %q", n, got[0], got[n-1])
		}
		if r.dropped.Load() != 0 {
			t.Errorf("%d are dropped", r.dropped.Load())
		}
	})
}

func (r *rig) total() (n int64) {
	files, err := hourly.List(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Fatal(err)
	}
	for _, f := range files {
		n += f.Size
	}
	return n
}

func TestATextLargerThanAFileIsDroppedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.size.Store(1 << 20)
		start := time.Now()
		stop := r.run()
		large := message("large")
		large.Text = strings.Repeat("x", 1<<20)
		r.add("m0")
		r.Add(large, engine.Message)
		r.add("m1")
		stop()
		if got := r.ids(start); !slices.Equal(got, numbered(0, 2)) || r.dropped.Load() != 1 {
			t.Errorf("reads %q, dropped %d", got, r.dropped.Load())
		}
	})
}

func TestAChangeOfTheLimitsHoldsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now()
		stop := r.run()
		r.add("m0")
		time.Sleep(2 * time.Second)
		r.keep.Store(0) // as after a reload with keep = "0s"
		r.add("m1")
		time.Sleep(tidyEvery)
		if names := r.names(); names != nil {
			t.Errorf("switched off, it leaves %q", names)
		}
		r.keep.Store(int64(time.Hour))
		r.add("m2")
		stop()
		if got := r.ids(start); !slices.Equal(got, []string{"m2"}) || r.dropped.Load() != 0 {
			t.Errorf("reads %q, dropped %d", got, r.dropped.Load())
		}
	})
}

func TestWhatAFormerLifeKeptGoesWhenItIsSwitchedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		stop := r.run()
		r.add("m0")
		stop()
		foreign := filepath.Join(r.dir, "notes.txt")
		if err := os.WriteFile(foreign, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r.keep.Store(0)
		r.renew()
		r.run()()
		if names := r.names(); !slices.Equal(names, []string{"notes.txt"}) {
			t.Errorf("leaves %q", names)
		}
	})
}

func TestEachLifeWritesFilesOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now()
		for _, id := range numbered(0, 4) {
			stop := r.run()
			r.add(id)
			stop()
			r.renew()
		}
		if want := []string{"2000-01-01T00", "2000-01-01T00.001", "2000-01-01T00.002", "2000-01-01T00.003"}; !slices.Equal(r.names(), want) {
			t.Errorf("files %q, want %q", r.names(), want)
		}
		if got := r.ids(start); !slices.Equal(got, numbered(0, 4)) {
			t.Errorf("reads %q", got)
		}
	})
}

func TestThePlaceInMemoryIsBounded(t *testing.T) {
	r := newRig(t) // nothing runs: the disk is as slow as can be
	r.add(numbered(0, maxWaiting+10)...)
	if r.dropped.Load() != 10 {
		t.Errorf("dropped %d, want 10", r.dropped.Load())
	}
	r = newRig(t)
	e := message("m")
	e.Raw = make([]byte, 1<<20)
	for range 20 {
		r.Add(e, engine.Message)
	}
	if kept := 20 - r.dropped.Load(); kept != maxWaitingBytes>>20-1 {
		t.Errorf("%d events of a mebibyte wait", kept)
	}
	r.run()()
	if r.bytes.Load() != 0 {
		t.Errorf("%d bytes seem to wait when none do", r.bytes.Load())
	}
}

func TestADiskThatRefusesIsLeftAloneForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now()
		if err := os.WriteFile(r.dir, nil, 0o600); err != nil { // in the folder's place
			t.Fatal(err)
		}
		stop := r.run()
		r.add("m0")
		time.Sleep(hourly.RetryAfter - time.Second)
		r.add("m1")
		if err := os.Remove(r.dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(hourly.RetryAfter)
		r.add("m2")
		stop()
		if got := r.ids(start); !slices.Equal(got, []string{"m2"}) || r.dropped.Load() != 2 {
			t.Errorf("reads %q, dropped %d", got, r.dropped.Load())
		}
	})
}

func TestRunMayEndAtAnyTime(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.add("m0")
	for range 2 {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	}
	r.add("m1") // while none runs
	r.run()()
	if got := r.ids(time.Time{}); !slices.Equal(got, numbered(0, 2)) {
		t.Errorf("reads %q", got)
	}
}
