package lines

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLists(t *testing.T) {
	broken := errors.New("unplugged")
	for name, tt := range map[string]struct {
		in   io.Reader
		want string
	}{
		"nothing":                             {strings.NewReader(""), ""},
		"entries keep their numbers":          {strings.NewReader("a\n\n  # not this\n b \t\nc"), "1a 4b 5c "},
		"a mark of Windows and its line ends": {strings.NewReader("\ufeffa\r\nb\r\n"), "1a 2b "},
		"a # within a line is no comment":     {strings.NewReader("a#1\n"), "1a#1 "},
		"a line that is too long is named":    {strings.NewReader("a\n" + strings.Repeat("x", 17) + "\nb\n"), "1a line 2 is longer than 16 bytes (one entry a line)"},
		"what was read before a failure":      {io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(broken)), "1a 2b after line 2: unplugged"},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for l, err := range Read(tt.in, 16) {
				if err != nil {
					got.WriteString(err.Error())
					continue
				}
				fmt.Fprintf(&got, "%d%s ", l.Number, l.Text)
			}
			if got.String() != tt.want {
				t.Errorf("read %q, want %q", got.String(), tt.want)
			}
		})
	}
}

func TestAListIsReadNoFurtherThanItIsWanted(t *testing.T) {
	in := iotest.OneByteReader(strings.NewReader("a\nb\nc\n"))
	for l, err := range Read(in, 16) {
		if err != nil || l.Text != "a" {
			t.Fatalf("%+v, %v", l, err)
		}
		break
	}
	if rest, _ := io.ReadAll(in); string(rest) != "b\nc\n" {
		t.Errorf("left is %q", rest)
	}
}
