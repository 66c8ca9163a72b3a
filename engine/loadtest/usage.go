package loadtest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc, the same on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// usage is what processes have used since they began. Where there is no /proc
// everything is 0 and the report shows dashes.
type usage struct {
	cpu      time.Duration
	written  int64 // bytes that the kernel counts as written for them (see deviceBytes)
	resident int64 // anonymous memory in bytes: mapped files are the page cache's
	busy     time.Duration
}

// usageOf sums up the processes and what they started; busy is the CPU time of
// everybody on the machine.
func usageOf(pids ...int) usage {
	var u usage
	for _, pid := range pids {
		u.addProcess(strconv.Itoa(pid))
	}
	u.busy = busyTime(read("/proc/stat"))
	return u
}

// ownUsage is that of this process alone: the load and the platform.
func ownUsage() usage {
	return usage{cpu: cpuTime(read("/proc/self/stat"))}
}

func (u *usage) addProcess(pid string) {
	dir := "/proc/" + pid + "/"
	u.cpu += cpuTime(read(dir + "stat"))
	u.written += field(read(dir+"io"), "write_bytes:")
	u.resident += field(read(dir+"status"), "RssAnon:") << 10
	for _, child := range strings.Fields(string(read(dir + "task/" + pid + "/children"))) {
		u.addProcess(child)
	}
}

// read returns nothing for what is not there: the process has gone.
func read(path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return b
}

// cpuTime reads utime and stime of /proc/PID/stat. The name before them stands
// in parentheses and may hold anything.
func cpuTime(stat []byte) time.Duration {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	return time.Duration(integer(fields[11])+integer(fields[12])) * tick
}

// busyTime reads the first line of /proc/stat: user, nice, system, then idle
// and waiting, then interrupts and what the host took.
func busyTime(stat []byte) time.Duration {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	var sum int64
	for i, f := range bytes.Fields(line) {
		if 1 <= i && i <= 8 && i != 4 && i != 5 {
			sum += integer(f)
		}
	}
	return time.Duration(sum) * tick
}

// field reads the number after a name at the beginning of a line.
func field(b []byte, name string) int64 {
	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			if f := bytes.Fields(rest); len(f) > 0 {
				return integer(f[0])
			}
		}
	}
	return 0
}

func integer(b []byte) int64 {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Machine describes where the figures come from.
type Machine struct {
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	MemoryMiB  int64  `json:"memory_mib"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	Filesystem string `json:"filesystem"`
}

func (m Machine) String() string {
	return fmt.Sprintf("%d cores (%s), %d MiB, Linux %s, %s, store on %s",
		m.Cores, orDash(m.CPU), m.MemoryMiB, orDash(m.Kernel), m.Go, orDash(m.Filesystem))
}

func orDash(s string) string {
	if s == "" {
		return "?"
	}
	return s
}

func machine(cores int, goVersion, dir string) Machine {
	m := Machine{Cores: cores, Go: goVersion, Filesystem: filesystem(dir)}
	for line := range strings.Lines(string(read("/proc/cpuinfo"))) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	m.MemoryMiB = field(read("/proc/meminfo"), "MemTotal:") >> 10
	m.Kernel = strings.TrimSpace(string(read("/proc/sys/kernel/osrelease")))
	return m
}
