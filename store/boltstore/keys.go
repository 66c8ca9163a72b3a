package boltstore

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"bot/engine"
)

// The buckets; their contents are described on Store.
var (
	bMeta       = []byte("meta")
	bWal        = []byte("wal")
	bTries      = []byte("tries")
	bDedup      = []byte("dedup")
	bState      = []byte("state")
	bExpiry     = []byte("expiry")
	bOnce       = []byte("once")
	bOutbox     = []byte("outbox")
	bDelivery   = []byte("delivery")
	bDead       = []byte("dead")
	bSettled    = []byte("settled")
	bContacts   = []byte("contacts")
	bNotes      = []byte("notes")
	bNoteExpiry = []byte("note_expiry")
	bJournal    = []byte("journal")
	bBallast    = []byte("ballast")
	bLong       = []byte("long")

	// buckets are in every file; what was added since its schema was settled is
	// made at open where an older program's file lacks it.
	buckets = [][]byte{bMeta, bWal, bTries, bDedup, bState, bExpiry, bOnce, bOutbox, bDelivery, bDead, bSettled, bJournal, bBallast}
	added   = [][]byte{bContacts, bNotes, bNoteExpiry, bLong}
)

func be(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func unbe(b []byte) uint64 {
	if len(b) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// beTime orders times before 1970, which no clock of ours gives, first; 0 is left
// to mean that there is none.
func beTime(t time.Time) []byte { return be(uint64(max(1, t.UnixNano()))) }

func unbeTime(b []byte) time.Time { return time.Unix(0, int64(unbe(b))).UTC() }

// maxStateKey leaves room for what stands beside it in the key of an expiry row,
// a time, and of a piece, a name and a number.
const maxStateKey = 32768 - 16

func stateKey(k engine.StateKey) ([]byte, error) {
	var b []byte
	for _, part := range [...]string{k.Account, k.Conversation, k.Sender} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	if len(b) > maxStateKey {
		return nil, fmt.Errorf("state key has %d bytes, more than %d", len(b), maxStateKey)
	}
	return b, nil
}

func parseStateKey(b []byte) (engine.StateKey, error) {
	var parts [3]string
	for i := range parts {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			return engine.StateKey{}, fmt.Errorf("state key %x is broken", b)
		}
		parts[i] = string(b[w : w+int(n)])
		b = b[w+int(n):]
	}
	return engine.StateKey{Account: parts[0], Conversation: parts[1], Sender: parts[2]}, nil
}

// hashKey makes 16 bytes of parts, no two different lists the same.
func hashKey(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return h.Sum(nil)[:16]
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
