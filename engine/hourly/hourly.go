// Package hourly writes records of what lately happened into a folder, in
// append-only files of one hour (UTC) such as 2026-12-01T13; a new start or an
// hour with much traffic goes on in 2026-12-01T13.001 and so forth. No file is
// ever opened for writing twice, so that an end that was cut off is always the
// end of a file. A record is its length (4 bytes, big-endian) and as many bytes.
//
// It is for what is good to have and promises nothing: files are not synced, the
// oldest go when there are too many bytes or too many hours, and where the disk
// refuses something it is left alone for a while. What must not be lost belongs
// into the store.
package hourly

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

const (
	bufferBytes = 64 << 10
	// fileShare is how many files at least the size limit is spread over, so that
	// little is lost when the oldest goes.
	fileShare = 8
	maxFile   = 8 << 20
)

// RetryAfter is how long nothing is tried after the disk refused something.
const RetryAfter = 30 * time.Second

// Options is what a Writer needs. All fields are required.
type Options struct {
	Dir string
	// Limits are how long at least and how many bytes at most are kept. A keep of
	// 0 keeps nothing. They may change; they are asked for again and again.
	Limits func() (keep time.Duration, size int64)
	Now    func() time.Time
	Lost   func(records int) // is told of records that were not written
	Log    *slog.Logger
	What   string // is kept, for the log: "recent intake"
}

// Writer owns the files of a folder. It belongs to one goroutine.
type Writer struct {
	o       Options
	files   []File // the oldest first; the last one is open where open is not nil
	open    *os.File
	buf     []byte // records for the open file, or for the next one
	records int    // in buf
	hour    time.Time
	// resting is until when the disk is left alone; failed tells that the log
	// has said so.
	resting time.Time
	failed  bool
}

// NewWriter begins to write into a folder; nothing is opened before the first
// record is there.
func NewWriter(o Options) *Writer {
	w := &Writer{o: o}
	files, err := List(o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.fail(err)
	}
	w.files = files
	w.Tidy()
	return w
}

// Add takes a record, which it copies, into the buffer, and writes that where it
// is full.
func (w *Writer) Add(rec []byte) {
	now := w.o.Now()
	n := int64(len(rec) + 4)
	if now.Before(w.resting) || n > w.limit() { // it alone would push out all others
		w.o.Lost(1)
		return
	}
	if hour := now.UTC().Truncate(time.Hour); hour.After(w.hour) || w.openSize()+int64(len(w.buf)) >= w.limit() {
		w.Flush()
		w.shut()
		w.hour = hour
	}
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(len(rec)))
	w.buf = append(w.buf, rec...)
	w.records++
	if len(w.buf) >= bufferBytes {
		w.Flush()
	}
}

// Buffered tells whether there are records that Flush would write.
func (w *Writer) Buffered() bool { return len(w.buf) > 0 }

// limit is the size at which a file is full.
func (w *Writer) limit() int64 {
	_, size := w.o.Limits()
	return min(size/fileShare, maxFile)
}

func (w *Writer) openSize() int64 {
	if w.open == nil {
		return 0
	}
	return w.files[len(w.files)-1].Size
}

// Flush hands what is buffered to the system. A file that took less than it was
// given is left as it is, with its end cut off, and never written to again.
func (w *Writer) Flush() {
	if len(w.buf) == 0 {
		return
	}
	err := w.put()
	if err != nil {
		w.shut()
		w.o.Lost(w.records)
		w.fail(err)
	} else if w.failed {
		w.failed = false
		w.o.Log.Info(w.o.What+" is kept again", "folder", w.o.Dir)
	}
	w.buf, w.records = w.buf[:0], 0
	if cap(w.buf) > 4*bufferBytes {
		w.buf = nil // one long record has grown it
	}
}

func (w *Writer) put() error {
	if err := w.makeRoom(int64(len(w.buf))); err != nil {
		return err
	}
	if w.open == nil {
		if err := w.create(); err != nil {
			return err
		}
	}
	n, err := w.open.Write(w.buf)
	w.files[len(w.files)-1].Size += int64(n)
	return err
}

// create opens the first free file of the hour.
func (w *Writer) create() error {
	if err := os.MkdirAll(w.o.Dir, 0o700); err != nil {
		return err
	}
	part := 0
	for _, f := range w.files {
		if f.Hour.Equal(w.hour) {
			part = max(part, f.part+1)
		}
	}
	path := filepath.Join(w.o.Dir, nameOf(w.hour, part))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	w.open = f
	w.files = append(w.files, File{Path: path, Hour: w.hour, part: part})
	return nil
}

// shut ends the open file.
func (w *Writer) shut() {
	if w.open != nil {
		w.open.Close() // nothing is promised of what it held
		w.open = nil
	}
}

// Close writes what is buffered and lets go of the file.
func (w *Writer) Close() {
	w.Flush()
	w.shut()
}

// Tidy removes what is too old, and everything where nothing is to be kept.
func (w *Writer) Tidy() {
	keep, _ := w.o.Limits()
	if keep <= 0 {
		w.buf, w.records = w.buf[:0], 0
		w.shut()
	}
	oldest := w.o.Now().Add(-keep)
	for len(w.files) > 0 && (keep <= 0 || !w.files[0].Hour.Add(time.Hour).After(oldest)) {
		if len(w.files) == 1 {
			w.shut()
		}
		if err := w.removeFirst(); err != nil {
			w.fail(err)
			return
		}
	}
}

// makeRoom removes the oldest files until n more bytes fit.
func (w *Writer) makeRoom(n int64) error {
	_, most := w.o.Limits()
	for w.total()+n > most {
		if len(w.files) == 0 || len(w.files) == 1 && w.open != nil {
			return fmt.Errorf("%d bytes do not fit into max_size", n)
		}
		if err := w.removeFirst(); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) total() (n int64) {
	for _, f := range w.files {
		n += f.Size
	}
	return n
}

func (w *Writer) removeFirst() error {
	err := os.Remove(w.files[0].Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.files = w.files[1:]
	return nil
}

// fail leaves the disk alone for a while, and says so once until it works again.
func (w *Writer) fail(err error) {
	w.resting = w.o.Now().Add(RetryAfter)
	if !w.failed {
		w.failed = true
		w.o.Log.Warn(w.o.What+" is not kept for the time being", "folder", w.o.Dir, "error", err)
	}
}

// Records are the records in the content of a file, as far as they are whole: the
// last one is cut off where the process died, or a power loss left a hole. They
// share data.
func Records(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(data) >= 4 {
			n := uint64(binary.BigEndian.Uint32(data))
			if n == 0 || n > uint64(len(data)-4) {
				return
			}
			if !yield(data[4 : 4+n]) {
				return
			}
			data = data[4+n:]
		}
	}
}
