//go:build linux

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// changing are the system calls that change a file, a name or what is certain
// to be on the disk, or that a store cannot do without; pread64 is there to see
// what becomes of a file that cannot be read.
const changing = "openat,pwrite64,pwritev,write,fdatasync,fsync,sync_file_range,msync,ftruncate,fallocate," +
	"link,linkat,unlink,unlinkat,rename,renameat,renameat2,mmap,flock,pread64"

// needStrace skips a test where there is no strace, or where it may not attach
// itself; but not under CI, which is there to run it.
func needStrace(t *testing.T) {
	t.Helper()
	sleep := exec.Command("sleep", "0.5")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("strace", "-o", os.DevNull, "-p", strconv.Itoa(sleep.Process.Pid)).CombinedOutput()
	sleep.Wait()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("strace: %v\n%s", err, out)
	default:
		t.Skipf("this test needs strace and the right to attach it (root, or kernel.yama.ptrace_scope = 0): %v\n%s", err, out)
	}
}

// injection is what strace is to do, and where. It counts the calls of each
// thread apart.
type injection struct {
	call  string
	file  string // path; "" = any
	what  string // as strace has it: error=EIO
	count int    // from 1
}

// launching is strace and how it stops a program that it starts. The kernel stops
// that at the calls that are traced alone, of which a Go program makes few among
// many others; but strace sends no signal then (seen in 6.1).
func launching(i injection) []string {
	if strings.HasPrefix(i.what, "signal=") {
		return []string{"strace"}
	}
	return []string{"strace", "--seccomp-bpf"}
}

// strace is the options of a command line that writes what it sees to trace.
func strace(trace string, i injection) []string {
	args := []string{"-f", "-y", "-ttt", "-s", "0", "-e", "signal=KILL", "-e", "trace=" + changing, "-o", trace}
	if i.file != "" {
		args = append(args, "-P", i.file)
	}
	if i.what != "" {
		args = append(args, "-e", fmt.Sprintf("inject=%s:%s:when=%d", i.call, i.what, i.count))
	}
	return args
}

// launchTraced begins a life under strace.
func launchTraced(t testing.TB, config, trace string, i injection) (p *process, ready <-chan bool) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	// strace -D is a grandchild, so that the program itself is what is waited
	// for and gets the signals.
	line := slices.Concat(launching(i), []string{"-D", "-q"}, strace(trace, i), []string{path, "-config", config})
	return launchCommand(t, exec.Command(line[0], line[1:]...))
}

// attach has strace look at a process from now on.
func attach(t testing.TB, p *process, trace string, i injection) {
	t.Helper()
	cmd := exec.Command("strace", append(strace(trace, i), "-p", strconv.Itoa(p.cmd.Process.Pid))...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	said, err := lines.ReadString('\n')
	if !strings.Contains(said, "attached") {
		t.Fatalf("strace says %q (%v)", said, err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(io.Discard, lines)
	}()
	t.Cleanup(func() { p.kill(); <-drained; cmd.Wait() })
}

// fileOp is one system call on a file of the store.
type fileOp struct {
	call, file string // file as it ends, without what is random in it
	thread     string
	at         time.Time
	// nth is its number among the same calls of its thread that are in the
	// trace, ofFile among those on the same file.
	nth, ofFile int
}

// nthAt is its number when strace looks at the one file only.
func (o fileOp) nthAt(oneFile bool) int {
	if oneFile {
		return o.ofFile
	}
	return o.nth
}

func (o fileOp) String() string { return o.call + " " + o.file }

var (
	traceLine = regexp.MustCompile(`^(\d+) +(\d+)\.(\d+) (\w+)\((.*)`)
	storeFile = regexp.MustCompile(`/(bot\.db[^/>",]*)`)
	random    = regexp.MustCompile(`\d{4,}`)
)

// whole reads the trace of a program that has ended, which strace may finish a
// moment later.
func whole(t testing.TB, trace string, pid int) string {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if strings.HasPrefix(line, fmt.Sprint(pid, " ")) && strings.Contains(line, "+++ ") {
				return string(b)
			}
		}
	}
	t.Fatalf("strace did not end: %s", trace)
	return ""
}

// fileOps reads a trace. In it are the calls on the store's files and its folder,
// in the order in which they began.
func fileOps(t testing.TB, trace string, pid int, dir string) (ops []fileOp) {
	t.Helper()
	made := make(map[string]int) // by thread and call
	for line := range strings.Lines(whole(t, trace, pid)) {
		m := traceLine.FindStringSubmatch(line)
		if m == nil {
			continue // the second half of a call, or an end
		}
		o := fileOp{thread: m[1], call: m[4]}
		args := m[5]
		made[o.thread+o.call]++
		o.nth = made[o.thread+o.call]
		switch found := storeFile.FindStringSubmatch(args); {
		case found != nil:
			o.file = random.ReplaceAllString(found[1], "*")
		case o.call == "fsync" && strings.Contains(args, "<"+dir+">"):
			o.file = "the folder"
		}
		made[o.thread+o.call+" "+o.file]++
		o.ofFile = made[o.thread+o.call+" "+o.file]
		if o.file == "" || o.call == "openat" && !strings.Contains(args, "O_CREAT") {
			continue
		}
		sec, _ := strconv.ParseInt(m[2], 10, 64)
		usec, _ := strconv.ParseInt(m[3], 10, 64)
		o.at = time.Unix(sec, usec*1000)
		ops = append(ops, o)
	}
	return ops
}

// temporary tells whether a file has a name that nobody can know before.
func temporary(file string) bool { return strings.Contains(file, "*") }

// fixed is the path of a file, "" where that cannot be known. Of an archive it is
// the first file of the hour.
func fixed(dir, file string) string {
	switch {
	case temporary(file):
		return ""
	case archived(file):
		return filepath.Join(dir, file, time.Now().UTC().Format("2006-01-02T15"))
	case file == "the folder":
		return dir
	}
	return filepath.Join(dir, file)
}
