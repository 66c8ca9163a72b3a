// Package loadtest measures the engine the way its operators meet it: the real
// binary as a child process, real sockets, a real store on a real disk, with
// the load and the platform on the same machine. What can be expected of that
// machine is measured in the same run, in turns: H, the barest HTTP handler, L and
// C, a plain log and a plain chain in a bbolt file, and F, one sync of the disk.
// Figures are given as ratios to these, as medians of several rounds, since absolute
// ones move with the machine and its neighbours.
//
// It counts as well as it times: every event that was acknowledged must reach
// the platform, once, in order. A run in which that fails is an error, whatever
// the speed.
//
// Time is the wall's and the disk's here; there is no clock to be injected into
// what is measured.
package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"bot/store"
)

// Options says what is measured and with how much patience.
type Options struct {
	// Program is the path of this binary; it is started again as the server
	// under test and as the handler it is compared with.
	Program   string
	Version   string
	Scenarios []string // of Scenarios
	Rounds    int      // each measures everything once, in turns
	Duration  time.Duration
	Warmup    time.Duration // before each measurement, not counted
	// Connections are those of closed loops, where each connection sends again
	// when it is answered. The scenarios that need one number take Middle.
	Connections   []int
	Rates         []float64 // callbacks per second, of open loops
	Keys          []int     // ids in the dedup window, in `keys`
	Backlog       int       // events that wait, in `recover` and `memory`
	Long          int       // events of `long`
	Bulk          int       // commands of `bulk`
	Conversations int
	Callers       int     // of `channels`, each with one conversation
	Events        int     // of one measurement at most
	Manners       Manners // of the platform; for `profile`, what goes before the profile's own
	// Of profile: what the platform is like, the rate of callbacks (0: as fast as
	// they are answered), how they are told again, by how much the waits before that
	// are shortened (0 is 1), and the share of answers that never reach the sender.
	Profiles []string
	Rate     float64
	Retell   Redelivery
	Hurry    float64
	Deaf     float64
	// Trace tells whether the engine traces, or, TraceBoth, is measured both ways by
	// chain and profile.
	Trace Trace
	// Dir is where the stores lie, in a folder of their own that is removed
	// again; "" is the system's folder for temporary files.
	Dir string
	// OpenStore opens a store file as the engine would, to fill it beforehand.
	OpenStore func(ctx context.Context, path string) (store.Store, error)
	Progress  io.Writer // one line for each measurement
	Live      bool      // Progress is a terminal: a line there may be written anew
	Now       func() time.Time
}

// Trace is whether the engine under test traces.
type Trace string

// The empty one is as an engine is by default, on.
const (
	TraceOn   Trace = "on"
	TraceOff  Trace = "off"
	TraceBoth Trace = "both"
)

// Middle is the number of connections of scenarios that vary something else.
const Middle = 64

// senders is the number of connections of open loops.
const senders = 32

// Scenarios are the names of what can be measured, in the order of the report.
func Scenarios() []string {
	var names []string
	for _, s := range scenarios() {
		names = append(names, s.name)
	}
	return names
}

// Check tells what is wrong with the options before anything starts.
func (o *Options) Check() error {
	var errs []error
	for _, s := range o.Scenarios {
		if !slices.Contains(Scenarios(), s) {
			errs = append(errs, fmt.Errorf("there is no scenario %q (there are: %s)", s, strings.Join(Scenarios(), ", ")))
		}
	}
	between := func(what string, n, lo, hi float64) {
		if !(n >= lo && n <= hi) {
			errs = append(errs, fmt.Errorf("%s: %v is not between %v and %v", what, n, lo, hi))
		}
	}
	between("rounds", float64(o.Rounds), 1, 100)
	between("duration in seconds", o.Duration.Seconds(), 0.1, 600)
	between("conversations", float64(o.Conversations), 1, 10_000_000)
	between("events", float64(o.Events), 1, 20_000_000)
	between("backlog", float64(o.Backlog), 1, 5_000_000)
	between("long", float64(o.Long), 100, 20_000_000)
	if slices.Contains(o.Scenarios, bulk.name) {
		between("bulk", float64(o.Bulk), 1, 5_000_000)
		if len(o.Rates) == 0 {
			errs = append(errs, errors.New("rates: at least one number"))
		}
	}
	if len(o.Keys) == 0 && (slices.Contains(o.Scenarios, keys.name) || slices.Contains(o.Scenarios, memory.name)) {
		errs = append(errs, errors.New("keys: at least one number"))
	}
	if slices.Contains(o.Scenarios, channels.name) {
		between("callers", float64(o.Callers), 1, maxCallers)
	}
	if slices.Contains(o.Scenarios, profiles.name) {
		if len(o.Profiles) == 0 {
			errs = append(errs, errors.New("profile: at least one name"))
		}
		for _, name := range o.Profiles {
			if _, err := profileNamed(name); err != nil {
				errs = append(errs, err)
			}
		}
		if o.Rate != 0 {
			between("rate per second", o.Rate, 1, 200_000)
		}
		between("hurry", max(o.Hurry, 1), 1, 10_000)
		between("share of lost answers", o.Deaf, 0, 0.9)
	}
	if !slices.Contains([]Trace{"", TraceOn, TraceOff, TraceBoth}, o.Trace) {
		errs = append(errs, fmt.Errorf("trace: %q is neither on nor off nor both", o.Trace))
	}
	between("share of failures", o.Manners.Fail, 0, 0.9)
	between("share of hung up requests", o.Manners.HangUp, 0, 0.9)
	for _, n := range o.Connections {
		between("connections", float64(n), 1, 4096)
	}
	for _, r := range o.Rates {
		between("rate per second", r, 1, 200_000)
	}
	for _, k := range o.Keys {
		between("keys", float64(k), 0, 20_000_000)
	}
	return errors.Join(errs...)
}

// Run measures. Everything it starts has ended when it returns, and its files
// are removed. An interrupted run has no report.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, "bot-loadtest-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the stores: %w", err)
	}
	b := &bench{Options: o, dir: dir, progress: newProgress(o.Progress, o.Live)}
	defer b.close()
	r := &Report{
		Version: o.Version, Time: o.Now(), Machine: machine(runtime.NumCPU(), runtime.Version(), dir),
		Rounds: o.Rounds, Seconds: o.Duration.Seconds(),
	}
	for _, s := range scenarios() {
		if !slices.Contains(o.Scenarios, s.name) {
			continue
		}
		result, err := b.scenario(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.name, err)
		}
		r.Scenarios = append(r.Scenarios, result)
	}
	r.Promises = r.promises()
	return r, nil
}
