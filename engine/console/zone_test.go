package console

import (
	"strings"
	"testing"
	"time"
)

func TestTimesAreInTheZoneOfTheConfiguration(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	v, b := view{now: now, zone: shanghai}, view{now: now, zone: berlin}
	for _, c := range []struct{ got, want string }{
		{v.Time(now), "2026-12-01 17:00:00"}, {b.Time(now.In(shanghai)), "2026-12-01 10:00:00"}, {v.Time(time.Time{}), "–"},
		{v.Clock(now), "17:00:00"}, {b.Clock(now), "10:00:00"},
		{v.Clock(now.Add(7 * time.Hour)), "12-02 00:00"}, {b.Clock(now.Add(7 * time.Hour)), "17:00:00"},
		{v.Zone(), "Asia/Shanghai (UTC+08:00)"}, {b.Zone(), "Europe/Berlin (UTC+01:00)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestEveryPageNamesItsZone(t *testing.T) {
	r := newRig(t)
	r.login()
	for _, s := range sections {
		if page := r.page(s.Path); strings.Count(page, "Times are in Asia/Shanghai (UTC&#43;08:00)") != 1 {
			t.Errorf("%s does not name its zone once", s.Path)
		}
	}
	if page := r.page("/config"); !strings.Contains(page, "applied 2026-12-01 16:00:00 (1 h ago)") {
		t.Errorf("it was applied at 16:00 in Shanghai: %s", page)
	}
}
