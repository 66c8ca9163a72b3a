package hourly

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// shelf is a folder with a clock and limits that a test changes.
type shelf struct {
	testing.TB
	dir  string
	now  time.Time
	keep time.Duration
	size int64
	lost int
}

func newShelf(tb testing.TB) *shelf {
	return &shelf{TB: tb, dir: filepath.Join(tb.TempDir(), "shelf"), now: time.Date(2026, 12, 1, 13, 0, 0, 0, time.UTC), keep: 24 * time.Hour, size: 64 << 20}
}

func (s *shelf) writer() *Writer {
	return NewWriter(Options{
		Dir: s.dir, Now: func() time.Time { return s.now }, Limits: func() (time.Duration, int64) { return s.keep, s.size },
		Lost: func(n int) { s.lost += n }, Log: slog.New(slog.DiscardHandler), What: "shelf",
	})
}

// read returns the records of all files.
func (s *shelf) read() (all []string) {
	s.Helper()
	files, err := List(s.dir)
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			s.Fatal(err)
		}
		for rec := range Records(data) {
			all = append(all, string(rec))
		}
	}
	return all
}

func (s *shelf) names() (names []string) {
	s.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWhatIsAddedIsReadInItsOrderOverHoursAndLives(t *testing.T) {
	s := newShelf(t)
	var want []string
	for life := range 3 {
		w := s.writer()
		for i := range 50 {
			rec := fmt.Sprintf("%d %d", life, i)
			w.Add([]byte(rec))
			want = append(want, rec)
			s.now = s.now.Add(5 * time.Minute)
		}
		w.Close()
	}
	if got := s.read(); !slices.Equal(got, want) {
		t.Errorf("reads %q", got)
	}
	if s.lost > 0 {
		t.Errorf("lost %d", s.lost)
	}
}

func TestTheOldestFilesGoByAgeAndBySize(t *testing.T) {
	s := newShelf(t)
	s.keep = 3 * time.Hour
	w := s.writer()
	for i := range 10 {
		w.Add([]byte(fmt.Sprint(i)))
		w.Flush()
		s.now = s.now.Add(time.Hour)
		w.Tidy()
	}
	if got := s.read(); !slices.Equal(got, []string{"7", "8", "9"}) {
		t.Errorf("kept by age: %q", got)
	}
	s.keep, s.size = 24*time.Hour, 8*100
	for range 100 {
		w.Add(make([]byte, 46))
		w.Flush()
	}
	total := int64(0)
	files, err := List(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		total += f.Size
	}
	if total > s.size || total < s.size/2 {
		t.Errorf("%d bytes are kept of at most %d", total, s.size)
	}
	s.keep = 0
	w.Tidy()
	if got := s.read(); len(got) > 0 {
		t.Errorf("%d are kept where nothing is to be", len(got))
	}
}

func TestAfterAWriteThatFailedAnotherFileIsBegun(t *testing.T) {
	s := newShelf(t)
	w := s.writer()
	put := func(id string) {
		w.Add([]byte(id))
		w.Flush()
	}
	put("m0")
	w.open.Write([]byte{0, 0, 1, 0, 7}) // as far as the disk took it
	w.open.Close()                      // the next write fails
	put("m1")
	put("left alone")
	s.now = s.now.Add(RetryAfter)
	put("m2")
	w.Close()
	if got := s.read(); !slices.Equal(got, []string{"m0", "m2"}) || s.lost != 2 {
		t.Errorf("reads %q, lost %d", got, s.lost)
	}
	if want := []string{"2026-12-01T13", "2026-12-01T13.001"}; !slices.Equal(s.names(), want) {
		t.Errorf("files %q, want %q", s.names(), want)
	}
}

func TestAClockThatRanBackBetweenTwoLivesFindsAFreeName(t *testing.T) {
	s := newShelf(t)
	for _, hour := range []int{13, 14, 13, 13} {
		s.now = time.Date(2026, 12, 1, hour, 0, 0, 0, time.UTC)
		w := s.writer()
		w.Add([]byte("m"))
		w.Close()
	}
	if want := []string{"2026-12-01T13", "2026-12-01T13.001", "2026-12-01T13.002", "2026-12-01T14"}; !slices.Equal(s.names(), want) {
		t.Errorf("files %q, want %q", s.names(), want)
	}
}

func TestARecordThatWouldPushOutAllOthersIsLost(t *testing.T) {
	s := newShelf(t)
	s.size = 800
	w := s.writer()
	w.Add([]byte("small"))
	w.Add(make([]byte, 200))
	w.Close()
	if got := s.read(); !slices.Equal(got, []string{"small"}) || s.lost != 1 {
		t.Errorf("reads %q, lost %d", got, s.lost)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 'a', 0, 0, 0, 2, 'b', 'c'})
	f.Add([]byte{0, 0, 0, 1, 1, 255, 255, 255, 255})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var again []byte
		for rec := range Records(data) {
			again = binary.BigEndian.AppendUint32(again, uint32(len(rec)))
			again = append(again, rec...)
		}
		if len(again) > len(data) || string(again) != string(data[:len(again)]) {
			t.Errorf("%d bytes read as %d others", len(data), len(again))
		}
	})
}
