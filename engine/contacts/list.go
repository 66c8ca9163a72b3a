package contacts

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"bot/engine/lines"
)

// maxLine bounds a line of a file, an import's labels among it.
const maxLine = 16 << 10

// listed reads a list, which is UTF-8. An error is the last pair.
func listed(r io.Reader) iter.Seq2[lines.Line, error] {
	return func(yield func(lines.Line, error) bool) {
		for l, err := range lines.Read(r, maxLine) {
			if err == nil && !utf8.ValidString(l.Text) {
				err = fmt.Errorf("line %d is not UTF-8", l.Number)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// ReadList reads a list of contacts that a team already has: one id a line, and
// behind a tab labels with commas between them. Lines that are blank or begin with #
// are left out. All of them are Present. An error names the line and is the last
// pair.
func ReadList(r io.Reader) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for l, err := range listed(r) {
			if err != nil {
				yield(Change{}, err)
				return
			}
			id, labels, _ := strings.Cut(l.Text, "\t")
			ch := Change{ID: strings.TrimSpace(id), Present: true}
			if !ValidID(ch.ID) {
				yield(Change{}, fmt.Errorf("line %d: want an id of 1 to %d bytes", l.Number, MaxID))
				return
			}
			if ch.Add, err = SplitLabels(labels); err != nil {
				yield(Change{}, fmt.Errorf("line %d: %w", l.Number, err))
				return
			}
			if !yield(ch, nil) {
				return
			}
		}
	}
}

// SplitLabels reads labels with commas, also full-width ones, between them; blank
// ones are left out.
func SplitLabels(text string) (labels []string, err error) {
	for label := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '，' }) {
		if label = strings.TrimSpace(label); label == "" {
			continue
		}
		if !ValidLabel(label) {
			return nil, fmt.Errorf("%q is no label: want 1 to %d bytes without control characters", label, MaxLabel)
		}
		labels = append(labels, label)
	}
	return labels, nil
}
