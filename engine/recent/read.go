package recent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bot/engine"
	"bot/store"
)

// Found tells what a reading came upon.
type Found struct {
	Files   int
	Events  int // handed on
	Damaged int // records that cannot be read and are missing
}

// Read hands on the events of an archive that were received at since or later,
// in the order in which they were handled. It may be used while an Archive writes
// to the folder: what was not written yet is not seen, and a file whose end is
// cut off, as that of a process that died, ends with its last whole record.
// The error is that of reading: fs.ErrNotExist where there is no archive.
func Read(dir string, since time.Time, each func(*engine.Event)) (Found, error) {
	var found Found
	files, err := list(dir)
	if err != nil {
		return found, fmt.Errorf("read recent intake: %w", err)
	}
	for _, f := range files {
		// Nothing is handled before it is received.
		if !f.hour.Add(time.Hour).After(since) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was the oldest
		}
		if err != nil {
			return found, fmt.Errorf("read recent intake: %w", err)
		}
		found.Files++
		found.scan(data, since, each)
	}
	return found, nil
}

// scan reads the records of one file.
func (f *Found) scan(data []byte, since time.Time, each func(*engine.Event)) {
	for len(data) >= 4 {
		n := uint64(binary.BigEndian.Uint32(data))
		if n == 0 || n > uint64(len(data)-4) {
			return // cut off, or a hole that a power loss left
		}
		rec := data[4 : 4+n]
		data = data[4+n:]
		e, err := store.DecodeEvent(rec)
		switch {
		case err != nil:
			f.Damaged++
		case !e.Received.Before(since):
			f.Events++
			each(e)
		}
	}
}
