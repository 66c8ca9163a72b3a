package cli

import (
	"bytes"
	"flag"
	"slices"
	"strings"
	"testing"

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
	o, read := c.loadtestFlags()
	if code, ok := c.parse(0, 0); !ok {
		t.Fatalf("exit %d: %s", code, said)
	}
	if err := read(); err != nil {
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
