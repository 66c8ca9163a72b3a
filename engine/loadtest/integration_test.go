package loadtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bot/store"
	"bot/store/boltstore"
)

// built is the folder of the real binary, once there is one. TestMain removes it.
var built string

// binary makes the real binary as it is shipped, once for all tests of this package.
var binary = sync.OnceValues(func() (program string, err error) {
	if built, err = os.MkdirTemp("", "loadtest-binary-"); err != nil {
		return "", err
	}
	program = filepath.Join(built, "bot")
	cmd := exec.Command("go", "build", "-trimpath", "-o", program, "bot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

// build returns the path of the real binary.
func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the whole binary")
	}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// few asks for as little as shows that everything works.
func few(t *testing.T, program string, scenarios ...string) (Options, *bytes.Buffer) {
	progress := new(bytes.Buffer)
	return Options{
		Program: program, Version: "test", Scenarios: scenarios, Rounds: 1,
		Duration: time.Second, Warmup: 100 * time.Millisecond,
		Connections: []int{8}, Rates: []float64{100}, Keys: []int{1000}, Bulk: 20_000, Backlog: 2000, Long: 1000, Conversations: 100, Events: 1_000_000,
		Dir: t.TempDir(), Progress: progress, Now: time.Now,
	}, progress
}

func TestChainOfTheRealBinaryLosesNothing(t *testing.T) {
	o, progress := few(t, build(t), "chain", "latency")
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Sound() {
		t.Error("the engine lost, doubled or reordered events")
	}
	for _, s := range report.Scenarios {
		rows := s.Groups[0].Rows
		ours := rows[len(rows)-1]
		if m := ours.Median; m.Rate <= 0 || m.Totals.Delivered == 0 || m.Totals.Delivered != m.Totals.Acked || m.Way.P50 <= 0 {
			t.Errorf("%s: measured %+v", s.Name, m)
		}
		if len(ours.Ratios) == 0 || ours.Ratios[0].Median <= 0 {
			t.Errorf("%s: not compared with the bare handler: %+v", s.Name, ours.Ratios)
		}
	}
	if progress.Len() == 0 {
		t.Error("no progress is shown")
	}
	if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestLoadThatIsUsedUpInTheWarmUpIsNoMeasurement(t *testing.T) {
	_, addr := newTarget(t, always(200))
	b := &bench{progress: newProgress(nil, false), Options: Options{Warmup: time.Minute, Duration: time.Second, Conversations: 10, Events: 20, Now: time.Now}}
	start := func(context.Context, string) (*server, error) { return &server{addr: addr}, nil }
	if _, err := b.measure(t.Context(), b.closed(start, 2, 0)); !errors.Is(err, errTooFew) {
		t.Errorf("the error is %v", err)
	}
}

func TestKilledBinaryDeliversWhatWaited(t *testing.T) {
	o, _ := few(t, build(t), "recover")
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	m := report.Scenarios[0].Groups[0].Rows[1].Median
	if !report.Sound() || m.Ready <= 0 || m.Totals.Acked < o.Backlog || m.Totals.Delivered < m.Totals.Acked {
		t.Errorf("after the kill: %+v", m)
	}
}

func TestAStartedEngineTellsWhatItsHeapHolds(t *testing.T) {
	o, _ := few(t, build(t), "memory", "long")
	// A thousand ids are no more than a page or two of the heap, by which one engine
	// may differ from the next; so many ids are half a megabyte.
	o.Keys = []int{40_000}
	o.OpenStore = func(ctx context.Context, path string) (store.Store, error) {
		return boltstore.Open(ctx, boltstore.Options{Path: path})
	}
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Sound() {
		t.Error("the engine lost, doubled or reordered events")
	}
	for _, g := range report.Scenarios[0].Groups {
		if n := g.Rows[1].Median; n.BytesEach <= 0 || n.Resident <= 0 {
			t.Errorf("%s: %+v", g.Name, n)
		}
	}
	if m := report.Scenarios[1].Groups[0].Rows[0].Median; m.Growth <= 0 || m.FileToLive < 1 || m.Totals.Delivered != 1000 {
		t.Errorf("long: %+v", m)
	}
}

func TestAMisbehavingPlatformAndARestlessSenderLoseNothing(t *testing.T) {
	o, _ := few(t, build(t), "profile")
	o.Profiles, o.Rate, o.Deaf, o.Hurry, o.Trace = []string{"flaky"}, 200, 0.05, 100, TraceBoth
	o.Duration = 4 * time.Second // so that a platform that hangs up on one in fifty is sure to
	o.Retell, _ = RedeliveryNamed("wecom")
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Promises.Kept || !report.Sound() {
		t.Errorf("the engine does not keep its promises: %+v", report.Promises)
	}
	rows := report.Scenarios[0].Groups[0].Rows
	if len(rows) != 2 || rows[0].Name != untracedName || len(rows[1].Ratios) != 1 {
		t.Fatalf("not measured with and without a trace: %+v", rows)
	}
	for _, r := range rows {
		if m := r.Median; m.Totals.Acked < 100 || m.Platform.Failed == 0 || m.Platform.HungUp == 0 || m.Totals.Repeated == 0 || m.Sender.Retold == 0 || m.Fsyncs <= 0 || m.Dead > 0 {
			t.Errorf("%s: %+v", r.Name, m)
		}
	}
}
