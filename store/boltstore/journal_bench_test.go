package boltstore

import (
	"fmt"
	"testing"
)

// A quarter of a second of a busy bot is sorted: of every event its removal, and the end or
// the state of its reply, its state of a conversation that others have written too.
func BenchmarkOrderOfFolding(b *testing.B) {
	g := &generation{}
	for i := range 1500 {
		event, command := be(uint64(1<<40+i)), be(uint64(1<<41+i))
		g.set(treeKey{tWal, string(event)}, change{})
		if i%8 == 0 { // the others are answered and forgotten before that
			g.set(treeKey{tOutbox, string(command)}, change{value: make([]byte, 180)})
			g.set(treeKey{tDelivery, string(command)}, change{value: make([]byte, 30)})
		}
		g.set(treeKey{tState, fmt.Sprintf("shop\x00wecom\x00user-%06d", i*7919%1000)}, change{value: make([]byte, 120)})
	}
	b.ReportMetric(float64(len(g.rows[tWal])+len(g.rows[tOutbox])+len(g.rows[tDelivery])+len(g.rows[tState])), "keys")
	for b.Loop() {
		g.sort()
	}
}
