package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"
)

// Records are what backends that keep bytes store for an event or a command:
//
//	format (1 byte) | CRC-32C of all that follows (4) | [receipt time (8)] | fields
//
// A field is a tag, a length and as many bytes. Readers skip tags they do not
// know, so that an older program reads what a newer one wrote; empty values
// are left out. The receipt time stands at a fixed place in an event's record
// because it is only known when the record is complete and in line.
const (
	recordFormat = 1
	sumAt        = 1
	bodyAt       = sumAt + 4
)

// ErrRecord is a record that cannot be read: cut off, altered, or of a format
// that a newer program wrote.
var ErrRecord = errors.New("unreadable record")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal writes the checksum into a finished record.
func seal(rec []byte) {
	binary.BigEndian.PutUint32(rec[sumAt:], crc32.Checksum(rec[bodyAt:], castagnoli))
}

// unseal checks a record's frame and returns what follows it.
func unseal(rec []byte) ([]byte, error) {
	if len(rec) < bodyAt {
		return nil, fmt.Errorf("%w: %d bytes", ErrRecord, len(rec))
	}
	if rec[0] != recordFormat {
		return nil, fmt.Errorf("%w: format %d", ErrRecord, rec[0])
	}
	if binary.BigEndian.Uint32(rec[sumAt:]) != crc32.Checksum(rec[bodyAt:], castagnoli) {
		return nil, fmt.Errorf("%w: checksum does not match", ErrRecord)
	}
	return rec[bodyAt:], nil
}

func appendString(b []byte, tag uint64, s string) []byte {
	if s == "" {
		return b
	}
	b = binary.AppendUvarint(b, tag)
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendBytes(b []byte, tag uint64, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	b = binary.AppendUvarint(b, tag)
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

func appendBool(b []byte, tag uint64, v bool) []byte {
	if !v {
		return b
	}
	return append(binary.AppendUvarint(b, tag), 1, 1)
}

func appendInt(b []byte, tag uint64, v int64) []byte {
	if v == 0 {
		return b
	}
	b = append(binary.AppendUvarint(b, tag), 8)
	return binary.BigEndian.AppendUint64(b, uint64(v))
}

func appendTime(b []byte, tag uint64, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	b = append(binary.AppendUvarint(b, tag), 8)
	return binary.BigEndian.AppendUint64(b, uint64(nanos(t)))
}

// noTime stands for the zero time where a time has a fixed place.
const noTime = math.MinInt64

// The first and the last time that nanoseconds in 64 bits can name; a
// platform's absurd date is moved there instead of turning into another one.
var (
	firstTime = time.Unix(0, noTime+1)
	lastTime  = time.Unix(0, math.MaxInt64)
)

func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return noTime
	case t.Before(firstTime):
		return noTime + 1
	case t.After(lastTime):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func timeOf(n int64) time.Time {
	if n == noTime {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// fields walks the fields of a record. After next returned false, err tells
// whether the end was reached or the record is broken.
type fields struct {
	rest []byte
	tag  uint64
	val  []byte
	err  error
}

func (f *fields) next() bool {
	if f.err != nil || len(f.rest) == 0 {
		return false
	}
	tag, n := binary.Uvarint(f.rest)
	if n <= 0 {
		return f.fail("bad tag")
	}
	size, m := binary.Uvarint(f.rest[n:])
	if m <= 0 {
		return f.fail("bad length")
	}
	rest := f.rest[n+m:]
	if size > uint64(len(rest)) {
		return f.fail("cut off")
	}
	f.tag, f.val, f.rest = tag, rest[:size], rest[size:]
	return true
}

func (f *fields) fail(why string) bool {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s after tag %d", ErrRecord, why, f.tag)
	}
	return false
}

func (f *fields) string() string { return string(f.val) }
func (f *fields) bool() bool     { return len(f.val) == 1 && f.val[0] == 1 }

func (f *fields) bytes() []byte {
	if len(f.val) == 0 {
		return nil
	}
	return append([]byte(nil), f.val...)
}

func (f *fields) int() int64 {
	if len(f.val) != 8 {
		f.fail("number is not 8 bytes")
		return 0
	}
	return int64(binary.BigEndian.Uint64(f.val))
}

func (f *fields) time() time.Time {
	if len(f.val) != 8 {
		f.fail("time is not 8 bytes")
		return time.Time{}
	}
	return timeOf(int64(binary.BigEndian.Uint64(f.val)))
}
