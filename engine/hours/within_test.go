package hours

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	office := []string{"mon-fri 09:00-18:00", "closed 2026-03-04"}
	for _, tt := range []struct {
		name        string
		lines       []string
		from, until string // in Berlin
		want        time.Duration
	}{
		{"part of a day", office, "2026-03-02 10:00", "2026-03-02 11:30", 90 * time.Minute},
		{"a night counts for nothing", office, "2026-03-02 17:30", "2026-03-03 09:15", 45 * time.Minute},
		{"nor does a weekend", office, "2026-03-06 17:00", "2026-03-09 10:00", 2 * time.Hour},
		{"nor a holiday", office, "2026-03-03 17:00", "2026-03-05 10:00", 2 * time.Hour},
		{"outside of it all", office, "2026-03-07 00:00", "2026-03-08 23:00", 0},
		{"the wrong way round", office, "2026-03-03 17:00", "2026-03-03 10:00", 0},
		{"past midnight", []string{"fri 20:00-02:00"}, "2026-03-06 23:00", "2026-03-07 08:00", 3 * time.Hour},
		{"hours that overlap count once", []string{"daily 09:00-12:00", "mon 10:00-13:00"}, "2026-03-02 00:00", "2026-03-03 00:00", 4 * time.Hour},
		{"an hour that the clock is put on by", []string{"daily 00:00-06:00"}, "2026-03-29 00:00", "2026-03-29 12:00", 5 * time.Hour},
		{"an hour that it is put back by", []string{"daily 00:00-06:00"}, "2026-10-25 00:00", "2026-10-25 12:00", 7 * time.Hour},
		{"years ago", []string{"daily 09:00-10:00"}, "1970-01-01 00:00", "2026-03-02 00:00", 400 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := func(s string) time.Time {
				m, err := time.ParseInLocation("2006-01-02 15:04", s, berlin)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			if got := read(t, tt.lines...).Within(at(tt.from).UTC(), at(tt.until)); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// Within is what one gets by asking minute for minute.
func TestWithinIsWhatOpenSays(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	times := read(t, "mon-fri 09:00-12:00,13:30-18:00", "sat 20:00-03:30", "closed 2026-10-23", "2026-10-25 08:00-10:00")
	chance := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		from := time.Date(2026, 10, 20, 0, chance.IntN(10*24*60), 0, 0, berlin)
		until := from.Add(time.Duration(chance.IntN(4*24*60)) * time.Minute)
		var want time.Duration
		for at := from; at.Before(until); at = at.Add(time.Minute) {
			if times.Open(at) {
				want += time.Minute
			}
		}
		if got := times.Within(from, until); got != want {
			t.Errorf("from %v until %v: %v, want %v", from, until, got, want)
		}
	}
}

func TestDaily(t *testing.T) {
	for hour := range 24 {
		at := time.Date(2026, 3, 7, hour, 30, 0, 0, time.UTC)
		if got := Daily(9, 21).Open(at); got != (hour >= 9 && hour < 21) {
			t.Errorf("%v: %v", at, got)
		}
	}
}
