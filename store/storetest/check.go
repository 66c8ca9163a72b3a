package storetest

import (
	"testing"

	"bot/store"
)

// Check looks over all that a store shows: that what it counts is what it
// holds, that orders are kept, that each record is found by each of its names.
// Nothing else may use the store meanwhile.
func Check(t testing.TB, st store.Store) {
	t.Helper()
	if err := st.Err(); err != nil {
		t.Errorf("store has failed: %v", err)
		return
	}
	stats, err := st.Stats()
	if err != nil {
		t.Errorf("stats: %v", err)
		return
	}
	checkLog(t, st, stats)
	checkOutbox(t, st, stats)
	checkLetters(t, st, stats)
	checkContacts(t, st)
	checkNotes(t, st)
	if _, err := st.NextExpiry(); err != nil {
		t.Errorf("next expiry: %v", err)
	}
	if a, b := st.Now(), st.Now(); b.Before(a) {
		t.Errorf("time runs back: %v, then %v", a, b)
	}
}

const page = 100

func checkLog(t testing.TB, st store.Store, stats store.Stats) {
	t.Helper()
	var last uint64
	n := 0
	for {
		entries, err := st.Read(last, page)
		if err != nil {
			t.Errorf("read after %d: %v", last, err)
			return
		}
		if len(entries) > page {
			t.Errorf("read returned %d entries, limit %d", len(entries), page)
		}
		for i, e := range entries {
			if e.Seq <= last {
				t.Errorf("entry %d stands behind %d", e.Seq, last)
			}
			last = e.Seq
			checkEntry(t, st, e)
			if n == 0 && i == 0 && !stats.OldestEvent.Equal(e.Event.Received) {
				t.Errorf("oldest event is of %v, stats say %v", e.Event.Received, stats.OldestEvent)
			}
		}
		n += len(entries)
		if len(entries) == 0 {
			break
		}
	}
	if n != stats.Events {
		t.Errorf("log holds %d events, stats say %d", n, stats.Events)
	}
	if n == 0 && !stats.OldestEvent.IsZero() {
		t.Errorf("log is empty, oldest event is of %v", stats.OldestEvent)
	}
}

func checkEntry(t testing.TB, st store.Store, e store.Entry) {
	t.Helper()
	if e.Event.Received.IsZero() || e.Event.Received.After(st.Now()) {
		t.Errorf("entry %d was received at %v, now is %v", e.Seq, e.Event.Received, st.Now())
	}
	one, err := st.Entry(e.Seq)
	if err != nil || one.Event.Ref() != e.Event.Ref() || one.Tries.Count != e.Tries.Count {
		t.Errorf("entry %d by number is %+v, %v; by reading %+v", e.Seq, one, err, e)
	}
}

func checkOutbox(t testing.TB, st store.Store, stats store.Stats) {
	t.Helper()
	var last uint64
	n, doubt := 0, 0
	doubts := checkDoubts(t, st)
	for {
		ds, err := st.Deliveries(last, page)
		if err != nil {
			t.Errorf("deliveries after %d: %v", last, err)
			return
		}
		for _, d := range ds {
			if d.ID <= last {
				t.Errorf("command %d stands behind %d", d.ID, last)
			}
			last = d.ID
			if d.Progress.Phase == store.InDoubt {
				doubt++
			}
			if doubts[d.ID] != (d.Progress.Phase == store.InDoubt) {
				t.Errorf("command %d is %s, and among the doubts: %v", d.ID, d.Progress.Phase, doubts[d.ID])
			}
			checkDelivery(t, st, d)
		}
		n += len(ds)
		if len(ds) == 0 {
			break
		}
	}
	if n != stats.Commands || doubt != stats.InDoubt {
		t.Errorf("outbox holds %d commands, %d in doubt; stats say %d and %d", n, doubt, stats.Commands, stats.InDoubt)
	}
}

// checkDoubts reads what is in doubt, a few at a time.
func checkDoubts(t testing.TB, st store.Store) map[uint64]bool {
	t.Helper()
	all := make(map[uint64]bool)
	for last := uint64(0); ; {
		ds, err := st.Doubts(last, 3)
		if err != nil {
			t.Errorf("doubts after %d: %v", last, err)
		}
		if len(ds) == 0 {
			return all
		}
		for _, d := range ds {
			if d.ID <= last {
				t.Errorf("doubt %d stands behind %d", d.ID, last)
			}
			last, all[d.ID] = d.ID, true
		}
	}
}

func checkDelivery(t testing.TB, st store.Store, d store.Delivery) {
	t.Helper()
	switch d.Progress.Phase {
	case store.Waiting, store.Sending, store.InDoubt, store.Unconfirmed:
	default:
		t.Errorf("command %d is in phase %q", d.ID, d.Progress.Phase)
	}
	if len(d.Progress.Tries) > store.MaxTries {
		t.Errorf("command %d keeps %d tries", d.ID, len(d.Progress.Tries))
	}
	one, err := st.Delivery(d.ID)
	if err != nil || one.Command.TaskID != d.Command.TaskID || one.Progress.Phase != d.Progress.Phase {
		t.Errorf("command %d by number is %+v, %v; by reading %+v", d.ID, one, err, d)
	}
	found, final, err := st.Find(d.Command.TaskID)
	if err != nil || final != "" || found.Command.TaskID != d.Command.TaskID {
		t.Errorf("command %d is not found by its task id %s: %+v, %q, %v", d.ID, d.Command.TaskID, found, final, err)
	}
}

func checkLetters(t testing.TB, st store.Store, stats store.Stats) {
	t.Helper()
	var last uint64
	n := 0
	for {
		letters, err := st.Letters(last, page)
		if err != nil {
			t.Errorf("letters after %d: %v", last, err)
			return
		}
		for _, l := range letters {
			if l.ID <= last {
				t.Errorf("letter %d stands behind %d", l.ID, last)
			}
			last = l.ID
			if (l.Event == nil) == (l.Command == nil) {
				t.Errorf("letter %d is of event %v and command %v", l.ID, l.Event, l.Command)
			}
			if one, err := st.Letter(l.ID); err != nil || one.Error != l.Error {
				t.Errorf("letter %d by number is %+v, %v", l.ID, one, err)
			}
		}
		n += len(letters)
		if len(letters) == 0 {
			break
		}
	}
	if n != stats.Letters {
		t.Errorf("%d letters, stats say %d", n, stats.Letters)
	}
}
