package boltstore

import (
	"encoding/binary"
	"fmt"
	"os"

	"bot/engine"
)

// table maps the dedup keys of one slice to their ordinals. It holds 38 bits of
// a key (its shard and its fingerprint), so what it finds are candidates, to be
// compared with the key on disk; among n keys one look-up in 2^38/n finds a
// false one.
type table interface {
	// find appends the ordinals under which the key may stand.
	find(k engine.Key, found []uint32) ([]uint32, error)
	close() error
}

const shards = 64

// Shard and fingerprint are different bits of the key; keys are hashes, so any
// will do.
func shardOf(k engine.Key) int          { return int(k[0] % shards) }
func fingerprintOf(k engine.Key) uint32 { return binary.BigEndian.Uint32(k[8:]) }

// A slot is fingerprint | ordinal+1; 0 is an empty one.
func slotOf(fp, ordinal uint32) uint64 { return uint64(fp)<<32 | uint64(ordinal+1) }

// home is where a fingerprint's search begins among n slots. It is taken from
// the fingerprint, so that a shard can grow without reading its keys again.
func home(fp uint32, n int) int { return int(uint64(fp) * uint64(n) >> 32) }

// A shard is filled to 85 % and then grows by half: 9.4 to 14.1 bytes per key.
// Shards grow one by one, so that no act pays for a whole table and none ever
// exists twice.
const (
	loadMax  = 85
	minSlots = 8
)

// memTable is a table in memory. It may be read by many while none adds.
type memTable struct {
	slots [shards][]uint64
	used  [shards]int
}

// newMemTable makes room for n keys.
func newMemTable(n int) *memTable {
	t := &memTable{}
	if n == 0 {
		return t
	}
	for i := range t.slots {
		t.slots[i] = make([]uint64, max(minSlots, n/shards*110/loadMax))
	}
	return t
}

func (t *memTable) add(k engine.Key, ordinal uint32) {
	s := shardOf(k)
	if (t.used[s]+1)*100 > len(t.slots[s])*loadMax {
		grown := make([]uint64, max(minSlots, len(t.slots[s])*3/2))
		for _, slot := range t.slots[s] {
			if slot != 0 {
				place(grown, slot)
			}
		}
		t.slots[s] = grown
	}
	place(t.slots[s], slotOf(fingerprintOf(k), ordinal))
	t.used[s]++
}

func place(slots []uint64, slot uint64) {
	i := home(uint32(slot>>32), len(slots))
	for slots[i] != 0 {
		if i++; i == len(slots) {
			i = 0
		}
	}
	slots[i] = slot
}

func (t *memTable) find(k engine.Key, found []uint32) ([]uint32, error) {
	slots, fp := t.slots[shardOf(k)], fingerprintOf(k)
	if len(slots) == 0 {
		return found, nil
	}
	for i := home(fp, len(slots)); slots[i] != 0; {
		if uint32(slots[i]>>32) == fp {
			found = append(found, uint32(slots[i])-1)
		}
		if i++; i == len(slots) {
			i = 0
		}
	}
	return found, nil
}

func (t *memTable) close() error { return nil }

// fileTable is a table that was moved to a file. The file is only an index:
// nothing depends on its being there tomorrow, so it is never synced.
type fileTable struct {
	f     *os.File
	start [shards]int64 // in slots
	slots [shards]int
}

// spill writes t to a new file named by pattern (see os.CreateTemp).
func spill(t *memTable, dir, pattern string) (*fileTable, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	ft := &fileTable{f: f}
	var at int64
	for i, slots := range t.slots {
		ft.start[i], ft.slots[i] = at, len(slots)
		buf := make([]byte, 0, 8*len(slots))
		for _, s := range slots {
			buf = binary.BigEndian.AppendUint64(buf, s)
		}
		if _, err := f.WriteAt(buf, 8*at); err != nil {
			ft.close()
			return nil, fmt.Errorf("write index: %w", err)
		}
		at += int64(len(slots))
	}
	return ft, nil
}

// searchChunk is how many slots are read at once; few searches need more.
const searchChunk = 32

func (t *fileTable) find(k engine.Key, found []uint32) ([]uint32, error) {
	s, fp := shardOf(k), fingerprintOf(k)
	n := t.slots[s]
	if n == 0 {
		return found, nil
	}
	var buf [8 * searchChunk]byte
	for i, seen := home(fp, n), 0; seen < n; {
		m := min(searchChunk, n-i)
		if _, err := t.f.ReadAt(buf[:8*m], 8*(t.start[s]+int64(i))); err != nil {
			return found, fmt.Errorf("read index: %w", err)
		}
		for j := range m {
			slot := binary.BigEndian.Uint64(buf[8*j:])
			if slot == 0 {
				return found, nil
			}
			if uint32(slot>>32) == fp {
				found = append(found, uint32(slot)-1)
			}
		}
		seen += m
		i = (i + m) % n
	}
	return found, nil
}

func (t *fileTable) close() error {
	err := t.f.Close()
	if e := os.Remove(t.f.Name()); err == nil {
		err = e
	}
	return err
}
