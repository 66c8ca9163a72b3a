package recent

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

func TestAfterAWriteThatFailedAnotherFileIsBegun(t *testing.T) {
	r := newRig(t)
	now := time.Date(2026, 12, 1, 13, 0, 0, 0, time.UTC)
	o := r.options()
	o.Now = func() time.Time { return now }
	w := newWriter(New(o).o)
	put := func(id string) {
		w.add(handled{message(id), engine.Message})
		w.flush()
	}
	put("m0")
	w.open.Write([]byte{0, 0, 1, 0, 7}) // as far as the disk took it
	w.open.Close()                      // the next write fails
	put("m1")
	now = now.Add(retryAfter)
	put("m2")
	w.close()
	if got := r.ids(time.Time{}); !slices.Equal(got, []string{"m0", "m2"}) || r.dropped.Load() != 1 {
		t.Errorf("reads %q, dropped %d", got, r.dropped.Load())
	}
	if want := []string{"2026-12-01T13", "2026-12-01T13.001"}; !slices.Equal(r.names(), want) {
		t.Errorf("files %q, want %q", r.names(), want)
	}
}

func TestAClockThatRanBackBetweenTwoLivesFindsAFreeName(t *testing.T) {
	r := newRig(t)
	o := r.options()
	for _, hour := range []int{13, 14, 13, 13} {
		o.Now = func() time.Time { return time.Date(2026, 12, 1, hour, 0, 0, 0, time.UTC) }
		w := newWriter(New(o).o)
		w.add(handled{message("m"), engine.Message})
		w.close()
	}
	if want := []string{"2026-12-01T13", "2026-12-01T13.001", "2026-12-01T13.002", "2026-12-01T14"}; !slices.Equal(r.names(), want) {
		t.Errorf("files %q, want %q", r.names(), want)
	}
}

// BenchmarkAdd is what an event costs its turn; taking it out again is included.
func BenchmarkAdd(b *testing.B) {
	r := newRig(b)
	e := message("m0")
	e.Raw = []byte(strings.Repeat("x", 400))
	b.ReportAllocs()
	for b.Loop() {
		r.Add(e, engine.Message)
		r.bytes.Add(-(<-r.waiting).size())
	}
	if n := r.dropped.Load(); n > 0 {
		b.Errorf("%d were dropped", n)
	}
}

// BenchmarkWrite is what it costs the goroutine that writes, the disk included.
func BenchmarkWrite(b *testing.B) {
	o := newRig(b).options()
	w := newWriter(New(o).o)
	defer w.close()
	h := handled{message("m0"), engine.Message}
	b.SetBytes(int64(len(w.record(nil, h))))
	b.ReportAllocs()
	for b.Loop() {
		w.add(h)
	}
}
