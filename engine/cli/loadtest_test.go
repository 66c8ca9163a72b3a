package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine/loadtest"
)

func newLoadtestCall(args ...string) (*call, *bytes.Buffer) {
	said := new(bytes.Buffer)
	c := &call{flags: flag.NewFlagSet("loadtest", flag.ContinueOnError), given: args}
	c.Out, c.Err = said, said
	c.flags.SetOutput(said)
	return c, said
}

func TestLoadTestReadsItsFlags(t *testing.T) {
	c, said := newLoadtestCall("-scenario", "all", "-connections", "16, 64", "-rates", "1000,2.5e3",
		"-keys", "5_000_000", "-stub-fail", "5%", "-stub-throttle", "500/s")
	o := c.loadtestFlags()
	if code, ok := c.parse(0, 0); !ok {
		t.Fatalf("exit %d: %s", code, said)
	}
	if err := o.read(c.flags); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(o.Scenarios, loadtest.Scenarios()) || !slices.Equal(o.Connections, []int{16, 64}) ||
		!slices.Equal(o.Rates, []float64{1000, 2500}) || !slices.Equal(o.Keys, []int{5_000_000}) ||
		o.Manners.Fail != 0.05 || o.Manners.Throttle.PerSecond() != 500 {
		t.Errorf("reads %+v", o)
	}
	if err := o.Check(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

func TestLoadTestRefusesWhatItCannotMeasure(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"-scenario", "speed"}, `there is no scenario "speed"`},
		{[]string{"-connections", "many"}, `"many" is not a number`},
		{[]string{"-stub-fail", "5x"}, `"5x" is not a share`},
		{[]string{"-stub-throttle", "fast"}, "fast"},
		{[]string{"-rounds", "0"}, "rounds"},
		{[]string{"-profile", "moody"}, `there is no profile "moody"`},
		{[]string{"-redeliver", "pigeon"}, `there is no redelivery "pigeon"`},
		{[]string{"-lost-answers", "many"}, "not a share"},
		{[]string{"-trace", "maybe"}, `"maybe" is neither on nor off nor both`},
		{[]string{"-rate", "-1"}, "rate"},
		{[]string{"leftover"}, "usage"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			c, said := newLoadtestCall(tt.args...)
			c.flags.Usage = func() { said.WriteString("usage") }
			if code := loadtestVerb(t.Context(), c); code != exitUsage || !strings.Contains(said.String(), tt.want) {
				t.Errorf("exit %d, says %q", code, said)
			}
		})
	}
}

func TestLoadTestPlaysNoUnknownPeer(t *testing.T) {
	c, said := newLoadtestCall("-serve", "oracle", "127.0.0.1:0")
	if code := loadtestVerb(t.Context(), c); code != exitFailed || !strings.Contains(said.String(), "oracle") {
		t.Errorf("exit %d, says %q", code, said)
	}
}

func TestLoadTestReadsWhatAPlatformIsLike(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want func(o *loadtest.Options) bool
	}{
		{"nothing is the chain, in rounds", nil, func(o *loadtest.Options) bool {
			return slices.Equal(o.Scenarios, []string{"chain"}) && o.Rounds == 5 && o.Duration == 2*time.Second
		}},
		{"a duration alone is one measurement of it", []string{"-for", "30s"}, func(o *loadtest.Options) bool {
			return slices.Equal(o.Scenarios, []string{"profile"}) && o.Rounds == 1 && o.Duration == 30*time.Second && o.Rate == 500 && slices.Equal(o.Connections, []int{64})
		}},
		{"a platform and a sender", []string{"-profile", "slow, outage", "-redeliver", "wecom", "-lost-answers", "1%", "-hurry", "5", "-rate", "0", "-connections", "8"}, func(o *loadtest.Options) bool {
			return slices.Equal(o.Profiles, []string{"slow", "outage"}) && o.Retell.Name == "wecom" && o.Deaf == 0.01 && o.Hurry == 5 && o.Rate == 0 &&
				o.Duration == 10*time.Second && slices.Equal(o.Connections, []int{8})
		}},
		{"another scenario goes on as it did", []string{"-scenario", "acks", "-for", "3s"}, func(o *loadtest.Options) bool {
			return slices.Equal(o.Scenarios, []string{"acks"}) && o.Rounds == 5 && o.Duration == 3*time.Second
		}},
		{"what the trace costs", []string{"-trace", "both"}, func(o *loadtest.Options) bool {
			return slices.Equal(o.Scenarios, []string{"chain"}) && o.Trace == loadtest.TraceBoth
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, said := newLoadtestCall(tt.args...)
			o := c.loadtestFlags()
			if code, ok := c.parse(0, 0); !ok {
				t.Fatalf("exit %d: %s", code, said)
			}
			if err := errors.Join(o.read(c.flags), o.Check()); err != nil || !tt.want(o.Options) {
				t.Errorf("%v: reads %+v", err, o)
			}
		})
	}
}

func TestLoadTestHelpNamesProfilesAndRedeliveries(t *testing.T) {
	c, said := newLoadtestCall("-help")
	if code := loadtestVerb(t.Context(), c); code != exitOK {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"outage", "wecom", "-for", "-rate", "-connections", "-conversations", "-report", "Exit 1"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the help lacks %q", want)
		}
	}
}

func TestLoadTestLeavesAReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	if err := writeReport(file, &loadtest.Report{Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	var r loadtest.Report
	if b, err := os.ReadFile(file); err != nil || json.Unmarshal(b, &r) != nil || r.Version != "v1" {
		t.Errorf("%v: it holds %s", err, b)
	}
	if writeReport(t.TempDir(), &r) == nil {
		t.Error("a folder is written over")
	}
}
