package loadtest

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestCPUTimeIsReadPastAnyName(t *testing.T) {
	const stat = "4711 (a) R (b) 1) S 1 4711 4711 0 -1 4194560 1 2 3 4 250 50 7 8 20 0 9 0 100 0 0"
	if got := cpuTime([]byte(stat)); got != 3*time.Second {
		t.Errorf("reads %v, want 3s", got)
	}
	if got := cpuTime(nil); got != 0 {
		t.Errorf("a process that has gone used %v", got)
	}
}

func TestBusyTimeLeavesIdlenessOut(t *testing.T) {
	const stat = "cpu  100 10 200 99999 88888 5 5 80 0 0\ncpu0 1 1 1 1\n"
	if got := busyTime([]byte(stat)); got != 4*time.Second {
		t.Errorf("reads %v, want 4s", got)
	}
}

func TestField(t *testing.T) {
	const io = "rchar: 1\nwrite_bytes: 8192\ncancelled_write_bytes: 5\n"
	if got := field([]byte(io), "write_bytes:"); got != 8192 {
		t.Errorf("reads %d", got)
	}
	if got := field([]byte(io), "absent:"); got != 0 {
		t.Errorf("what is not there reads %d", got)
	}
}

func TestOwnUsageGrows(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	before := usageOf(os.Getpid())
	for begin := time.Now(); time.Since(begin) < 60*time.Millisecond; {
	}
	after := usageOf(os.Getpid())
	if after.cpu <= before.cpu || after.busy <= before.busy || after.resident == 0 {
		t.Errorf("from %+v to %+v", before, after)
	}
}

func TestMachineLine(t *testing.T) {
	m := machine(2, "go1.26", t.TempDir())
	if s := m.String(); !strings.HasPrefix(s, "2 cores (") || !strings.Contains(s, "go1.26") {
		t.Errorf("the machine is %q", s)
	}
}

func TestMeasureSync(t *testing.T) {
	dir := t.TempDir()
	f, err := measureSync(dir)
	if err != nil || f <= 0 {
		t.Errorf("F is %v, %v", f, err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	if _, err := measureSync(dir + "/absent"); err == nil {
		t.Error("a folder that is not there has an F")
	}
}
