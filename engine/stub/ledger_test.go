package stub

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLedger(t *testing.T) {
	s := newStub(t, Options{Now: func() time.Time { return noon }})
	call(s, "k1", "1")
	call(s, "k1", "1")
	call(s, "k2", `{"n":"2"}`)
	call(s, "k2", "no") // a refused repeat would not have been done twice
	all := s.Calls(nil)
	if len(all) != 4 || all[0].Repeat || !all[1].Repeat || all[2].Repeat || all[2].Seq != 3 || !all[0].Time.Equal(noon) {
		t.Errorf("calls %+v", all)
	}
	if all[3].Repeat || !all[3].Refused {
		t.Errorf("refused: %+v", all[3])
	}
	if said := s.Calls(Text("u")); len(said) != 3 || said[2].Key != "k2" || said[2].JSON()["n"] != "2" {
		t.Errorf("said to u: %+v", said)
	}
	if said := s.Calls(Text("v")); len(said) != 0 {
		t.Errorf("said to v: %+v", said)
	}
	if got, want := s.Counts(), (Counts{Calls: 4, Done: 2, Repeats: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestLedgerIsBounded(t *testing.T) {
	s := newStub(t, Options{Keep: 3})
	for _, key := range strings.Split("abcdefghij", "") {
		call(s, key, "hi")
	}
	all := s.Calls(nil)
	if len(all) != 3 || all[0].Key != "h" || all[2].Key != "j" {
		t.Errorf("kept %+v, want the newest three", all)
	}
	if call(s, "h", "hi"); s.Counts().Repeats != 1 {
		t.Error("a key that is kept was forgotten")
	}
	if call(s, "a", "hi"); s.Counts().Repeats != 1 {
		t.Error("a key beyond the bound was remembered")
	}
	if len(s.ledger.calls) > 6 || len(s.ledger.keys) > 3 {
		t.Errorf("%d calls and %d keys in memory", len(s.ledger.calls), len(s.ledger.keys))
	}
}

func TestWait(t *testing.T) {
	s := newStub(t, Options{})
	var senders sync.WaitGroup
	for range 5 {
		senders.Go(func() { call(s, "", "hi") })
	}
	if got, err := s.Wait(t.Context(), 5, Text("u")); err != nil || len(got) != 5 {
		t.Errorf("%d calls, %v", len(got), err)
	}
	senders.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := s.Wait(ctx, 6, nil); err == nil || len(got) != 5 {
		t.Errorf("%d calls, %v; want what there is and an error", len(got), err)
	}
}
