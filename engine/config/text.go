package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source is one file of the configuration.
type source struct {
	name string // as problems print it
	dir  string // what relative paths in it are relative to
}

// place is where something was written.
type place struct {
	src       *source
	line, col int // from 1; columns count characters
}

// problem is one line, whatever the names in it hold.
func (p place) problem(format string, args ...any) Problem {
	msg := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, fmt.Sprintf(format, args...))
	return p.locate(Problem{Msg: msg})
}

// locate gives a problem this place.
func (p place) locate(q Problem) Problem {
	q.File, q.Line, q.Col = p.src.name, p.line, p.col
	return q
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.src.name, p.line) }

// placeAt finds the place of a byte offset.
func placeAt(src *source, text string, offset int) place {
	before := text[:min(max(offset, 0), len(text))]
	bol := strings.LastIndexByte(before, '\n') + 1
	return place{src, strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[bol:]) + 1}
}

// decodeText makes text of a file's bytes: without byte order mark, lines
// ended by a bare newline, so that a reply reads the same whatever editor
// wrote it. Other encodings than UTF-8 are refused by name.
func decodeText(src *source, data []byte) (string, *Problem) {
	if looksUTF16(data) {
		p := place{src, 1, 1}.problem("file looks like UTF-16; save it as UTF-8")
		return "", &p
	}
	if bad := invalidUTF8(data); bad >= 0 {
		at := placeAt(src, string(data), bad)
		p := at.problem("file is not UTF-8 (byte 0x%02X); save it as UTF-8", data[bad])
		if looksGBK(data) {
			p = at.problem("file looks like GBK; save it as UTF-8")
		}
		return "", &p
	}
	text := strings.TrimLeft(string(data), "\ufeff")
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

// looksUTF16 knows the mark that editors put first and, where it is missing,
// the zero in every other byte that ASCII text has in this encoding.
func looksUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		return true
	}
	return len(data) >= 2 && (data[0] == 0) != (data[1] == 0)
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// looksGBK tells whether all bytes fit the two- and four-byte patterns of
// GB18030, of which GBK is a part.
func looksGBK(data []byte) bool {
	between := func(i int, lo, hi byte) bool { return i < len(data) && lo <= data[i] && data[i] <= hi }
	for i := 0; i < len(data); {
		switch {
		case data[i] < 0x80:
			i++
		case !between(i, 0x81, 0xFE):
			return false
		case between(i+1, 0x40, 0x7E) || between(i+1, 0x80, 0xFE):
			i += 2
		case between(i+1, '0', '9') && between(i+2, 0x81, 0xFE) && between(i+3, '0', '9'):
			i += 4
		default:
			return false
		}
	}
	return true
}
