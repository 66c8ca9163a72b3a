package boltstore

import (
	"fmt"
	"testing"
)

// A quarter of a second of a busy bot, when every eighth reply is still on its way: those
// sent before that were forgotten, their events are to be removed.
func BenchmarkOrderOfFolding(b *testing.B) {
	var l layer
	for i := range 1500 {
		event, command := be(uint64(1<<40+i)), be(uint64(1<<41+i))
		l.set(treeKey{tWal, string(event)}, change{})
		if i%8 == 0 {
			l.set(treeKey{tOutbox, string(command)}, change{value: make([]byte, 180)})
			l.set(treeKey{tDelivery, string(command)}, change{value: make([]byte, 30)})
		}
		l.set(treeKey{tState, fmt.Sprintf("shop\x00wecom\x00user-%06d", i*7919%1000)}, change{value: make([]byte, 120)})
	}
	keys := 0
	for b.Loop() {
		keys = len(sorted(&l))
	}
	b.ReportMetric(float64(keys), "keys")
}
