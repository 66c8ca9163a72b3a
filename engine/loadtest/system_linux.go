package loadtest

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// asGroup makes the child the head of a process group, so that killGroup takes
// along what it started itself, and has the kernel kill it when this process
// dies in a way that leaves no time to clean up.
func asGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// dataSync makes the file's content durable, leaving out what of its metadata
// can wait.
func dataSync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// deviceOf numbers the device that dir lies on.
func deviceOf(dir string) (major, minor uint32, ok bool) {
	var s syscall.Stat_t
	if syscall.Stat(dir, &s) != nil {
		return 0, 0, false
	}
	return unix.Major(uint64(s.Dev)), unix.Minor(uint64(s.Dev)), true
}

// Magic numbers of statfs(2).
var filesystems = map[int64]string{
	0xEF53: "ext4", 0x58465342: "xfs", 0x9123683E: "btrfs", 0x01021994: "tmpfs",
	0x794C7630: "overlay", 0x2FC12FC1: "zfs", 0x6969: "nfs",
}

// filesystem names what dir lies on, "" when it cannot tell.
func filesystem(dir string) string {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return ""
	}
	return filesystems[int64(s.Type)]
}
