package broadcast

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bot/engine/lines"
)

// Audience is whom a broadcast goes to. Each yields their ids once, in the order
// in which they are to be reached, and ends early with the error that yield
// returned. What cannot be anybody's id is told as a Problem.
type Audience interface {
	Each(ctx context.Context, yield func(id string) error) error
}

// maxID is the longest id of a recipient in bytes.
const maxID = 512

// List is an audience that is named one by one.
type List []string

// Each implements Audience. Blank ids are refused: whoever made the list had
// somebody else in mind.
func (l List) Each(_ context.Context, yield func(id string) error) error {
	var wrong Problems
	for i, id := range l {
		id = strings.TrimSpace(id)
		if why := badID(id); why != "" {
			if wrong = append(wrong, Problem{"to[" + strconv.Itoa(i) + "]", why}); len(wrong) == maxProblems {
				break
			}
			continue
		}
		if len(wrong) > 0 {
			continue
		}
		if err := yield(id); err != nil {
			return err
		}
	}
	return wrong.err()
}

// Lines is an audience in a list, an id a line (package lines), of any length: it
// is read as it comes and never held. It can be gone through once.
type Lines struct{ Reader io.Reader }

// Each implements Audience.
func (l Lines) Each(ctx context.Context, yield func(id string) error) error {
	var wrong Problems
	looked := 0
	for line, err := range lines.Read(l.Reader, maxLine) {
		var long *lines.TooLong
		switch {
		case errors.As(err, &long):
			wrong = append(wrong, lineProblem(long.Number, "the line is longer than any id (one id a line)"))
			continue
		case err != nil:
			return fmt.Errorf("read the recipients: %w", err)
		}
		if looked++; looked%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if why := badID(line.Text); why != "" {
			if wrong = append(wrong, lineProblem(line.Number, why)); len(wrong) == maxProblems {
				return wrong.err()
			}
			continue
		}
		if len(wrong) > 0 {
			continue
		}
		if err := yield(line.Text); err != nil {
			return err
		}
	}
	return wrong.err()
}

// maxLine leaves room for spaces around an id.
const maxLine = 4 << 10

func lineProblem(number int, why string) Problem {
	return Problem{"to: line " + strconv.Itoa(number), why}
}

// badID says why a text is nobody's id, "" when it may be one.
func badID(id string) string {
	switch {
	case id == "":
		return "a blank id is nobody's"
	case len(id) > maxID:
		return fmt.Sprintf("an id has at most %d bytes, this one %d", maxID, len(id))
	case !utf8.ValidString(id):
		return "it is no UTF-8"
	case strings.ContainsFunc(id, unicode.IsControl):
		return "it holds a control character"
	}
	return ""
}

// Problem is one bad field of a request.
type Problem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// maxProblems bounds what is said of a list in which everything is wrong.
const maxProblems = 20

// Problems are all bad fields of a request; as an error, a line for each.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Field + ": " + one.Message
	}
	return strings.Join(lines, "\n")
}

func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
