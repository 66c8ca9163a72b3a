package boltstore

import (
	"bytes"
	"encoding/binary"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// A long value lies in pieces in a bucket of its own, and its row says no more
// than how long it is. bbolt keeps a row and its neighbours on one run of pages,
// up to four of them however long they are, and writes the run anew for each
// change: a full disk has pages here and there, but no run of hundreds, and what
// could not be taken out again would stand there for ever.
const (
	longest = journalRow // of a value that stays in its row
	// longMark begins the row of a long value. No record begins so: tags,
	// lengths and versions are small numbers.
	longMark = 0xff
)

func isLong(row []byte) bool { return len(row) > 0 && row[0] == longMark }

// getRow reads a row of a bucket whose values may be long; nil for none.
func getRow(tx *bolt.Tx, bucket, key []byte) []byte {
	return whole(tx, bucket, key, tx.Bucket(bucket).Get(key))
}

// whole is the value of a row. Where pieces are missing it is the row itself,
// which nothing can be read from.
func whole(tx *bolt.Tx, bucket, key, row []byte) []byte {
	if !isLong(row) {
		return row
	}
	size, _ := binary.Uvarint(row[1:])
	v := make([]byte, 0, min(size, 1<<30)) // whatever a bad disk makes of it
	for _, piece := range pieces(tx, bucket, key) {
		v = append(v, piece...)
	}
	if uint64(len(v)) != size {
		return row
	}
	return v
}

// pieces walks those of a row. No key of a bucket begins with another.
func pieces(tx *bolt.Tx, bucket, key []byte) func(yield func(k, piece []byte) bool) {
	return func(yield func(k, piece []byte) bool) {
		prefix := slices.Concat(bucket, key)
		c := tx.Bucket(bLong).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

// putRow sets a row whose value may be long.
func (t *txn) putRow(bucket, key, v []byte) {
	b := t.bucket(bucket)
	t.dropPieces(b, bucket, key)
	if len(v) <= longest {
		t.put(b, key, v)
		return
	}
	long := t.bucket(bLong)
	long.FillPercent = 0.9
	n := uint32(0)
	for piece := range slices.Chunk(v, longest) {
		t.put(long, binary.BigEndian.AppendUint32(slices.Concat(bucket, key), n), piece)
		n++
	}
	t.anyLong = true
	t.put(b, key, binary.AppendUvarint([]byte{longMark}, uint64(len(v))))
}

// delRow removes a row whose value may be long.
func (t *txn) delRow(bucket, key []byte) {
	b := t.bucket(bucket)
	t.dropPieces(b, bucket, key)
	t.del(b, key)
}

func (t *txn) dropPieces(b *bolt.Bucket, bucket, key []byte) {
	if !t.anyLong || !isLong(b.Get(key)) {
		return
	}
	var keys [][]byte // a cursor must not meet changes
	for k := range pieces(t.Tx, bucket, key) {
		keys = append(keys, slices.Clone(k))
	}
	for _, k := range keys {
		t.del(t.bucket(bLong), k)
	}
}
