//go:build linux

package cli_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bot/engine/stub"
	"bot/store/boltstore"
)

var cutsEach = flag.Int("cuts.each", 2, "how many calls of each kind to strike in backup, restore and compact")

// cutting is a folder with a store of more commands than its backup has, and a
// way to have it again.
type cutting struct {
	*scene
	pristine   string
	old, fresh int // commands in the backup and in the store
}

func newCutting(t *testing.T) *cutting {
	t.Helper()
	c := &cutting{scene: newScene(t, stub.Options{}, realEcho), pristine: t.TempDir()}
	c.platformDown()
	p := start(t, c.config)
	c.said(p, "m1", "u", "t1")
	c.until("it is to be sent", func() bool { return c.state(p).Commands == 1 })
	c.does("backup", c.backup())
	c.said(p, "m2", "u", "t2")
	c.until("the second is, too", func() bool { return c.state(p).Commands == 2 })
	p.kill()
	c.old, c.fresh = 1, 2
	c.copy(c.dir, c.pristine)
	return c
}

func (c *cutting) backup() string { return filepath.Join(c.dir, "copy.db") }

func (c *cutting) copy(from, to string) {
	c.t.Helper()
	out, err := exec.Command("sh", "-c", `rm -rf "$2"/* && cp -a "$1"/. "$2"`, "sh", from, to).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
}

// run runs a verb under strace and returns how it ended and what it did.
func (c *cutting) run(args []string, i injection) (code int, trace string) {
	c.t.Helper()
	path, err := binary()
	if err != nil {
		c.t.Fatal(err)
	}
	trace = filepath.Join(c.t.TempDir(), "trace")
	line := slices.Concat(launching(i), strace(trace, i), []string{path}, args, []string{"-config", c.config})
	cmd := exec.Command(line[0], line[1:]...)
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), trace
}

// holds checks the store or copy at path, page by page, and opens it.
func (c *cutting) holds(path string) int {
	c.t.Helper()
	got, err := boltstore.Inspect(path)
	if err != nil {
		c.t.Fatalf("what is there is no store: %v", err)
	}
	return got.Commands
}

// TestVerbsCutOffAnywhere kills backup, restore and compact at their file
// operations, or lets those fail. What is at the name is what was there or what was
// to be there, whole; what fails says so, and leaves nothing of its own behind.
func TestVerbsCutOffAnywhere(t *testing.T) {
	needStrace(t)
	t.Parallel()
	c := newCutting(t)
	for _, verb := range []struct {
		args          []string
		at            string
		before, after int
	}{
		{[]string{"backup", "-force", c.backup()}, c.backup(), c.old, c.fresh},
		{[]string{"restore", "-force", c.backup()}, c.store(), c.fresh, c.old},
		{[]string{"compact"}, c.store(), c.fresh, c.fresh},
	} {
		c.copy(c.pristine, c.dir)
		code, trace := c.run(verb.args, injection{})
		if code != 0 || c.holds(verb.at) != verb.after {
			t.Fatalf("%s: exit %d, and it holds %d commands", verb.args[0], code, c.holds(verb.at))
		}
		calls := callsIn(t, trace)
		struck := 0
		for call, injuries := range map[string][]string{
			"pwrite64": {"signal=KILL", "error=ENOSPC"}, "write": {"signal=KILL"}, "fsync": {"signal=KILL", "error=EIO"},
			"fdatasync": {"signal=KILL", "error=EIO"}, "ftruncate": {"signal=KILL", "error=ENOSPC"}, "linkat": {"signal=KILL", "error=EPERM"},
			"renameat": {"signal=KILL", "error=EACCES"}, "unlinkat": {"signal=KILL"},
		} {
			for _, n := range spread(calls[call], *cutsEach) {
				for _, injury := range injuries {
					c.copy(c.pristine, c.dir)
					code, trace := c.run(verb.args, injection{call: call, what: injury, count: n})
					name := fmt.Sprintf("%s, %s at %s %d", verb.args[0], injury, call, n)
					if wasInjected(t, trace) {
						struck++
					}
					got := c.holds(verb.at)
					if got != verb.before && got != verb.after || code == 0 && got != verb.after {
						t.Errorf("%s: exit %d, and it holds %d commands", name, code, got)
					}
					left, _ := filepath.Glob(filepath.Join(c.dir, "*.new-*"))
					if len(left) > 0 && !strings.HasPrefix(injury, "signal") {
						t.Errorf("%s: left %v", name, left)
					}
					c.opens(name)
				}
			}
		}
		t.Logf("%s: %d strikes at %v", verb.args[0], struck, calls)
		if struck < 5 {
			t.Errorf("%s: only %d strikes met", verb.args[0], struck)
		}
	}
}

// opens has the store opened as the engine would, which clears away.
func (c *cutting) opens(name string) {
	c.t.Helper()
	s, err := boltstore.Open(c.t.Context(), boltstore.Options{Path: c.store()})
	if err == nil {
		err = s.Close()
	}
	left, _ := filepath.Glob(c.store() + ".new-*")
	if err != nil || len(left) > 0 {
		c.t.Errorf("%s: the next start: %v; left: %v", name, err, left)
	}
}

// callsIn counts the system calls of a trace.
func callsIn(t *testing.T, trace string) map[string]int {
	t.Helper()
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	calls := make(map[string]int)
	for line := range strings.Lines(string(b)) {
		if m := traceLine.FindStringSubmatch(line); m != nil {
			calls[m[4]]++
		}
	}
	return calls
}

func wasInjected(t *testing.T, trace string) bool {
	t.Helper()
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(b), "(INJECTED)") || strings.Contains(string(b), "killed by SIGKILL")
}

// spread is up to k numbers of 1 to n, the first and the last among them.
func spread(n, k int) (all []int) {
	if n <= k {
		for i := range n {
			all = append(all, i+1)
		}
		return all
	}
	for i := range k {
		all = append(all, 1+i*(n-1)/(k-1))
	}
	return all
}
