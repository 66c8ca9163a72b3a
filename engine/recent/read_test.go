package recent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"bot/engine"
)

// whole returns an archive of one file, and that file.
func whole(t *testing.T, ids ...string) (r *rig, path string, data []byte) {
	t.Helper()
	r = newRig(t)
	stop := r.run()
	r.add(ids...)
	stop()
	path = filepath.Join(r.dir, r.names()[0])
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return r, path, data
}

func TestATornEndCostsNoRecordThatIsWhole(t *testing.T) {
	ids := numbered(0, 3)
	r, path, data := whole(t, ids...)
	record := len(data) / len(ids) // all of one length
	for size := range len(data) {
		if err := os.WriteFile(path, data[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := r.ids(time.Time{}); !slices.Equal(got, ids[:size/record]) {
			t.Fatalf("of %d bytes %q are read", size, got)
		}
	}
}

func TestAHoleEndsAFile(t *testing.T) {
	r, path, data := whole(t, numbered(0, 3)...)
	clear(data[len(data)/3:]) // pages that never reached the disk
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.ids(time.Time{}); !slices.Equal(got, numbered(0, 1)) {
		t.Errorf("reads %q", got)
	}
}

func TestADamagedRecordCostsNoOther(t *testing.T) {
	ids := numbered(0, 3)
	r, path, data := whole(t, ids...)
	record := len(data) / len(ids)
	for at := record + 4; at < 2*record; at++ {
		broken := slices.Clone(data)
		broken[at] ^= 1
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := Read(r.dir, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if got := in.ids(); in.Damaged != 1 || !slices.Equal(got, []string{"m0", "m2"}) {
			t.Fatalf("byte %d: %d damaged, reads %q", at, in.Damaged, got)
		}
	}
}

func TestWithoutAnArchiveThereIsNoneToRead(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "x"), time.Time{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("says %v", err)
	}
}

func TestATalkIsTheLastOfOneConversation(t *testing.T) {
	r := newRig(t)
	stop := r.run()
	for i := range 20 {
		for _, c := range []string{"u1", "u11", "of u1"} {
			e := message(fmt.Sprint(c, "-", i))
			e.Conversation = c
			r.Add(e, engine.Message)
		}
	}
	stop()
	events, err := Talk(t.Context(), r.dir, "shop", "u1", time.Time{}, 3)
	if err != nil || len(events) != 3 || events[0].ID != "u1-17" || events[2].ID != "u1-19" || events[2].Text == "" {
		t.Errorf("%v, %v", events, err)
	}
	for _, c := range []struct {
		what, account string
		since         time.Time
	}{{"another account", "other", time.Time{}}, {"the time to come", "shop", time.Now().Add(time.Minute)}} {
		if events, err := Talk(t.Context(), r.dir, c.account, "u1", c.since, 3); err != nil || len(events) != 0 {
			t.Errorf("%s: %v, %v", c.what, events, err)
		}
	}
	if events, err := Talk(t.Context(), filepath.Join(r.dir, "none"), "shop", "u1", time.Time{}, 3); err != nil || events != nil {
		t.Errorf("without an archive: %v, %v", events, err)
	}
}

func TestReadingGoesOnBesideWriting(t *testing.T) {
	r := newRig(t)
	r.size.Store(1 << 20) // so that files come and go
	stop := r.run()
	var writing sync.WaitGroup
	for range 4 {
		writing.Go(func() {
			for _, id := range numbered(0, 4000) {
				r.add(id)
			}
		})
	}
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		in, err := Read(r.dir, time.Time{})
		if errors.Is(err, fs.ErrNotExist) {
			continue // nothing was written yet
		}
		if err != nil || in.Damaged > 0 {
			t.Fatalf("%+v, %v", in, err)
		}
	}
	stop()
}

func FuzzScan(f *testing.F) {
	framed := func(b []byte, id string) []byte {
		rec := new(writer).encode(nil, handled{message(id), engine.Message})
		return append(binary.BigEndian.AppendUint32(b, uint32(len(rec))), rec...)
	}
	one := framed(nil, "m0")
	f.Add(one)
	f.Add(framed(one, "m1"))
	f.Add([]byte{0, 0, 0, 1, 1, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		var in Intake
		in.scan(data, time.Time{})
		if n := len(in.ids()); n != len(in.records) || n+in.Damaged > len(data)/5 {
			t.Errorf("%d and %d damaged come of %d bytes", n, in.Damaged, len(data))
		}
	})
}
