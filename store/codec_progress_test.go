package store

import (
	"reflect"
	"testing"
	"time"

	"bot/engine"
)

func TestProgressSurvivesItsRecord(t *testing.T) {
	for name, p := range map[string]Progress{
		"with none": {},
		"first attempt": {
			Phase: Sending, Attempts: 1, Tries: []Try{{Time: at}},
		},
		"with every field set": {
			Phase: Waiting, Attempts: 3, NotBefore: at.Add(time.Minute), Reason: "上一次超时",
			Tries: []Try{{Time: at, Class: "transient", Status: 502, Note: "bad gateway"}, {}, {Time: at.Add(time.Second), Class: "unsure"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := DecodeProgress(EncodeProgress(&p))
			if err != nil || !reflect.DeepEqual(got, p) {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, p)
			}
		})
	}
}

func FuzzDecodeProgress(f *testing.F) {
	for _, p := range []Progress{{}, {Phase: InDoubt, Attempts: 2, Reason: "?", Tries: []Try{{Time: at, Class: "unsure"}, {}}}} {
		f.Add(EncodeProgress(&p)[bodyAt:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := DecodeProgress(frame(body))
		if err != nil {
			return
		}
		again, err := DecodeProgress(EncodeProgress(&p))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v became %+v, %v", p, again, err)
		}
	})
}

// What a sender is handed must not depend on whether the process was started
// anew in between.
func TestStoredIsWhatReadingGives(t *testing.T) {
	local := *fullCommand()
	local.Created = local.Created.In(time.FixedZone("CST", 8*3600))
	plain := local
	plain.Params = nil
	far := plain
	far.Deadline = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	far.Params = map[string]any{}
	for name, c := range map[string]*engine.Command{"with parameters": &local, "without": &plain, "out of reach": &far, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			rec, err := EncodeCommand(c)
			if err != nil {
				t.Fatal(err)
			}
			want, err := DecodeCommand(rec)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Stored(c, rec)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
}
