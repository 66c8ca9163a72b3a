package contacts_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/contacts"
)

// endless is a store that makes the notes of n contacts as they are asked for,
// each with two labels, so that what a look at them takes can be measured alone.
type endless struct {
	contacts.Store
	n, reads int
	peak     uint64
}

// idBase gives all ids the same length.
const idBase = 1_000_000_000

func (s *endless) Recall(string, string) (string, error) { return "", nil }

func (s *endless) Recollect(_, prefix, after string, limit int) ([]engine.Note, error) {
	if s.reads++; s.reads%16 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.peak = max(s.peak, m.HeapAlloc)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(after, prefix+"wxid_"), "\x00")
	at := 0
	if n, err := strconv.Atoi(id); err == nil {
		at = n - idBase
	}
	if after != "" && (prefix == "contact/" || strings.HasSuffix(after, "lb")) {
		at++
	}
	var page []engine.Note
	for ; len(page) < limit && at < s.n; at++ {
		id := "wxid_" + strconv.Itoa(idBase+at)
		if prefix == "contact/" {
			page = append(page, engine.Note{Key: "contact/" + id, Value: "1 p 20260301 20260801 - 张三"})
			continue
		}
		page = append(page, engine.Note{Key: "given/" + id + "\x00la", Value: "1"}, engine.Note{Key: "given/" + id + "\x00lb", Value: "1"})
	}
	return page, nil
}

var august = time.Date(2026, 8, 2, 0, 0, 0, 0, time.UTC)

func TestAMillionContactsTakeAFewMegabytes(t *testing.T) {
	const n = 1_000_000
	s := &endless{n: n}
	d := contacts.New(contacts.Options{Store: s})
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	began, chosen := time.Now(), 0
	for _, err := range d.Select("shop", contacts.Query{Labels: []string{"a", "b"}, ActiveWithin: 30 * 24 * time.Hour}, august) {
		if err != nil {
			t.Fatal(err)
		}
		chosen++
	}
	used := (s.peak - before.HeapAlloc) >> 20
	t.Logf("%d contacts, %.0f a second, %d MiB at most", chosen, n/time.Since(began).Seconds(), used)
	if chosen != n || used > 16 {
		t.Errorf("%d contacts, %d MiB", chosen, used)
	}
}

func BenchmarkSelect(b *testing.B) {
	l := newLife(b)
	const n = 50_000
	for from := 0; from < n; from += 1000 {
		var notes []engine.Note
		for i := from; i < from+1000; i++ {
			id := fmt.Sprintf("wxid_%09d", i)
			notes = append(notes, engine.Note{Key: "contact/" + id, Value: "1 p 20260301 20260301 - 张三"}, engine.Note{Key: "given/" + id + "\x00lvip", Value: "1"})
		}
		if err := l.st.Remember(b.Context(), "shop", notes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		found := 0
		for _, err := range l.Select("shop", contacts.Query{Labels: []string{"vip"}}, l.st.Now()) {
			if err != nil {
				b.Fatal(err)
			}
			found++
		}
		if found != n {
			b.Fatal(found)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "contacts/s")
}

// BenchmarkLearn is what a message of somebody known costs its turn.
func BenchmarkLearn(b *testing.B) {
	l := newLife(b)
	l.commit(l.logged("m1", engine.Message))
	e := &engine.Event{Account: "shop", Kind: engine.Message, Conversation: "u", Sender: "u", Received: l.st.Now()}
	b.ReportAllocs()
	for b.Loop() {
		if notes, err := l.Learn(e); err != nil || len(notes) > 0 {
			b.Fatal(notes, err)
		}
	}
}
