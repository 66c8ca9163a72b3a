package channel

import (
	"strings"
	"testing"
)

func TestNotes(t *testing.T) {
	call := Call{Secrets: []string{"s3cr+t", ""}}
	tests := []struct{ name, note, want string }{
		{"as it is", "no such user", "no such user"},
		{"on one line", " a\r\n\tb\x1b[31m ", "a b [31m"},
		{"a secret", "bad token s3cr+t!", "bad token ***!"},
		{"a secret in an address", "GET /x?token=s3cr%2Bt", "GET /x?token=***"},
		{"a secret at the cut", strings.Repeat("x", 197) + "s3cr+t", strings.Repeat("x", 197) + "***"},
		{"cut on a character", strings.Repeat("界", 300), strings.Repeat("界", 200)},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := call.Fail(Permanent, 0, tt.note).Note; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNoteOfWhatWasDone(t *testing.T) {
	for want, values := range map[string]map[string]string{
		`{"a":"9007199254740993","b":"x"}`: {"b": "x", "a": "9007199254740993", "c": ""},
		"":                                 {"a": "", "b": ""},
	} {
		if got := Note(values); got != want {
			t.Errorf("%v: %s", values, got)
		}
	}
	if got := Note(map[string]string{"a": strings.Repeat("x", MaxNote)}); got != "" {
		t.Errorf("a note of %d bytes", len(got))
	}
}
