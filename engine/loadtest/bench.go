package loadtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// bench is one run of the load test. One goroutine works on it.
type bench struct {
	Options
	dir      string
	memory   string // a folder on a file system in memory; "" = not needed yet
	count    int    // of folders made
	progress *progress
	patience time.Duration // 0 = patience
}

// memoryDir is where Linux keeps files in memory.
const memoryDir = "/dev/shm"

// inMemory is a folder whose files never reach a disk.
func (b *bench) inMemory() (dir string, err error) {
	if b.memory == "" {
		if b.memory, err = os.MkdirTemp(memoryDir, "bot-loadtest-"); err != nil {
			return "", fmt.Errorf("make a folder in memory: %w", err)
		}
	}
	return b.memory, nil
}

// close removes all files.
func (b *bench) close() {
	os.RemoveAll(b.dir)
	if b.memory != "" {
		os.RemoveAll(b.memory)
	}
}

// scenario is one question and the measurements that answer it.
type scenario struct {
	name string
	says string // what is running, for the report
	// plan lays the groups out; notes say what is left out and why. What it
	// prepares is removed with the bench's folder.
	plan func(ctx context.Context, b *bench) (groups []group, notes []string, err error)
}

// group is what is compared with each other: in each round its trials run one
// after the other, and the first is what the others are set in relation to.
type group struct {
	name   string
	trials []trial
	paced  bool // at a fixed rate: latencies are compared, not rates
	slowed bool // so it is, and with the first trial's
}

// trial is one server under one load.
type trial struct {
	name    string
	engine  bool     // it is this engine: its losses are failures
	replies bool     // they are waited for
	against []string // names of further trials of the group to be compared with
	run     func(ctx context.Context) (Sample, error)
}

// scenarios are all there are.
func scenarios() []scenario {
	return []scenario{acks, chain, profiles, latency, bulk, duplicates, recovery, keys, memory, long, channels, incumbents}
}

// scenario measures all rounds of all groups, in turns, so that what the
// machine does to one round it does to all of a group.
func (b *bench) scenario(ctx context.Context, s scenario) (Result, error) {
	groups, notes, err := s.plan(ctx, b)
	if err != nil {
		return Result{}, err
	}
	samples := make([][][]Sample, len(groups)) // by group, round, trial
	for round := range b.Rounds {
		for i, g := range groups {
			f, err := measureSync(b.dir)
			if err != nil {
				return Result{}, err
			}
			row := make([]Sample, len(g.trials))
			for j, t := range g.trials {
				what := fmt.Sprintf("%s %d/%d · %s · %s", s.name, round+1, b.Rounds, g.name, t.name)
				b.progress.begin(what)
				if row[j], err = t.run(ctx); err != nil {
					b.progress.clear()
					return Result{}, fmt.Errorf("%s, %s: %w", g.name, t.name, err)
				}
				row[j].Sync = milliseconds(f)
				b.progress.end(what + ": " + row[j].brief())
			}
			samples[i] = append(samples[i], row)
		}
	}
	r := Result{Name: s.name, Says: s.says, Notes: notes}
	for i, g := range groups {
		r.Groups = append(r.Groups, sumUp(g, samples[i]))
	}
	return r, nil
}

// folder makes a fresh one inside parent, "" for the bench's own.
func (b *bench) folder(parent string) (string, error) {
	if parent == "" {
		parent = b.dir
	}
	b.count++
	dir := filepath.Join(parent, fmt.Sprintf("%d", b.count))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	return dir, nil
}
