package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

func TestNoteSurvivesItsFields(t *testing.T) {
	for name, n := range map[string]engine.Note{
		"with every field set":     {Key: "w_id", Value: "w\x001", Expires: at},
		"with none":                {},
		"that forgets":             {Key: "w_id"},
		"that expired long ago":    {Key: "k", Value: "v", Expires: time.Unix(-5, 0).UTC()},
		"as long as there may be":  {Key: strings.Repeat("k", MaxNoteKey), Value: strings.Repeat("v", MaxNoteValue)},
		"with bytes of no meaning": {Key: "\xff\x00", Value: "\xfe"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := DecodeNote(EncodeNote(n)); err != nil || got != n {
				t.Errorf("got %+v, %v\nwant %+v", got, err, n)
			}
		})
	}
}

func TestANoteSharesNothingWithItsFields(t *testing.T) {
	b := EncodeNote(engine.Note{Key: "key", Value: "value"})
	n, err := DecodeNote(b)
	clear(b)
	if err != nil || n.Key != "key" || n.Value != "value" {
		t.Errorf("got %+v, %v", n, err)
	}
}

func TestNotesAreCheckedForTheirLengths(t *testing.T) {
	for name, tt := range map[string]struct {
		key, value int
		fits       bool
	}{
		"no key":                {0, 1, false},
		"the shortest":          {1, 0, true},
		"the longest":           {MaxNoteKey, MaxNoteValue, true},
		"a key beyond bounds":   {MaxNoteKey + 1, 1, false},
		"a value beyond bounds": {1, MaxNoteValue + 1, false},
	} {
		err := CheckNote(engine.Note{Key: strings.Repeat("k", tt.key), Value: strings.Repeat("s", tt.value)})
		if (err == nil) != tt.fits {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "sss") {
			t.Errorf("%s: the value is in the error", name)
		}
	}
}

func FuzzDecodeNote(f *testing.F) {
	f.Add(EncodeNote(engine.Note{Key: "w_id", Value: "w1", Expires: at}))
	f.Add([]byte{})
	f.Add([]byte{noteKey, 200, 'k'})
	f.Add([]byte{noteExpires, 8, 0x80, 0, 0, 0, 0, 0, 0, 0}) // which stands for no time
	f.Add([]byte{noteKey, 1, 'a', noteKey, 1, 'b', 99, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := DecodeNote(b)
		if err != nil {
			if !errors.Is(err, ErrRecord) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		if again, err := DecodeNote(EncodeNote(n)); err != nil || again != n {
			t.Fatalf("what was read does not survive writing: %+v, %v\nwas %+v", again, err, n)
		}
	})
}
