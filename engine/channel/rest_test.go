package channel

import (
	"testing"
	"time"
)

func TestHowLongAThrottledAccountRests(t *testing.T) {
	for _, tt := range []struct {
		name     string
		until    time.Time
		want     time.Duration
		believed bool
	}{
		{"no time is for the engine to choose", time.Time{}, 0, true},
		{"three hours are three hours", noon.Add(3 * time.Hour), 3 * time.Hour, true},
		{"a day is believed", noon.Add(MaxRest), MaxRest, true},
		{"more than a day is not", noon.Add(MaxRest + 1), time.Hour, false},
		{"nor is the year 9999", time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Hour, false},
		{"a time that has passed is none", noon.Add(-time.Minute), 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := SendError{Class: Throttled, Until: tt.until}
			if rest, believed := e.Rest(noon); rest != tt.want || believed != tt.believed {
				t.Errorf("rest %v, believed %v; want %v, %v", rest, believed, tt.want, tt.believed)
			}
		})
	}
}
