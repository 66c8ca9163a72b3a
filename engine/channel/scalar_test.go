package channel

import (
	"encoding/json"
	"testing"
	"time"
)

func TestScalarsKeepWhatWasWritten(t *testing.T) {
	for body, want := range map[string]Scalar{
		`"text"`: "text", `"a\u00e9"`: "aé", `9007199254740993`: "9007199254740993", `-1.50`: "-1.50", `1e30`: "1e30",
		`true`: "true", `false`: "false", `null`: "", `{"a":1}`: "", `[1]`: "", `""`: "",
	} {
		got := Scalar("before")
		if err := json.Unmarshal([]byte(body), &got); err != nil || body != "null" && got != want {
			t.Errorf("%s reads %q, %v, want %q", body, got, err, want)
		}
	}
}

func TestDigits(t *testing.T) {
	for s, want := range map[Scalar]string{
		"9007199254740993": "9007199254740993", "-8200000000000000001": "-8200000000000000001", "007": "007",
		"": "", "0": "", "-0": "", "000": "", "1e5": "", "1.0": "", "+1": "", "123456789012345678901": "",
	} {
		if got := s.Digits(); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestNumbersAreWrittenAsTheyAre(t *testing.T) {
	for s, want := range map[Scalar]string{
		"9007199254740993": `9007199254740993`, "-1.50": `-1.50`, "0": `0`,
		"": `""`, "007": `"007"`, "x": `"x"`, "null": `"null"`, "NaN": `"NaN"`, `"1"`: `"\"1\""`, "1 2": `"1 2"`,
	} {
		if b, err := json.Marshal(s.Number()); err != nil || string(b) != want {
			t.Errorf("%q: %s, %v, want %s", s, b, err, want)
		}
	}
}

func TestTimesBySize(t *testing.T) {
	for s, want := range map[Scalar]time.Time{
		"1790000000": time.Unix(1790000000, 0), "1790000000123": time.UnixMilli(1790000000123), "1790000000.9": time.Unix(1790000000, 0),
		"99999999999": time.Unix(99999999999, 0), "100000000000": time.UnixMilli(100000000000),
		"0": {}, "-5": {}, "1e9": {}, "yesterday": {}, "": {}, "100000000000000": {}, "99999999999999999999": {},
	} {
		if got := s.Time(); !got.Equal(want) {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}
