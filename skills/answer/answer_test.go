package answer

import (
	"strings"
	"testing"
	"time"
)

// monday is a day to count from.
var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

type reading struct{ name, in, want string } // want "": no such answer

func try(t *testing.T, read func(string) (string, bool), readings []reading) {
	t.Helper()
	for _, tt := range readings {
		t.Run(tt.name, func(t *testing.T) {
			t.Helper()
			if got, ok := read(tt.in); got != tt.want || ok != (tt.want != "") {
				t.Errorf("%q reads as %q, %v; want %q", tt.in, got, ok, tt.want)
			}
		})
	}
}

func TestMobile(t *testing.T) {
	try(t, Mobile, []reading{
		{"as it is kept", "13800000000", "13800000000"},
		{"in groups", "138 0000-0000", "13800000000"},
		{"with its country code", "+86 138 0000 0000", "13800000000"},
		{"with the code in brackets", "(+86)13800000000", "13800000000"},
		{"with the code dialled", "0086-13800000000", "13800000000"},
		{"copied, with direction marks inside", "138\u202a00000000", "13800000000"},
		{"a digit short", "1380000000", ""},
		{"a digit more", "138000000000", ""},
		{"no such beginning", "12800000000", ""},
		{"a land line", "010-12345678", ""},
		{"another country", "+85291234567", ""},
		{"words around it", "我的号码13800000000", ""},
		{"nothing", "", ""},
	})
}

func TestEmail(t *testing.T) {
	try(t, Email, []reading{
		{"as it is kept", "li.lei@example.com", "li.lei@example.com"},
		{"the domain in capitals", "Li@EXAMPLE.Com", "Li@example.com"},
		{"a tag and a deep domain", "li+bot@mail.example.com.cn", "li+bot@mail.example.com.cn"},
		{"no domain", "li@", ""},
		{"a domain without a dot", "li@localhost", ""},
		{"two signs", "a@b@example.com", ""},
		{"dots side by side", "li..lei@example.com", ""},
		{"a dot at the end", "li@example.com.", ""},
		{"a space inside", "li lei@example.com", ""},
		{"a name around it", "Li <li@example.com>", ""},
		{"too long a mailbox", strings.Repeat("a", 65) + "@example.com", ""},
		{"too long a whole", "a@" + strings.Repeat("b.", 130) + "com", ""},
	})
}

func TestIDCard(t *testing.T) {
	read := func(s string) (string, bool) { return IDCard(s, monday) }
	try(t, read, []reading{
		{"with X for its check digit", "11010519491231002X", "11010519491231002X"},
		{"with a small x", "11010519491231002x", "11010519491231002X"},
		{"in groups", "110105 19491231 002X", "11010519491231002X"},
		{"with a digit", withCheck("44030819990110001"), withCheck("44030819990110001")},
		{"two digits the other way round", "11010519491213002X", ""},
		{"a wrong check digit", "110105194912310021", ""},
		{"a day that there is not", withCheck("11010519490230002"), ""},
		{"born before anybody alive", withCheck("44052418800101001"), ""},
		{"born tomorrow", withCheck("11010520260303002"), ""},
		{"born today", withCheck("11010520260302002"), withCheck("11010520260302002")},
		{"a card of 15 digits", "110105491231002", ""},
		{"a letter inside", "1101O519491231002X", ""},
		{"X in the middle", "110105X9491231002X", ""},
		{"a region that there is not", withCheck("01010519491231002"), ""},
		{"Chinese digits", "一一010519491231002X", ""},
	})
	if _, ok := IDCard(withCheck("11010520990101002"), time.Time{}); !ok {
		t.Error("without a today nothing is in the future")
	}
}

// withCheck appends the check digit, worked out in the standard's other way.
func withCheck(s string) string {
	sum := 0
	for i, c := range s {
		w := 1
		for range 17 - i {
			w = w * 2 % 11
		}
		sum += w * int(c-'0')
	}
	check := (12 - sum%11) % 11
	if check == 10 {
		return s + "X"
	}
	return s + string(rune('0'+check))
}

func TestDate(t *testing.T) {
	read := func(s string) (string, bool) {
		d, ok := Date(s, monday)
		if !ok {
			return "", false
		}
		return d.Format(time.DateOnly), true
	}
	try(t, read, []reading{
		{"as it is kept", "2026-03-02", "2026-03-02"},
		{"without its zeros", "2026-3-2", "2026-03-02"},
		{"with slashes", "2026/3/2", "2026-03-02"},
		{"with dots", "2026.3.2", "2026-03-02"},
		{"with spaces", "2026 3 2", "2026-03-02"},
		{"in Chinese", "2026年3月2日", "2026-03-02"},
		{"in Chinese, as it is spoken", "2026年3月2号", "2026-03-02"},
		{"in Chinese, with spaces", "2026 年 3 月 2 日", "2026-03-02"},
		{"in one piece", "20260302", "2026-03-02"},
		{"today", "今天", "2026-03-02"},
		{"tomorrow", "Tomorrow", "2026-03-03"},
		{"the day after", "后天", "2026-03-04"},
		{"over the end of a month", "前天", "2026-02-28"},
		{"a leap day", "2024-02-29", "2024-02-29"},
		{"a leap day in another year", "2026-02-29", ""},
		{"a 31st that there is not", "2026-04-31", ""},
		{"month 13", "2026-13-01", ""},
		{"day 0", "2026-01-00", ""},
		{"the day first", "02-03-2026", ""},
		{"a year of two digits", "26-03-02", ""},
		{"no year", "3月2日", ""},
		{"a year before there were phones", "0026-03-02", ""},
		{"a time behind it", "2026-03-02 10:00", ""},
		{"nothing", "", ""},
	})
}

func TestTodayIsThatOfTheTimeZone(t *testing.T) {
	late := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	if got := Today(late.In(time.FixedZone("CST", 8*3600))); !got.Equal(monday) {
		t.Errorf("today is %s", got)
	}
}

func TestNumber(t *testing.T) {
	try(t, Number, []reading{
		{"a whole one", "12", "12"},
		{"a fraction", "12.5", "12.5"},
		{"zeros that say nothing", "007.50", "7.5"},
		{"a fraction of nothing", "3.00", "3"},
		{"thousands", "1,234,567.8", "1234567.8"},
		{"commas that are no thousands", "1,23", ""},
		{"below zero", "-0.5", "-0.5"},
		{"a long minus", "−3", "-3"},
		{"plus", "+3", "3"},
		{"no sign for nothing", "-0.0", "0"},
		{"thousands with spaces", "1 000", "1000"},
		{"two numbers", "1 2", ""},
		{"more than a float holds", "9007199254740993", "9007199254740993"},
		{"a unit", "3个", ""},
		{"an exponent", "1e3", ""},
		{"hexadecimal", "0x10", ""},
		{"no digit before the point", ".5", ""},
		{"two points", "1.2.3", ""},
		{"more digits than anybody types", strings.Repeat("9", 41), ""},
		{"nothing", "", ""},
	})
}

func FuzzReaders(f *testing.F) {
	for _, s := range []string{"13800000000", "+86 138-0000-0000", "11010519491231002X", "2026年3月2号", "20260230", "明天", "1,234.50", "-0", "a@b.cn", "\xff", "−1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		date := func(s string) (string, bool) {
			d, ok := Date(s, monday)
			return d.Format(time.DateOnly), ok
		}
		card := func(s string) (string, bool) { return IDCard(s, monday) }
		for name, read := range map[string]func(string) (string, bool){
			"mobile": Mobile, "email": Email, "number": Number, "date": date, "card": card,
		} {
			kept, ok := read(s)
			if !ok {
				continue
			}
			if again, ok := read(kept); !ok || again != kept {
				t.Errorf("%s: %q is kept as %q, which reads as %q, %v", name, s, kept, again, ok)
			}
		}
	})
}
