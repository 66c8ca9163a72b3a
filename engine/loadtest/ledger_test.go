package loadtest

import "testing"

const people = 10

func reply(i, key uint64) delivery { return delivery{index: i, conversation: i % people, key: key} }

func TestLedgerAccounts(t *testing.T) {
	send := func(l *ledger, events ...uint64) {
		for _, i := range events {
			l.sent(i, 1)
			l.acked(i)
		}
	}
	tests := []struct {
		name  string
		story func(l *ledger)
		want  Totals
	}{
		{"an event answered and replied to", func(l *ledger) {
			send(l, 3)
			l.delivered(reply(3, 1), people, 2)
		}, Totals{Acked: 1, Delivered: 1}},
		{"a reply that overtakes the answer", func(l *ledger) {
			l.sent(3, 1)
			l.delivered(reply(3, 1), people, 2)
			l.acked(3)
		}, Totals{Acked: 1, Delivered: 1}},
		{"an answered event without reply is missing", func(l *ledger) {
			send(l, 3, 4)
			l.delivered(reply(4, 1), people, 2)
		}, Totals{Acked: 2, Delivered: 1, Waiting: 1}},
		{"an event that was never answered may be lost", func(l *ledger) {
			l.sent(3, 1)
		}, Totals{}},
		{"a repeat of an answered event is no second one", func(l *ledger) {
			send(l, 3, 3)
			l.delivered(reply(3, 1), people, 2)
		}, Totals{Acked: 1, Delivered: 1}},
		{"the same key again is a repeat", func(l *ledger) {
			send(l, 3)
			l.delivered(reply(3, 1), people, 2)
			l.delivered(reply(3, 1), people, 3)
		}, Totals{Acked: 1, Delivered: 1, Repeated: 1}},
		{"another key is a double", func(l *ledger) {
			send(l, 3)
			l.delivered(reply(3, 1), people, 2)
			l.delivered(reply(3, 2), people, 3)
		}, Totals{Acked: 1, Delivered: 1, Doubled: 1}},
		{"a later event of the conversation first", func(l *ledger) {
			send(l, 3, 13)
			l.delivered(reply(13, 1), people, 2)
			l.delivered(reply(3, 2), people, 3)
		}, Totals{Acked: 2, Delivered: 2, Disordered: 1}},
		{"an event that was told again has no place in the order", func(l *ledger) {
			send(l, 3, 13, 23)
			l.again(3)
			l.delivered(reply(13, 1), people, 2)
			l.delivered(reply(3, 2), people, 3)
			l.delivered(reply(23, 3), people, 3)
		}, Totals{Acked: 3, Delivered: 3}},
		{"a later event of another conversation first", func(l *ledger) {
			send(l, 3, 14)
			l.delivered(reply(14, 1), people, 2)
			l.delivered(reply(3, 2), people, 3)
		}, Totals{Acked: 2, Delivered: 2}},
		{"a reply to nothing", func(l *ledger) {
			send(l, 3)
			l.delivered(reply(3, 1), people, 2)
			l.delivered(reply(4, 1), people, 2)
			l.delivered(reply(chunkSize*5, 1), people, 2)
		}, Totals{Acked: 1, Delivered: 1, Stray: 2}},
		{"a reply to the wrong person", func(l *ledger) {
			send(l, 3)
			l.delivered(delivery{index: 3, conversation: 4, key: 1}, people, 2)
		}, Totals{Acked: 1, Waiting: 1, Stray: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLedger()
			tt.story(l)
			if got := l.sum(); got != tt.want {
				t.Errorf("sums up to %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestWayIsMeasuredFromTheFirstSending(t *testing.T) {
	l := newLedger()
	l.sent(1, 1_000_001)
	l.sent(1, 5_000_001) // again
	l.delivered(reply(1, 1), people, 9_000_001)
	if got := l.latency(); got.Max != 8 {
		t.Errorf("the way took %v ms, want 8", got.Max)
	}
	if l.restart(); l.latency() != (Latency{}) {
		t.Error("the warm-up is still counted")
	}
}
