package recent

import (
	"strings"
	"testing"

	"bot/engine"
)

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
	defer w.Close()
	h := handled{message("m0"), engine.Message}
	b.SetBytes(int64(len(w.encode(nil, h))))
	b.ReportAllocs()
	for b.Loop() {
		w.add(h)
	}
}
