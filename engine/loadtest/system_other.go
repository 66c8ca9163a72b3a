//go:build !linux

package loadtest

import (
	"os"
	"os/exec"
)

// asGroup does nothing here: children are killed one by one, and only by an
// orderly end.
func asGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func dataSync(f *os.File) error { return f.Sync() }

// deviceOf does not tell here.
func deviceOf(string) (major, minor uint32, ok bool) { return 0, 0, false }

// filesystem is not known here.
func filesystem(string) string { return "" }
