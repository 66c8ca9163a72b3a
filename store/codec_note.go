package store

import "bot/engine"

// EncodeNote returns the fields of a note, without the frame of a record.
func EncodeNote(n engine.Note) []byte {
	b := appendString(nil, noteKey, n.Key)
	b = appendString(b, noteValue, n.Value)
	return appendTime(b, noteExpires, n.Expires)
}

// DecodeNote reads what EncodeNote made; it shares nothing with b. Whatever b
// holds, it answers with ErrRecord at worst.
func DecodeNote(b []byte) (engine.Note, error) {
	var n engine.Note
	f := fields{rest: b}
	for f.next() {
		switch f.tag {
		case noteKey:
			n.Key = f.string()
		case noteValue:
			n.Value = f.string()
		case noteExpires:
			n.Expires = f.time()
		}
	}
	return n, f.err
}
