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

const (
	bufferBytes = 64 << 10
	// fileShare is how many files at least the size limit is spread over, so that
	// little is lost when the oldest goes.
	fileShare = 8
	maxFile   = 8 << 20
	// retryAfter is how long nothing is tried after the disk refused something.
	retryAfter = 30 * time.Second
)

// writer owns the files. It belongs to one goroutine.
type writer struct {
	o       Options
	files   []file // the oldest first; the last one is open where open is not nil
	open    *os.File
	buf     []byte // records for the open file, or for the next one
	events  int    // in buf
	hour    time.Time
	scratch engine.Event // the copy that is written
	// resting is until when the disk is left alone; failed tells that the log
	// has said so.
	resting time.Time
	failed  bool
}

func newWriter(o Options) *writer {
	w := &writer{o: o}
	files, err := list(o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.fail(err)
	}
	w.files = files
	w.tidy()
	return w
}

// add takes a record into the buffer, and writes that where it is full.
func (w *writer) add(h handled) {
	now := w.o.Now()
	if now.Before(w.resting) {
		w.o.Dropped(1)
		return
	}
	if hour := now.UTC().Truncate(time.Hour); hour.After(w.hour) || w.openSize()+int64(len(w.buf)) >= w.limit() {
		w.flush()
		w.shut()
		w.hour = hour
	}
	start := len(w.buf)
	w.buf = w.record(w.buf, h)
	w.events++
	if int64(len(w.buf)-start) > w.limit() { // it alone would push out all others
		w.buf, w.events = w.buf[:start], w.events-1
		w.o.Dropped(1)
	}
	if len(w.buf) >= bufferBytes {
		w.flush()
	}
}

// record appends what is kept of an event.
func (w *writer) record(b []byte, h handled) []byte {
	e := &w.scratch
	*e = *h.event
	e.Kind = h.kind
	e.IfKnown, e.IfNoted, e.NotedAs, e.Fact = "", "", "", ""
	e.Raw, e.Ticket.Token, e.Learned, e.Tally = nil, "", nil, ""
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	b = store.AppendEvent(b, e)
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	*e = engine.Event{} // lets go of the texts
	return b
}

// limit is the size at which a file is full.
func (w *writer) limit() int64 {
	_, size := w.o.Limits()
	return min(size/fileShare, maxFile)
}

func (w *writer) openSize() int64 {
	if w.open == nil {
		return 0
	}
	return w.files[len(w.files)-1].size
}

// flush hands what is buffered to the system. A file that took less than it was
// given is left as it is, with its end cut off, and never written to again.
func (w *writer) flush() {
	if len(w.buf) == 0 {
		return
	}
	err := w.put()
	if err != nil {
		w.shut()
		w.o.Dropped(w.events)
		w.fail(err)
	} else if w.failed {
		w.failed = false
		w.o.Log.Info("recent intake is kept again", "folder", w.o.Dir)
	}
	w.buf, w.events = w.buf[:0], 0
	if cap(w.buf) > 4*bufferBytes {
		w.buf = nil // one long text has grown it
	}
}

func (w *writer) put() error {
	if err := w.makeRoom(int64(len(w.buf))); err != nil {
		return err
	}
	if w.open == nil {
		if err := w.create(); err != nil {
			return err
		}
	}
	n, err := w.open.Write(w.buf)
	w.files[len(w.files)-1].size += int64(n)
	return err
}

// create opens the first free file of the hour.
func (w *writer) create() error {
	if err := os.MkdirAll(w.o.Dir, 0o700); err != nil {
		return err
	}
	part := 0
	for _, f := range w.files {
		if f.hour.Equal(w.hour) {
			part = max(part, f.part+1)
		}
	}
	name := nameOf(w.hour, part)
	f, err := os.OpenFile(filepath.Join(w.o.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	w.open = f
	w.files = append(w.files, file{name: name, hour: w.hour, part: part})
	return nil
}

// shut ends the open file.
func (w *writer) shut() {
	if w.open != nil {
		w.open.Close() // nothing is promised of what it held
		w.open = nil
	}
}

func (w *writer) close() {
	w.flush()
	w.shut()
}

// tidy removes what is too old, and everything where nothing is to be kept.
func (w *writer) tidy() {
	keep, _ := w.o.Limits()
	if keep <= 0 {
		w.buf, w.events = w.buf[:0], 0
		w.shut()
	}
	oldest := w.o.Now().Add(-keep)
	for len(w.files) > 0 && (keep <= 0 || !w.files[0].hour.Add(time.Hour).After(oldest)) {
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
func (w *writer) makeRoom(n int64) error {
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

func (w *writer) total() (n int64) {
	for _, f := range w.files {
		n += f.size
	}
	return n
}

func (w *writer) removeFirst() error {
	err := os.Remove(filepath.Join(w.o.Dir, w.files[0].name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.files = w.files[1:]
	return nil
}

// fail leaves the disk alone for a while, and says so once until it works again.
func (w *writer) fail(err error) {
	w.resting = w.o.Now().Add(retryAfter)
	if !w.failed {
		w.failed = true
		w.o.Log.Warn("recent intake is not kept: bot replay will miss some", "folder", w.o.Dir, "error", err)
	}
}
