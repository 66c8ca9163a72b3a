package hours

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine/nearest"
)

// UnmarshalText reads a line:
//
//	mon-fri 09:00-18:00                 days of the week; also "sat,sun" and "daily"
//	fri 20:00-02:00                     past midnight
//	mon-fri 09:00-12:00,13:30-18:00     several times on the same days
//	closed 2026-10-01..2026-10-07       dates on which it is not open at all
//	2026-10-10 09:00-18:00              a date with hours of its own
//
// Its error says which part is wrong and what to write.
func (l *Line) UnmarshalText(b []byte) error {
	text := string(b)
	parsed, err := parse(text)
	if err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	*l = parsed
	return nil
}

const closed = "closed"

func parse(text string) (Line, error) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return Line{}, errors.New(`nothing is said (like "mon-fri 09:00-18:00")`)
	}
	days, rest := words[0], strings.Join(words[1:], "")
	if days == closed {
		if rest == "" {
			return Line{}, errors.New(`closed when? (like "closed 2026-10-01..2026-10-07")`)
		}
		d, err := parseDates(rest)
		return Line{dates: d}, err
	}
	if rest == "" {
		if _, err := parseSpan(days); err == nil {
			return Line{}, fmt.Errorf(`on which days? (like "daily %s")`, days)
		}
		return Line{}, fmt.Errorf(`at what time? (like "%s 09:00-18:00")`, days)
	}
	var l Line
	var err error
	if '0' <= days[0] && days[0] <= '9' {
		l.dates, err = parseDates(days)
	} else {
		l.weekdays, err = parseDays(days)
	}
	if err != nil {
		return Line{}, err
	}
	for part := range strings.SplitSeq(rest, ",") {
		s, err := parseSpan(part)
		if err != nil {
			return Line{}, err
		}
		l.spans = append(l.spans, s)
	}
	return l, nil
}

// parseDates reads a date, or the first and the last of several.
func parseDates(s string) (d dates, err error) {
	first, last, several := strings.Cut(s, "..")
	if d.first, err = parseDate(first); err != nil {
		return dates{}, err
	}
	if d.last = d.first; several {
		if d.last, err = parseDate(last); err != nil {
			return dates{}, err
		}
	}
	if d.last < d.first {
		return dates{}, fmt.Errorf("%s ends before it begins", s)
	}
	return d, nil
}

func parseDate(s string) (day, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1971 {
		return 0, fmt.Errorf(`there is no date %q (like "2026-10-01", several as "2026-10-01..2026-10-07")`, s)
	}
	return dayOf(t.Date()), nil
}

// names are the days in the order of time.Weekday.
var names = [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

const daily = "daily"

func parseDays(s string) (days [7]bool, err error) {
	for part := range strings.SplitSeq(s, ",") {
		if part == daily {
			return [7]bool{true, true, true, true, true, true, true}, nil
		}
		from, to, several := strings.Cut(part, "-")
		first, err := parseDay(from)
		if err != nil {
			return days, err
		}
		last := first
		if several {
			if last, err = parseDay(to); err != nil {
				return days, err
			}
		}
		for d := first; ; d = (d + 1) % 7 {
			days[d] = true
			if d == last {
				break
			}
		}
	}
	return days, nil
}

func parseDay(s string) (int, error) {
	if d := slices.Index(names[:], s); d >= 0 {
		return d, nil
	}
	if d := slices.IndexFunc(names[:], func(name string) bool { return len(s) > len(name) && strings.HasPrefix(s, name) }); d >= 0 {
		return 0, fmt.Errorf("there is no day %q (write %q)", s, names[d])
	}
	if d := chinese(s); d >= 0 {
		return 0, fmt.Errorf("there is no day %q (write %q)", s, names[d])
	}
	return 0, fmt.Errorf("there is no day %q%s", s, nearest.Hint(s, append(names[1:7:7], names[0], daily, closed)))
}

// chinese is the day that 周一 or 星期一 is, -1 for none. A range in one word
// (周一至周五) is its first.
func chinese(s string) int {
	for _, week := range []string{"星期", "礼拜", "周"} {
		if rest, ok := strings.CutPrefix(s, week); ok {
			for i, names := range []string{"日天末", "一", "二", "三", "四", "五", "六"} {
				for _, name := range names {
					if strings.HasPrefix(rest, string(name)) {
						return i
					}
				}
			}
		}
	}
	return -1
}

func parseSpan(s string) (span, error) {
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		return span{}, fmt.Errorf(`%q is no time from and until (like "09:00-18:00"%s)`, s, foreign(s))
	}
	begin, err := parseMinute(from)
	if err != nil {
		return span{}, err
	}
	end, err := parseMinute(to)
	switch {
	case err != nil:
		return span{}, err
	case begin == end:
		return span{}, fmt.Errorf(`%s is no time at all (the whole day is "00:00-24:00")`, s)
	case begin == dayLong:
		return span{}, fmt.Errorf(`%s begins when the day is over (write "00:00" and the next day)`, s)
	}
	return span{begin, end}, nil
}

// dayLong is 24:00.
const dayLong = minute(24 * 60)

func parseMinute(s string) (minute, error) {
	hour, min, ok := strings.Cut(s, ":")
	h, err1 := strconv.ParseUint(hour, 10, 8)
	m, err2 := strconv.ParseUint(min, 10, 8)
	at := minute(h*60 + m)
	if !ok || err1 != nil || err2 != nil || len(hour) > 2 || len(min) != 2 || m > 59 || at > dayLong {
		return 0, fmt.Errorf(`there is no time %q (like "09:00"%s)`, s, foreign(s))
	}
	return at, nil
}

// foreign is what to say of signs that only look like those that are read.
func foreign(s string) string {
	if strings.ContainsAny(s, "：–—～－~至到点") {
		return ", with the signs : and - of an English keyboard"
	}
	return ""
}
