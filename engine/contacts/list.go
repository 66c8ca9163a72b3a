package contacts

import (
	"fmt"
	"io"
	"iter"
	"strings"
)

// ReadList reads a list of contacts that a team already has: one id a line, and
// behind a tab labels with commas between them. Lines that are blank or begin with #
// are left out. All of them are Present. An error names the line and is the last
// pair.
func ReadList(r io.Reader) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for l, err := range lines(r) {
			if err != nil {
				yield(Change{}, err)
				return
			}
			id, labels, _ := strings.Cut(l.text, "\t")
			ch := Change{ID: strings.TrimSpace(id), Present: true}
			if !ValidID(ch.ID) {
				yield(Change{}, fmt.Errorf("line %d: want an id of 1 to %d bytes", l.number, MaxID))
				return
			}
			if ch.Add, err = SplitLabels(labels); err != nil {
				yield(Change{}, fmt.Errorf("line %d: %w", l.number, err))
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
