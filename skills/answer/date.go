package answer

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	parted = regexp.MustCompile(`^(\d{4})(?:\s*[-/.年‐‑–—−]\s*|\s+)(\d{1,2})(?:\s*[-/.月‐‑–—−]\s*|\s+)(\d{1,2})\s*[日号]?$`)
	solid  = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})$`)
)

// near are days that people name by how far they are off.
var near = map[string]int{
	"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "yesterday": -1,
	"今天": 0, "今日": 0, "today": 0,
	"明天": 1, "明日": 1, "tomorrow": 1, "后天": 2, "大后天": 3,
}

// Date reads a day: 2006-01-02, 2006/1/2, 2006.1.2, 2006 1 2, 2006年1月2日,
// 20060102, or 今天, 明天, today, … counted from today. A day that there is not, such as the
// 30th of February, is none. The result is midnight UTC of that day; DateOnly is
// how it is kept.
func Date(s string, today time.Time) (time.Time, bool) {
	if len(s) > longest {
		return time.Time{}, false
	}
	if off, ok := near[strings.ToLower(s)]; ok {
		return today.AddDate(0, 0, off), true
	}
	m := parted.FindStringSubmatch(s)
	if m == nil {
		m = solid.FindStringSubmatch(s)
	}
	if m == nil {
		return time.Time{}, false
	}
	return day(m[1], m[2], m[3])
}

// Today is the day of a moment in its own time zone, as Date puts days.
func Today(now time.Time) time.Time {
	y, m, d := now.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// day makes a day of digits, unless there is none such.
func day(year, month, dayOf string) (time.Time, bool) {
	y, err1 := strconv.Atoi(year)
	m, err2 := strconv.Atoi(month)
	d, err3 := strconv.Atoi(dayOf)
	if err1 != nil || err2 != nil || err3 != nil || y < 1000 {
		return time.Time{}, false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Year() == y && int(t.Month()) == m && t.Day() == d
}
