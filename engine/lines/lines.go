// Package lines reads lists that people keep in files: one thing a line. Lines that
// are blank or begin with # are left out, and so are blanks around a line and the
// mark by which Windows programs begin a file. A list of any length takes the
// memory of its longest line.
package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Line is one entry of a list.
type Line struct {
	Number int // in the file, from 1
	Text   string
}

// TooLong says that a line is longer than an entry can be.
type TooLong struct{ Number, Most int }

func (e *TooLong) Error() string {
	return fmt.Sprintf("line %d is longer than %d bytes (one entry a line)", e.Number, e.Most)
}

// Read yields the entries of a list whose lines have at most so many bytes. An
// error, a *TooLong or the reader's own, is the last pair.
func Read(r io.Reader, most int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		s := bufio.NewScanner(r)
		s.Buffer(make([]byte, 0, min(most, 4<<10)), most)
		number := 0
		for s.Scan() {
			number++
			text := s.Text()
			if number == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
				continue
			}
			if !yield(Line{number, text}, nil) {
				return
			}
		}
		switch err := s.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(Line{}, &TooLong{number + 1, most})
		case err != nil:
			yield(Line{}, fmt.Errorf("after line %d: %w", number, err))
		}
	}
}
