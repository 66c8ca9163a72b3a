package retryafter

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func written(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

func TestWaits(t *testing.T) {
	const none = -1
	hourAhead := noon.Add(time.Hour)
	for _, tt := range []struct {
		name, value, date string
		want              time.Duration
	}{
		{name: "no header", want: none},
		{name: "only spaces", value: "  ", want: none},
		{name: "nought", value: "0", want: 0},
		{name: "seconds", value: "7", want: 7 * time.Second},
		{name: "seconds between spaces", value: " 7 ", want: 7 * time.Second},
		{name: "three hours", value: "10800", want: 3 * time.Hour},
		{name: "leading noughts", value: "007", want: 7 * time.Second},
		{name: "half a second", value: "0.5", want: 500 * time.Millisecond},
		{name: "more digits than a clock has", value: "1.0000000019999", want: time.Second + time.Nanosecond},
		{name: "a year and a day", value: "31622400", want: Longest},
		{name: "more digits than a number has", value: strings.Repeat("9", 400), want: Longest},
		{name: "a negative number", value: "-5", want: none},
		{name: "a sign", value: "+5", want: none},
		{name: "an exponent", value: "1e3", want: none},
		{name: "infinity", value: "Inf", want: none},
		{name: "no number", value: "NaN", want: none},
		{name: "a dot alone", value: ".", want: none},
		{name: "no digit before the dot", value: ".5", want: none},
		{name: "no digit behind the dot", value: "5.", want: none},
		{name: "two dots", value: "1.2.3", want: none},
		{name: "digits of another script", value: "７", want: none},
		{name: "a word", value: "soon", want: none},
		{name: "a date", value: written(noon.Add(time.Minute)), want: time.Minute},
		{name: "a date of the older forms", value: noon.Add(time.Minute).Format(time.ANSIC), want: time.Minute},
		{name: "a date that has passed", value: written(noon.Add(-time.Hour)), want: 0},
		{name: "a date in the year 9999", value: "Fri, 31 Dec 9999 23:59:59 GMT", want: Longest},
		{name: "a minute by a clock that is an hour ahead", value: written(hourAhead.Add(time.Minute)), date: written(hourAhead), want: time.Minute},
		{name: "a date beside one that cannot be read", value: written(noon.Add(time.Minute)), date: "yesterday", want: time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			if tt.value != "" {
				h.Set("Retry-After", tt.value)
			}
			if tt.date != "" {
				h.Set("Date", tt.date)
			}
			got, ok := Read(h, noon)
			if !ok {
				got = none
			}
			if got != tt.want {
				t.Errorf("wait %v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, v := range []string{"", "7", "0.5", "-1", "1e9", strings.Repeat("9", 30), written(noon), "Fri, 31 Dec 9999 23:59:59 GMT"} {
		f.Add(v, written(noon))
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		wait, ok := Read(http.Header{"Retry-After": {value}, "Date": {date}}, noon)
		if wait < 0 || wait > Longest || !ok && wait != 0 {
			t.Errorf("%q at %q: %v, %v", value, date, wait, ok)
		}
		spaced, still := Read(http.Header{"Retry-After": {" " + value + "\t"}, "Date": {date}}, noon)
		if spaced != wait || still != ok {
			t.Errorf("%q between spaces: %v, %v, want %v, %v", value, spaced, still, wait, ok)
		}
	})
}
