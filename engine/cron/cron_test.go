package cron

import (
	"strings"
	"testing"
	"time"
)

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

const layout = "2006-01-02 15:04 -0700"

func TestTheTimesOfALine(t *testing.T) {
	for _, tt := range []struct {
		name, zone, line, after string
		want                    []string
	}{
		{"weekdays at nine pass the weekend over", "Asia/Shanghai", "0 9 * * mon-fri", "2026-03-05 09:00 +0800",
			[]string{"2026-03-06 09:00 +0800", "2026-03-09 09:00 +0800"}},
		{"Shanghai never puts its clock on", "Asia/Shanghai", "30 2 * * *", "2026-03-28 12:00 +0800",
			[]string{"2026-03-29 02:30 +0800", "2026-03-30 02:30 +0800"}},
		{"a time that is skipped comes at once afterwards", "Europe/Berlin", "30 2 * * *", "2026-03-28 02:30 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200"}},
		{"several that are skipped come one time", "Europe/Berlin", "0,15,30 2 * * *", "2026-03-28 02:30 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:00 +0200"}},
		{"a skipped time and one that is not are one where they meet", "Europe/Berlin", "0 2,3 * * *", "2026-03-28 03:00 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:00 +0200"}},
		{"a time that is shown twice comes once", "Europe/Berlin", "30 2 * * *", "2026-10-24 12:00 +0200",
			[]string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"so it does when asked between the two", "Europe/Berlin", "30 2 * * *", "2026-10-25 02:10 +0100",
			[]string{"2026-10-26 02:30 +0100"}},
		{"what comes behind the repeated hour is not lost", "Europe/Berlin", "0 2,3 * * *", "2026-10-25 02:00 +0200",
			[]string{"2026-10-25 03:00 +0100", "2026-10-26 02:00 +0100"}},
		{"every half hour stays one where the clock is put back", "Europe/Berlin", "*/30 * * * *", "2026-10-25 01:30 +0200",
			[]string{"2026-10-25 02:00 +0200", "2026-10-25 02:30 +0200", "2026-10-25 02:00 +0100", "2026-10-25 02:30 +0100", "2026-10-25 03:00 +0100"}},
		{"and where it is put on", "Europe/Berlin", "30 * * * *", "2026-03-29 00:30 +0100",
			[]string{"2026-03-29 01:30 +0100", "2026-03-29 03:30 +0200"}},
		{"a midnight that is skipped", "America/Asuncion", "0 0 * * *", "2023-09-30 12:00 -0400",
			[]string{"2023-10-01 01:00 -0300", "2023-10-02 00:00 -0300"}},
		{"a change of half an hour", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03 12:00 +1030",
			[]string{"2026-10-04 02:30 +1100", "2026-10-05 02:15 +1100"}},
		{"a whole day that was skipped", "Pacific/Apia", "0 12 * * *", "2011-12-29 12:00 -1000",
			[]string{"2011-12-31 00:00 +1400", "2011-12-31 12:00 +1400"}},
		{"a leap day is waited for", "Asia/Shanghai", "0 0 29 2 *", "2026-01-01 00:00 +0800",
			[]string{"2028-02-29 00:00 +0800", "2032-02-29 00:00 +0800"}},
		{"eight years, over 2100", "UTC", "0 0 29 2 *", "2096-03-01 00:00 +0000", []string{"2104-02-29 00:00 +0000"}},
		{"a day that not every month has", "Asia/Shanghai", "0 8 31 * *", "2026-03-31 08:00 +0800",
			[]string{"2026-05-31 08:00 +0800", "2026-07-31 08:00 +0800", "2026-08-31 08:00 +0800"}},
		{"the end of the year", "Asia/Shanghai", "59 23 31 12 *", "2026-12-31 23:59 +0800", []string{"2027-12-31 23:59 +0800"}},
		{"either day will do where both are given", "UTC", "0 0 13 * fri", "2026-02-10 00:00 +0000",
			[]string{"2026-02-13 00:00 +0000", "2026-02-20 00:00 +0000", "2026-02-27 00:00 +0000", "2026-03-06 00:00 +0000", "2026-03-13 00:00 +0000"}},
		{"7 is a Sunday", "UTC", "0 0 * * 7", "2026-02-10 00:00 +0000", []string{"2026-02-15 00:00 +0000"}},
		{"a range past its end", "UTC", "0 0 * * sat-mon", "2026-02-10 00:00 +0000",
			[]string{"2026-02-14 00:00 +0000", "2026-02-15 00:00 +0000", "2026-02-16 00:00 +0000", "2026-02-21 00:00 +0000"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line, err := Parse(tt.line, zone(t, tt.zone))
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse(layout, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range tt.want {
				if at = line.Next(at); at.Format(layout) != want {
					t.Fatalf("time %d is %s, want %s", i+1, at.Format(layout), want)
				}
			}
		})
	}
}

func TestABadLineSaysWhichFieldIsWrong(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"", "five fields, minute hour day month weekday, and this has 0"},
		{"0 9 * *", "this has 4"},
		{"0 0 9 * * *", "this has 6 (there are no seconds)"},
		{"@daily", `@daily is written "0 0 * * *" here`},
		{"60 9 * * *", `the minute "60", at character 1, is none (0-59;`},
		{"0  25 * * *", `the hour "25", at character 4, is none (0-23;`},
		{"0 9 0 * *", `the day of the month "0", at character 5,`},
		{"0 9 * okt *", `the month "okt", at character 7, is none (1-12 or jan-dec;`},
		{"0 9 * * 周一", `the weekday "周一", at character 9,`},
		{"*/0 * * * *", `the minute "*/0"`},
		{"0 9 L * *", `the day of the month "L"`},
		{"H 9 * * *", `the minute "H"`},
		{"TZ=UTC 9 * * *", `the minute "TZ=UTC"`},
		{"0 9,,10 * * *", `the hour "9,,10"`},
		{"0 0 30 2 *", `"0 0 30 2 *" never comes: no such month has such a day`},
		{"0 0 31 4,6,9,11 *", "never comes"},
		{strings.Repeat("0", 2000), "longer than 1024"},
	} {
		if _, err := Parse(tt.line, time.UTC); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.30q: %v, want %s", tt.line, err, tt.want)
		}
	}
}

// Whatever the line, its times rise and are what it says, apart from those that
// stand in for skipped ones, which in Berlin come at three.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"0 9 * * mon-fri", "*/15 8-18/2 * * *", "30 2 * * *", "0 0 29 2 *", "0 0 13 * fri", "0 0 30 2 *",
		"@daily", "CRON_TZ=UTC 0 0 * * *", "TZ=", "99999999999 * * * *", "1-/ * * * *", "*/99 * * * *", "? ? ? ? ?", "0\u30009 * * *",
	} {
		f.Add(s, int64(1_774_700_000))
		f.Add(s, int64(1_792_880_000))
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		line, err := Parse(text, berlin)
		if err != nil {
			if !strings.Contains(err.Error(), "cron line") && !strings.Contains(err.Error(), "is none") && !strings.Contains(err.Error(), "never comes") && !strings.Contains(err.Error(), "is written") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		at := time.Unix(unix%4_000_000_000, 0)
		for range 5 {
			next := line.Next(at)
			if next.IsZero() {
				return
			}
			if !next.After(at) {
				t.Fatalf("%q: %v comes after %v", text, next, at)
			}
			if next.Second() != 0 {
				t.Fatalf("%q: %v is no full minute", text, next)
			}
			if shown := wall(next); !line.wall.Next(shown.Add(-1)).Equal(shown) && next.Hour() != 3 {
				t.Fatalf("%q: %v is none of its times", text, next)
			}
			at = next
		}
	})
}
