package boltstore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// What a disk does with a write: it does all of it, or any part of it in units
// of a sector. A meta page is cut at any byte, which is harder than that.
const sector = 512

var pageSize = os.Getpagesize()

// commitDiff is what one commit wrote: the file before and after it.
type commitDiff struct {
	old, new []byte // of one length
	data     []int  // pages that differ, but for the meta pages
	meta     int    // the meta page that was written
}

// diffOf compares two copies of a file. Pages 0 and 1 are meta pages, which are
// written in turn, each by its own commit; ok is false if there was not exactly
// one commit in between.
func diffOf(before, after []byte) (d commitDiff, ok bool) {
	if len(before) < 2*pageSize || len(after) < len(before) {
		return d, false
	}
	// The file grows before anything is written to it.
	d.old = append(bytes.Clone(before), make([]byte, len(after)-len(before))...)
	d.new = after
	d.meta = -1
	for p := range len(after) / pageSize {
		switch {
		case bytes.Equal(pageOf(d.old, p), pageOf(d.new, p)):
		case p > 1:
			d.data = append(d.data, p)
		case d.meta >= 0:
			return d, false
		default:
			d.meta = p
		}
	}
	if d.meta < 0 {
		return d, false
	}
	was, is := newestTx(d.old), newestTx(d.new)
	return d, is == was+1
}

func pageOf(file []byte, p int) []byte { return file[p*pageSize : (p+1)*pageSize] }

// newestTx is the number of the last commit in a file that is whole.
func newestTx(file []byte) uint64 {
	const at = pageHeader + 48
	return max(order.Uint64(file[at:]), order.Uint64(file[pageSize+at:]))
}

// fault is what the disk did with the writes of a commit when it lost power.
type fault struct {
	name  string
	make  func(d commitDiff, rng *rand.Rand) (image []byte, how string)
	right []class
	limit time.Duration // of opening the image
	// bounded are wrong, but some of them may come, see liesPassed.
	bounded []class
}

var faults = []fault{
	{name: "before the first sync", make: anyData, right: []class{stateBefore}, limit: time.Minute},
	{name: "within the meta page", make: cutMeta, right: []class{stateBefore, stateAfter}, limit: time.Minute},
	{name: "the disk lied", make: missingData, right: []class{stateAfter, refusal, report}, limit: 2 * time.Second,
		bounded: []class{silent, stateBefore, emptyStart, death}},
}

// class is a kind of verdict.
type class string

const (
	stateBefore class = "the state before the commit"
	stateAfter  class = "the state after the commit"
	refusal     class = "refused, and the way out named"
	report      class = "opened, and the damage reported"
	silent      class = "opened, and silently wrong"
	emptyStart  class = "opened, and silently empty"
	noWayOut    class = "refused, and no way out named"
	changed     class = "refused, and changed"
	death       class = "the process died of it"
	hang        class = "the process hung"
)

func classify(v verdict, before, after string) class {
	switch {
	case v.Hung:
		return hang
	case v.Died != "":
		return death
	case v.Touched:
		return changed
	case v.Refused != "" && !strings.Contains(v.Refused, "restore a backup"):
		return noWayOut
	case v.Refused != "":
		return refusal
	case v.Failed != "" || v.Reported != "":
		return report
	case v.Dump == after:
		return stateAfter
	case v.Dump == before:
		return stateBefore
	case !strings.Contains(v.Dump, "log ") && !strings.Contains(v.Dump, "outbox ") && strings.Contains(after, "log "):
		return emptyStart
	}
	return silent
}

// anyData: some data pages are there, some are torn, the meta page is not.
func anyData(d commitDiff, rng *rand.Rand) ([]byte, string) {
	image := bytes.Clone(d.old)
	how := ""
	for _, p := range d.data {
		how += fmt.Sprintf(" %d:%s", p, writePart(image, d.new, p, rng.IntN(3), rng))
	}
	return image, "data pages" + how
}

// writePart writes a page, or a part of its sectors, or nothing.
func writePart(image, from []byte, p, part int, rng *rand.Rand) string {
	switch part {
	case 0:
		return "missing"
	case 1:
		copy(pageOf(image, p), pageOf(from, p))
		return "whole"
	}
	how := "sectors "
	for s := 0; s < pageSize; s += sector {
		there := rng.IntN(2)
		if there == 1 {
			copy(pageOf(image, p)[s:s+sector], pageOf(from, p)[s:])
		}
		how += fmt.Sprint(there)
	}
	return how
}

// cutMeta: the data is there, the meta page up to a byte.
func cutMeta(d commitDiff, rng *rand.Rand) ([]byte, string) {
	image := bytes.Clone(d.new)
	cut := rng.IntN(pageHeader + metaSize + 8) // what follows means nothing
	if rng.IntN(8) == 0 {
		cut = rng.IntN(pageSize + 1)
	}
	copy(pageOf(image, d.meta)[cut:], pageOf(d.old, d.meta)[cut:])
	return image, fmt.Sprintf("meta page %d cut at byte %d", d.meta, cut)
}

// missingData: the meta page is there, and of the data pages at least one is
// not or is torn. A disk that keeps the order of syncs does not do this.
func missingData(d commitDiff, rng *rand.Rand) ([]byte, string) {
	image := bytes.Clone(d.old)
	copy(pageOf(image, d.meta), pageOf(d.new, d.meta))
	how := ""
	bad := rng.IntN(max(1, len(d.data)))
	for i, p := range d.data {
		part := 1
		if i == bad || rng.IntN(3) == 0 {
			part = 2 * rng.IntN(2)
		}
		how += fmt.Sprintf(" %d:%s", p, writePart(image, d.new, p, part, rng))
	}
	return image, "meta page without all data pages:" + how
}
