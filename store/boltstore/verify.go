package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// errBadFile is a file that bbolt must not be given.
var errBadFile = errors.New("the file is broken")

// The parts of bbolt's file format that a walk through it needs. A page begins
// with id (8), flags (2), count (2) and overflow (4), all in the machine's own
// byte order; then come elements of 16 bytes, whose keys and values follow.
const (
	pageHeader  = 16
	elementSize = 16
	metaSize    = 64
	boltMagic   = 0xED0CDAED

	flagBranch = 0x01
	flagLeaf   = 0x02
	flagBucket = 0x01 // of a leaf element: its value is a bucket
)

var order = binary.NativeEndian

// verify walks all pages that can be reached and checks what bbolt takes for
// granted: numbers within the file, each page in one place, keys in order. It
// reads with ReadAt, since a read beyond the end of a mapped file ends the
// process. The file must be locked.
func verify(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is not a regular file", errBadFile)
	}
	if info.Size() == 0 {
		return fmt.Errorf("%w: it is empty", errBadFile)
	}
	m, err := readMeta(f, info.Size())
	if err != nil {
		return err
	}
	if need := m.pages * m.pageSize; m.pages > 1<<40 || need > uint64(info.Size()) {
		return fmt.Errorf("%w: it is cut off, %d of %d bytes are there", errBadFile, info.Size(), need)
	}
	w := &walk{f: f, pageSize: m.pageSize, pages: m.pages, seen: make([]bool, m.pages)}
	return w.page(m.root, nil, nil)
}

// meta is what a meta page says.
type meta struct {
	pageSize, root, pages, tx uint64
}

// readMeta returns the newest valid meta. The first page holds one; the second
// page holds the other, wherever that begins.
func readMeta(f io.ReaderAt, size int64) (meta, error) {
	var best meta
	found := false
	try := func(at int64) {
		if m, ok := metaAt(f, at); ok && (!found || m.tx > best.tx) && (at == 0 || m.pageSize == uint64(at)) {
			best, found = m, true
		}
	}
	try(0)
	for at := int64(1024); at <= 1024<<14 && at < size; at *= 2 {
		try(at)
	}
	if !found {
		return meta{}, fmt.Errorf("%w: it is not a bbolt file", errBadFile)
	}
	return best, nil
}

func metaAt(f io.ReaderAt, at int64) (meta, bool) {
	var b [metaSize]byte
	if _, err := f.ReadAt(b[:], at+pageHeader); err != nil {
		return meta{}, false
	}
	h := fnv.New64a()
	h.Write(b[:56])
	if order.Uint32(b[:]) != boltMagic || order.Uint32(b[4:]) != 2 || order.Uint64(b[56:]) != h.Sum64() {
		return meta{}, false
	}
	m := meta{
		pageSize: uint64(order.Uint32(b[8:])),
		root:     order.Uint64(b[16:]),
		pages:    order.Uint64(b[40:]),
		tx:       order.Uint64(b[48:]),
	}
	return m, m.pageSize >= 1024 && m.pageSize <= 1<<24
}

type walk struct {
	f        io.ReaderAt
	pageSize uint64
	pages    uint64
	seen     []bool
}

func (w *walk) bad(id uint64, why string) error {
	return fmt.Errorf("%w: page %d: %s", errBadFile, id, why)
}

// page checks a page and all below it. Its keys must not be below low nor
// reach high; nil is no bound.
func (w *walk) page(id uint64, low, high []byte) error {
	b, err := w.read(id)
	if err != nil {
		return err
	}
	switch order.Uint16(b[8:]) {
	case flagBranch:
		return w.branch(id, b, low, high)
	case flagLeaf:
		return w.leaf(id, b, low, high)
	}
	return w.bad(id, "it is of no known kind")
}

// read returns a page with its overflow and notes that it was met.
func (w *walk) read(id uint64) ([]byte, error) {
	if id < 2 || id >= w.pages {
		return nil, w.bad(id, "it lies outside of the file")
	}
	b := make([]byte, w.pageSize)
	if _, err := w.f.ReadAt(b, int64(id*w.pageSize)); err != nil {
		return nil, fmt.Errorf("read page %d: %w", id, err)
	}
	if order.Uint64(b) != id {
		return nil, w.bad(id, "it bears another number")
	}
	more := uint64(order.Uint32(b[12:]))
	if more >= w.pages-id {
		return nil, w.bad(id, "it reaches beyond the file")
	}
	for i := id; i <= id+more; i++ {
		if w.seen[i] {
			return nil, w.bad(i, "it is used twice")
		}
		w.seen[i] = true
	}
	if more > 0 {
		b = make([]byte, (more+1)*w.pageSize)
		if _, err := w.f.ReadAt(b, int64(id*w.pageSize)); err != nil {
			return nil, fmt.Errorf("read page %d: %w", id, err)
		}
	}
	return b, nil
}

// part returns n bytes of an element that begin at pos from the element's own
// place, or false when they are not within the page.
func part(page []byte, element int, pos, n uint64) ([]byte, bool) {
	at := uint64(element) + pos
	if at > uint64(len(page)) || n > uint64(len(page))-at {
		return nil, false
	}
	return page[at : at+n], true
}

func (w *walk) elements(id uint64, b []byte) (int, error) {
	n := int(order.Uint16(b[10:]))
	if pageHeader+n*elementSize > len(b) {
		return 0, w.bad(id, "its elements do not fit")
	}
	return n, nil
}

func (w *walk) branch(id uint64, b, low, high []byte) error {
	n, err := w.elements(id, b)
	if err != nil {
		return err
	}
	if n == 0 {
		return w.bad(id, "it leads nowhere")
	}
	keys := make([][]byte, n)
	for i := range n {
		at := pageHeader + i*elementSize
		k, ok := part(b, at, uint64(order.Uint32(b[at:])), uint64(order.Uint32(b[at+4:])))
		if !ok || !within(k, i == 0, low, high) {
			return w.bad(id, "a key is out of place")
		}
		keys[i], low = k, k
	}
	for i, k := range keys {
		next := high
		if i+1 < n {
			next = keys[i+1]
		}
		if err := w.page(order.Uint64(b[pageHeader+i*elementSize+8:]), k, next); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) leaf(id uint64, b, low, high []byte) error {
	n, err := w.elements(id, b)
	if err != nil {
		return err
	}
	for i := range n {
		at := pageHeader + i*elementSize
		flags, pos := order.Uint32(b[at:]), uint64(order.Uint32(b[at+4:]))
		ksize, vsize := uint64(order.Uint32(b[at+8:])), uint64(order.Uint32(b[at+12:]))
		k, ok := part(b, at, pos, ksize)
		v, fits := part(b, at, pos+ksize, vsize)
		if !ok || !fits || !within(k, i == 0, low, high) {
			return w.bad(id, "an element is out of place")
		}
		low = k
		if flags&flagBucket != 0 {
			if err := w.bucket(id, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// bucket checks a bucket by its header: root page (8), sequence (8). One
// without a root page lies whole behind its header.
func (w *walk) bucket(id uint64, v []byte) error {
	if len(v) < 16 {
		return w.bad(id, "a bucket is cut off")
	}
	if root := order.Uint64(v); root != 0 {
		return w.page(root, nil, nil)
	}
	inline := v[16:]
	if len(inline) < pageHeader || order.Uint16(inline[8:]) != flagLeaf {
		return w.bad(id, "an inner bucket is broken")
	}
	return w.leaf(id, inline, nil, nil)
}

// within tells whether a key keeps the order: above low, or at it where it is
// the first of its page, and below high.
func within(k []byte, first bool, low, high []byte) bool {
	if len(k) == 0 {
		return false
	}
	if low != nil {
		if c := bytes.Compare(low, k); c > 0 || c == 0 && !first {
			return false
		}
	}
	return high == nil || bytes.Compare(k, high) < 0
}
