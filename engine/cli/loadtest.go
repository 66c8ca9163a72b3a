package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine/app"
	"bot/engine/loadtest"
	"bot/engine/stub"
	"bot/store"
)

// loadtestVerb measures this binary on this machine. It exits with 1 when the
// engine lost, doubled or reordered anything.
func loadtestVerb(ctx context.Context, c *call) int {
	// The load test starts this binary again as the servers it compares with.
	if len(c.given) > 0 && c.given[0] == "-serve" {
		if err := loadtest.Serve(ctx, c.given[1:]); err != nil {
			c.say(err)
			return exitFailed
		}
		return exitOK
	}
	o := c.loadtestFlags()
	floorFile := c.flags.String("floors", "", "a TOML `file` of figures that must be held; exit 1 when one is not")
	reportFile := c.flags.String("report", "", "a `file` for the report as JSON, besides what is printed")
	c.flags.Usage = c.loadtestUsage
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	err := o.read(c.flags)
	if err == nil {
		err = o.Check()
	}
	if err == nil {
		o.Program, err = os.Executable()
	}
	if err != nil {
		c.say(err)
		return exitUsage
	}
	var floors []loadtest.Floor
	if *floorFile != "" {
		if floors, err = loadtest.ReadFloors(*floorFile); err != nil {
			c.say(err)
			return exitUsage
		}
	}
	report, err := loadtest.Run(ctx, *o.Options)
	if err != nil {
		c.say(fmt.Errorf("load test: %w", err))
		return exitFailed
	}
	if err := c.tellReport(report, *reportFile); err != nil {
		c.say(err)
		return exitFailed
	}
	if !report.Sound() {
		fmt.Fprintln(c.Err, "the engine lost, doubled or reordered events; the report says where")
		return exitFailed
	}
	return c.judge(report, floors)
}

// tellReport prints a report, and leaves it in a file where one is named.
func (c *call) tellReport(report *loadtest.Report, file string) (err error) {
	if c.json {
		err = json.NewEncoder(c.Out).Encode(report)
	} else {
		err = report.Print(c.Out, terminal(c.Out))
	}
	switch {
	case err != nil:
		return fmt.Errorf("write report: %w", err)
	case file != "":
		return writeReport(file, report)
	}
	return nil
}

// judge sets the report against the floors, if there are any.
func (c *call) judge(report *loadtest.Report, floors []loadtest.Floor) int {
	if len(floors) == 0 {
		return exitOK
	}
	out := c.Out
	if c.json {
		out = c.Err // the report stands alone
	}
	held, err := loadtest.PrintVerdicts(out, report.Judge(floors))
	if err != nil {
		c.say(fmt.Errorf("write verdicts: %w", err))
		return exitFailed
	}
	if !held {
		fmt.Fprintln(c.Err, "a figure is not held; the table says which")
		return exitFailed
	}
	return exitOK
}

// loadtestFlags are the options, and those among them that are still texts.
type loadtestFlags struct {
	*loadtest.Options
	scenarios, profiles, redeliver, lost, connections, rates, keys, hangUp, fail, throttle string
}

// loadtestFlags declares the options.
func (c *call) loadtestFlags() *loadtestFlags {
	o := &loadtestFlags{Options: &loadtest.Options{
		Version: c.Version, OpenStore: c.openToFill, Progress: c.Err, Live: terminal(c.Err), Now: c.Now,
	}}
	f := c.flags
	f.StringVar(&o.scenarios, "scenario", "chain", "what to measure, a `list`: "+strings.Join(loadtest.Scenarios(), ", ")+"; or all")
	f.IntVar(&o.Rounds, "rounds", 5, "how `often` everything is measured, in turns")
	f.DurationVar(&o.Duration, "duration", 2*time.Second, "of each measurement")
	f.DurationVar(&o.Duration, "for", 10*time.Second, "of profile, how long callbacks come; else the same as -duration")
	f.StringVar(&o.profiles, "profile", "calm", "of profile, what the platform is like, a `list` (below)")
	f.Float64Var(&o.Rate, "rate", 500, "of profile, callbacks per `second`; 0 = as fast as they are answered")
	f.StringVar(&o.redeliver, "redeliver", "none", "of profile, `how` callbacks that are not answered in time are told again (below)")
	f.StringVar(&o.lost, "lost-answers", "0", "of profile, the `share` of the engine's answers that never reach the sender, like 1%")
	f.Float64Var(&o.Hurry, "hurry", 1, "of profile, by how `much` the sender's waits before it tells again are shortened, like 60")
	f.StringVar((*string)(&o.Trace), "trace", string(loadtest.TraceOn), "whether the engine traces: on, off, or both to compare (chain, profile)")
	f.DurationVar(&o.Warmup, "warmup", 500*time.Millisecond, "before each measurement")
	f.StringVar(&o.connections, "connections", "16,64,256", "of acks, a `list`; profile takes the first, 64 by default")
	f.StringVar(&o.rates, "rates", "1000,2500,5000", "of latency (bulk takes the first), callbacks per second, a `list`")
	f.StringVar(&o.keys, "keys", "10000,1000000", "ids in the dedup window, of keys, a `list`")
	f.IntVar(&o.Backlog, "backlog", 200_000, "events that wait, of recover and memory")
	f.IntVar(&o.Bulk, "bulk", 100_000, "commands that are sent meanwhile, of bulk")
	f.IntVar(&o.Long, "long", 1_000_000, "events of long")
	f.IntVar(&o.Conversations, "conversations", 10_000, "how many people write in turn, the n-th message always by the same one")
	f.IntVar(&o.Callers, "callers", 16, "how many write at once, of channels")
	f.IntVar(&o.Events, "events", 2_000_000, "at most, in one measurement")
	f.StringVar(&o.Dir, "dir", "", "where the stores lie; default the system's `folder` for temporary files")
	f.DurationVar(&o.Manners.Delay, "stub-delay", 0, "before each of the platform's answers")
	f.StringVar(&o.hangUp, "stub-hang-up", "0", "`share` of replies that the platform carries out and hangs up on, like 1%")
	f.StringVar(&o.fail, "stub-fail", "0", "`share` of replies that the platform answers 500, like 5%")
	f.StringVar(&o.throttle, "stub-throttle", "", "`rate` beyond which the platform answers 429, like 500/s")
	return o
}

// read turns what was typed into values, after the flags were parsed.
func (o *loadtestFlags) read(typed *flag.FlagSet) error {
	o.choose(typed)
	o.Profiles = list(o.profiles)
	var errs [8]error
	o.Connections, errs[0] = numbers(o.connections, strconv.Atoi)
	o.Rates, errs[1] = numbers(o.rates, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	o.Keys, errs[2] = numbers(o.keys, strconv.Atoi)
	o.Manners.Fail, errs[3] = stub.ParseShare(o.fail)
	if o.throttle != "" {
		errs[4] = o.Manners.Throttle.UnmarshalText([]byte(o.throttle))
	}
	o.Retell, errs[5] = loadtest.RedeliveryNamed(o.redeliver)
	o.Deaf, errs[6] = stub.ParseShare(o.lost)
	o.Manners.HangUp, errs[7] = stub.ParseShare(o.hangUp)
	return errors.Join(errs[:]...)
}

// choose finds the scenarios, and the values of what was not given that go with them.
func (o *loadtestFlags) choose(typed *flag.FlagSet) {
	given := make(map[string]bool)
	typed.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.Scenarios = list(o.scenarios)
	if !given["scenario"] && slices.ContainsFunc(ofProfile, func(name string) bool { return given[name] }) {
		o.Scenarios = []string{"profile"}
	}
	if onlyProfile := slices.Equal(o.Scenarios, []string{"profile"}); onlyProfile {
		if !given["rounds"] {
			o.Rounds = 1
		}
		if !given["connections"] {
			o.connections = strconv.Itoa(loadtest.Middle)
		}
	} else if !given["for"] && !given["duration"] {
		o.Duration = 2 * time.Second
	}
	if slices.Contains(o.Scenarios, "all") {
		o.Scenarios = loadtest.Scenarios()
	}
}

// ofProfile are the flags that mean the scenario profile where none is named.
var ofProfile = []string{"profile", "for", "rate", "redeliver", "lost-answers", "hurry"}

// loadtestUsage is what -help prints.
func (c *call) loadtestUsage() {
	w := c.flags.Output()
	fmt.Fprint(w, loadtestHelp)
	fmt.Fprintln(w, "\nProfiles of the platform that replies are sent to:")
	for _, p := range loadtest.Profiles() {
		fmt.Fprintf(w, "  %-10s %s\n", p.Name, p.Says)
	}
	fmt.Fprintln(w, "\nHow the sender of callbacks tells again:")
	for _, r := range loadtest.Redeliveries() {
		fmt.Fprintf(w, "  %-10s %s\n", r.Name, r.Says)
	}
	fmt.Fprintln(w, "\nOptions:")
	c.flags.PrintDefaults()
}

const loadtestHelp = `usage: bot loadtest [options]

Starts this program as a server with a configuration and a store of its own, sends it
callbacks over real sockets, takes its replies as the platform, and counts: nothing
acknowledged may be lost, answered twice or out of order. Exit 1 when something was.

  bot loadtest                                     the whole chain as fast as it goes, compared with a bare handler
  bot loadtest -for 30s -rate 500 -profile flaky   half a minute with a platform that fails now and then
  bot loadtest -profile calm,slow,throttled,failing,flaky,outage
  bot loadtest -for 30s -redeliver wecom -lost-answers 1% -hurry 5
  bot loadtest -scenario chain -trace both         what the trace costs
  bot loadtest -for 10s -report report.json        every figure, for programs
`

// writeReport leaves the report where programs look for it.
func writeReport(path string, report *loadtest.Report) error {
	b, err := json.MarshalIndent(report, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(b, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err) // the system's error names the file
	}
	return nil
}

// openToFill opens a store file with the defaults of an engine's.
func (c *call) openToFill(ctx context.Context, path string) (store.Store, error) {
	return c.OpenStore(ctx, app.StoreOptions{
		Path: path, Window: 72 * time.Hour, MaxKeys: 20_000_000,
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
		Observe: func(time.Duration, int) {},
	})
}

func list(text string) []string {
	var out []string
	for _, s := range strings.Split(text, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func numbers[T any](text string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for _, s := range list(text) {
		n, err := parse(strings.ReplaceAll(s, "_", ""))
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", s)
		}
		out = append(out, n)
	}
	return out, nil
}
