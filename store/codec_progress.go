package store

import (
	"encoding/binary"
	"fmt"
)

// Tags of a progress' fields, and of each of its tries'. They are on disk:
// never give one a new meaning.
const (
	prgPhase = iota + 1
	prgAttempts
	prgNotBefore
	prgReason
	prgTry // once for each
	prgAwaits
	prgAwaitsUntil
)

const (
	tryTime = iota + 1
	tryClass
	tryStatus
	tryNote
)

// EncodeProgress returns the record of what has happened to a command.
func EncodeProgress(p *Progress) []byte {
	b := make([]byte, bodyAt, 64)
	b[0] = recordFormat
	b = appendString(b, prgPhase, string(p.Phase))
	b = appendInt(b, prgAttempts, int64(p.Attempts))
	b = appendTime(b, prgNotBefore, p.NotBefore)
	b = appendString(b, prgReason, p.Reason)
	b = appendString(b, prgAwaits, p.Awaits)
	b = appendTime(b, prgAwaitsUntil, p.AwaitsUntil)
	var room [64]byte
	for i := range p.Tries {
		try := appendTry(room[:0], &p.Tries[i])
		b = binary.AppendUvarint(b, prgTry) // even an empty one counts
		b = binary.AppendUvarint(b, uint64(len(try)))
		b = append(b, try...)
	}
	seal(b)
	return b
}

func appendTry(b []byte, t *Try) []byte {
	b = appendTime(b, tryTime, t.Time)
	b = appendString(b, tryClass, t.Class)
	b = appendInt(b, tryStatus, int64(t.Status))
	return appendString(b, tryNote, t.Note)
}

// DecodeProgress reads a record that EncodeProgress made. Times come back in
// UTC. Whatever rec holds, it answers with ErrRecord at worst.
func DecodeProgress(rec []byte) (Progress, error) {
	var p Progress
	body, err := unseal(rec)
	if err != nil {
		return p, err
	}
	f := fields{rest: body}
	for f.next() {
		switch f.tag {
		case prgPhase:
			p.Phase = Phase(f.string())
		case prgAttempts:
			p.Attempts = int(f.int())
		case prgNotBefore:
			p.NotBefore = f.time()
		case prgReason:
			p.Reason = f.string()
		case prgAwaits:
			p.Awaits = f.string()
		case prgAwaitsUntil:
			p.AwaitsUntil = f.time()
		case prgTry:
			t, err := decodeTry(f.val)
			if err != nil {
				return Progress{}, err
			}
			p.Tries = append(p.Tries, t)
		}
	}
	if f.err != nil {
		return Progress{}, f.err
	}
	return p, nil
}

func decodeTry(v []byte) (Try, error) {
	var t Try
	f := fields{rest: v}
	for f.next() {
		switch f.tag {
		case tryTime:
			t.Time = f.time()
		case tryClass:
			t.Class = f.string()
		case tryStatus:
			t.Status = int(f.int())
		case tryNote:
			t.Note = f.string()
		}
	}
	if f.err != nil {
		return t, fmt.Errorf("try: %w", f.err)
	}
	return t, nil
}
