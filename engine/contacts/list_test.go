package contacts

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAListOfContacts(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"ids alone":          {"a\nb\n", "a[] b[]"},
		"labels":             {"a\tvip, 老客户，x,,\n", "a[vip 老客户 x]"},
		"blanks, comments":   {"\ufeff# mine\r\n\r\n a \t vip \r\n", "a[vip]"},
		"an id with a space": {"a b\tc d", "a b[c d]"},
		"no id":              {"a\nb\n" + strings.Repeat("x", MaxID+1), "a[] b[] line 3: want an id of 1 to 256 bytes"},
		"no label":           {"a\tb\tc", `line 1: "b\tc" is no label: want 1 to 128 bytes without control characters`},
		"another encoding":   {"\xd6\xd0", "line 1 is not UTF-8"},
		"nothing":            {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for ch, err := range ReadList(strings.NewReader(tt.text)) {
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				got = append(got, fmt.Sprintf("%s%v", ch.ID, ch.Add))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("%s, want %s", s, tt.want)
			}
		})
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte("a\tvip,老客户\n#\n b\n"))
	f.Add([]byte("\ufeff\t\n\x00\t,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for ch, err := range ReadList(bytes.NewReader(data)) {
			if err != nil {
				continue
			}
			if !ValidID(ch.ID) || !utf8.ValidString(ch.ID) || strings.ContainsAny(ch.ID, "\n\t") || !ch.Present {
				t.Errorf("%+v", ch)
			}
			for _, label := range ch.Add {
				if !ValidLabel(label) {
					t.Errorf("label %q", label)
				}
			}
		}
	})
}

func FuzzReadRecord(f *testing.F) {
	for _, value := range []string{"1 p 20260301 20260801 - 张三", "1 g - - 1785585600 ", "1 p - -", "2 p - - - x", "1 p 20261301 - - x", "1 p - - -1 x"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		c, ok := readRecord("u", value)
		if !ok {
			return
		}
		if again := c.record(); again != value {
			t.Errorf("%q becomes %q", value, again)
		}
	})
}

func TestARecordReadsAsItWasWritten(t *testing.T) {
	for _, c := range []Contact{
		{ID: "u"}, {ID: "u", Group: true, Name: "a  b 1"}, {ID: "u", Since: dayOf(start, start.Location()), Active: dayOf(start, start.Location()), Gone: start},
	} {
		if got, ok := readRecord("u", c.record()); !ok || fmt.Sprint(got) != fmt.Sprint(c) {
			t.Errorf("%q reads as %+v, %v", c.record(), got, ok)
		}
	}
}
