package hours

import (
	"strings"
	"testing"
	"time"
)

func read(t *testing.T, lines ...string) Times {
	t.Helper()
	all := make(Times, len(lines))
	for i, l := range lines {
		if err := all[i].UnmarshalText([]byte(l)); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestOpen(t *testing.T) {
	shanghai := time.FixedZone("CST", 8*3600)
	shop := []string{"mon-fri 09:00-18:00", "sat 10:00-16:00"}
	holidays := append(shop[:2:2], "closed 2026-10-01..2026-10-07", "2026-10-10 09:00-18:00", "2026-10-05 12:00-13:00")
	for _, tt := range []struct {
		name  string
		lines []string
		at    string // in Shanghai
		want  bool
	}{
		{"a weekday at nine", shop, "2026-03-02 09:00", true},
		{"a minute before", shop, "2026-03-02 08:59", false},
		{"the last minute", shop, "2026-03-06 17:59", true},
		{"at six it is over", shop, "2026-03-06 18:00", false},
		{"Saturday has hours of its own", shop, "2026-03-07 16:30", false},
		{"Sunday has none", shop, "2026-03-08 12:00", false},
		{"a holiday", holidays, "2026-10-01 12:00", false},
		{"the last holiday", holidays, "2026-10-07 12:00", false},
		{"the day after", holidays, "2026-10-08 12:00", true},
		{"a Saturday on which people work", holidays, "2026-10-10 17:00", true},
		{"hours on one of the holidays", holidays, "2026-10-05 12:30", true},
		{"and no more than these", holidays, "2026-10-05 14:00", false},
		{"past midnight, in the evening", []string{"fri 20:00-02:00"}, "2026-03-06 23:59", true},
		{"past midnight, in the night", []string{"fri 20:00-02:00"}, "2026-03-07 01:59", true},
		{"past midnight, when it is over", []string{"fri 20:00-02:00"}, "2026-03-07 02:00", false},
		{"past midnight is not the morning of that day", []string{"fri 20:00-02:00"}, "2026-03-06 01:00", false},
		{"the night before a closed day is served to its end", []string{"daily 20:00-02:00", "closed 2026-10-01"}, "2026-10-01 01:00", true},
		{"and that day's own night is not", []string{"daily 20:00-02:00", "closed 2026-10-01"}, "2026-10-02 01:00", false},
		{"until midnight", []string{"daily 09:00-24:00"}, "2026-03-02 23:59", true},
		{"until midnight written as nought", []string{"daily 09:00-00:00"}, "2026-03-03 00:00", false},
		{"the whole day", []string{"daily 00:00-24:00"}, "2026-03-02 00:00", true},
		{"a break at noon", []string{"mon-fri 9:00-12:00, 13:30-18:00"}, "2026-03-02 12:15", false},
		{"after it", []string{"mon-fri 9:00-12:00, 13:30-18:00"}, "2026-03-02 13:30", true},
		{"days that go round the weekend", []string{"sat-mon 09:00-10:00"}, "2026-03-08 09:30", true},
		{"and leave the others out", []string{"sat-mon 09:00-10:00"}, "2026-03-03 09:30", false},
		{"a list of days, in capitals", []string{"Mon,WED 09:00-10:00"}, "2026-03-04 09:30", true},
		{"no lines", nil, "2026-03-02 12:00", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, err := time.ParseInLocation("2006-01-02 15:04", tt.at, shanghai)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, tt.lines...).Open(at); got != tt.want {
				t.Errorf("%q at %s %s: open %v", tt.lines, at.Weekday(), tt.at, got)
			}
		})
	}
}

func TestTheClockIsTheLocationsOwn(t *testing.T) {
	shop := read(t, "mon 09:00-18:00")
	at := time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
	if shop.Open(at) || !shop.Open(at.In(time.FixedZone("CST", 8*3600))) {
		t.Error("nine in Shanghai is one in Greenwich")
	}
}

func TestProblems(t *testing.T) {
	for line, want := range map[string]string{
		"":                              `nothing is said (like "mon-fri 09:00-18:00")`,
		"mon-fry 09:00-18:00":           `there is no day "fry" (did you mean "fri"?)`,
		"monday 09:00-18:00":            `there is no day "monday" (write "mon")`,
		"周一 09:00-18:00":                `there is no day "周一" (write "mon")`,
		"星期天 09:00-18:00":               `there is no day "星期天" (write "sun")`,
		"xyzzy 09:00-18:00":             `there is no day "xyzzy" (known: mon, tue, wed, thu, fri, sat, sun, daily, closed)`,
		"09:00-18:00":                   `on which days? (like "daily 09:00-18:00")`,
		"mon":                           `at what time? (like "mon 09:00-18:00")`,
		"mon 09:00":                     `"09:00" is no time from and until (like "09:00-18:00")`,
		"mon 09：00-18:00":               `there is no time "09：00" (like "09:00", with the signs : and - of an English keyboard)`,
		"mon 09:00–18:00":               `"09:00–18:00" is no time from and until (like "09:00-18:00", with the signs : and - of an English keyboard)`,
		"mon 25:00-26:00":               `there is no time "25:00" (like "09:00")`,
		"mon 24:01-03:00":               `there is no time "24:01" (like "09:00")`,
		"mon 9-18":                      `there is no time "9" (like "09:00")`,
		"mon 24:00-03:00":               `24:00-03:00 begins when the day is over`,
		"mon 09:00-09:00":               `09:00-09:00 is no time at all (the whole day is "00:00-24:00")`,
		"mon 09:00-12:00,":              `"" is no time from and until`,
		"closed":                        `closed when? (like "closed 2026-10-01..2026-10-07")`,
		"closed 2026-02-30":             `there is no date "2026-02-30"`,
		"closed sun":                    `there is no date "sun"`,
		"closed 2026-10-07..2026-10-01": `2026-10-07..2026-10-01 ends before it begins`,
		"2026-13-01 09:00-10:00":        `there is no date "2026-13-01"`,
		"closed 2026-10-01..":           `there is no date ""`,
	} {
		var l Line
		err := l.UnmarshalText([]byte(line))
		if err == nil || !strings.Contains(err.Error(), ": "+want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func TestNeverOpen(t *testing.T) {
	if read(t, "closed 2026-10-01", "mon 09:00-10:00").NeverOpen() {
		t.Error("it is open on Mondays")
	}
	if !read(t, "closed 2026-10-01").NeverOpen() {
		t.Error("it is never open")
	}
}

// Whatever is read is open at some minute of some week, or closed on some date.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"mon-fri 09:00-18:00", "daily 20:00-02:00", "closed 2026-10-01..2026-10-07", "2026-10-10 9:00-12:00,13:00-18:00", "sat,sun-tue 00:00-24:00", "mon 24:00-00:00", "周一 9:00-10:00", "\xff"} {
		f.Add(s)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		var l Line
		if err := l.UnmarshalText([]byte(s)); err != nil {
			if (l.spans != nil || l.dates != dates{} || l.weekdays != [7]bool{}) {
				t.Errorf("%q is refused and half read", s)
			}
			return
		}
		from := start
		switch {
		case len(l.spans) == 0 && !l.dates.given():
			t.Fatalf("%q says nothing", s)
		case len(l.spans) == 0:
			return
		case l.dates.given():
			from = time.Unix(int64(l.dates.first)*24*60*60, 0).UTC()
		}
		open := false
		for at := from; at.Before(from.AddDate(0, 0, 8)); at = at.Add(time.Minute) {
			open = open || Times{l}.Open(at)
		}
		if !open {
			t.Errorf("%q is never open", s)
		}
	})
}
