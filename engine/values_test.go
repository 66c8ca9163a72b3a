package engine

import (
	"encoding"
	"strings"
	"testing"
	"time"
)

func TestValuesReadWhatOperatorsWrite(t *testing.T) {
	tests := []struct {
		into encoding.TextUnmarshaler
		text string
		want string
	}{
		{new(Duration), "1.5s", "1.5s"},
		{new(Duration), " 10m ", "10m0s"},
		{new(Duration), "400d", "9600h0m0s"},
		{new(Duration), "0.5d", "12h0m0s"},
		{new(Duration), "0", "0s"},
		{new(Range), "1.5s..4.5s", "1.5s..4.5s"},
		{new(Range), "2s", "2s"},
		{new(Range), "1s .. 2s", "1s..2s"},
		{new(Rate), "20/m", "20/m"},
		{new(Rate), "0.5/s", "0.5/s"},
		{new(Rate), "3 / d", "3/d"},
		{new(Size), "1MiB", "1MiB"},
		{new(Size), "1.5KiB", "1536"},
		{new(Size), "2GB", "1953125KiB"},
		{new(Size), "512", "512"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if err := tt.into.UnmarshalText([]byte(tt.text)); err != nil {
				t.Fatal(err)
			}
			if got := tt.into.(interface{ String() string }).String(); got != tt.want {
				t.Errorf("%q reads as %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestValuesSayWhatWasProbablyMeant(t *testing.T) {
	tests := []struct {
		into       encoding.TextUnmarshaler
		text, want string
	}{
		{new(Duration), "5分钟", `"5分钟" is not a duration (write "5m")`},
		{new(Duration), "1.5 小时", `"1.5 小时" is not a duration (write "1.5h")`},
		{new(Duration), "30秒", `"30秒" is not a duration (write "30s")`},
		{new(Duration), "7天", `"7天" is not a duration (write "7d")`},
		{new(Duration), "5", `"5" is not a duration (write "5m" for minutes, "5s" for seconds)`},
		{new(Duration), "很久", `"很久" is not a duration (like "1.5s", "10m", "72h", "30d")`},
		{new(Range), "1s～2s", `"1s～2s" is not a duration or a range (write "1s..2s")`},
		{new(Range), "1s ~ 2s", `"1s ~ 2s" is not a duration or a range (write "1s..2s")`},
		{new(Range), "1s-2s", `"1s-2s" is not a duration or a range (write "1s..2s")`},
		{new(Range), "5秒", `"5秒" is not a duration or a range (write "5s")`},
		{new(Range), "1..2", `"1..2" is not a duration or a range (like "2s" or "1.5s..4.5s")`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if err := tt.into.UnmarshalText([]byte(tt.text)); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestValuesRefuseWhatCannotBeMeant(t *testing.T) {
	tests := []struct {
		into encoding.TextUnmarshaler
		text string
	}{
		{new(Duration), "soon"}, {new(Duration), "-1s"}, {new(Duration), "10"}, {new(Duration), ""}, {new(Duration), "NaNd"}, {new(Duration), "1e9d"},
		{new(Range), "2s..1s"}, {new(Range), "1s.."}, {new(Range), "..2s"}, {new(Range), "a..b"},
		{new(Rate), "20"}, {new(Rate), "0/s"}, {new(Rate), "-1/s"}, {new(Rate), "20/y"}, {new(Rate), "NaN/s"}, {new(Rate), "Inf/s"}, {new(Rate), "/s"},
		{new(Size), "1XB"}, {new(Size), "-1"}, {new(Size), ""}, {new(Size), "1e30GB"}, {new(Size), "NaN"},
	}
	for _, tt := range tests {
		if err := tt.into.UnmarshalText([]byte(tt.text)); err == nil {
			t.Errorf("%T takes %q", tt.into, tt.text)
		}
	}
}

func TestValuesBeyondTheirBoundsAreRefusedWithThem(t *testing.T) {
	const ofRates = " is not a rate from 0.001/d to 1000000/s"
	tests := []struct {
		into       encoding.TextUnmarshaler
		text, want string // "": it is taken
	}{
		{new(Rate), "1000000/s", ""}, {new(Rate), "0.001/d", ""}, {new(Rate), "60000000/m", ""},
		{new(Rate), "1e300/s", ofRates}, {new(Rate), "1000001/s", ofRates}, {new(Rate), "1e11/d", ofRates}, {new(Rate), "1e999/s", ofRates},
		{new(Rate), "1e-300/s", ofRates}, {new(Rate), "0.0009/d", ofRates}, {new(Rate), "5e-324/d", ofRates},
		{new(Duration), "36500d", ""}, {new(Duration), "876000h", ""}, {new(Duration), "1ns", ""}, {new(Duration), "0.0d", ""},
		{new(Duration), "36501d", " is too long a duration, at most 36500d"}, {new(Duration), "1e999d", " is too long a duration, at most 36500d"},
		{new(Duration), "2562047h", " is too long a duration, at most 36500d"},
		{new(Duration), "0.1ns", ` is too short a duration, at least 1ns, or "0s" for none`},
		{new(Duration), "1e-300d", ` is too short a duration, at least 1ns, or "0s" for none`},
		{new(Range), "1s..2000000h", " is too long a duration, at most 36500d"},
		{new(Size), "1024TiB", ""}, {new(Size), "0", ""},
		{new(Size), "1025TiB", " is too large a size, at most 1024TiB"}, {new(Size), "1e300", " is too large a size, at most 1024TiB"},
		{new(Size), "1e999KiB", " is too large a size, at most 1024TiB"}, {new(Size), "0.1B", " is less than a byte"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			err := tt.into.UnmarshalText([]byte(tt.text))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
				t.Errorf("got %v, want …%s", err, tt.want)
			}
		})
	}
}

func FuzzValues(f *testing.F) {
	for _, s := range []string{"1.5s", "1s..2s", "20/m", "1MiB", "..", "/", "d", "9999999999d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var d Duration
		if d.UnmarshalText([]byte(s)) == nil && d < 0 {
			t.Errorf("duration %q is negative", s)
		}
		var r Range
		if r.UnmarshalText([]byte(s)) == nil && (r.Min < 0 || r.Max < r.Min || r.At(0.999) > r.Max) {
			t.Errorf("range %q is %v", s, r)
		}
		var a Rate
		if a.UnmarshalText([]byte(s)) == nil && !(a.PerSecond() > 0) {
			t.Errorf("rate %q is %v", s, a)
		}
		var z Size
		if z.UnmarshalText([]byte(s)) == nil && z < 0 {
			t.Errorf("size %q is negative", s)
		}
	})
}

func TestRateWithoutLimitIsZero(t *testing.T) {
	if got := (Rate{}).PerSecond(); got != 0 {
		t.Errorf("no limit is %v per second", got)
	}
	if got := (Rate{N: 30, Per: time.Minute}).PerSecond(); got != 0.5 {
		t.Errorf("30/m is %v per second", got)
	}
}
