package boltstore

import (
	"os"
	"syscall"
	"testing"
)

// smallDisk is a disk of three megabytes.
func smallDisk(t *testing.T) string {
	t.Helper()
	return disk(t, "3m")
}

// disk mounts a disk of a size. Where that is not allowed the test is skipped,
// but not under CI, which is there to run it.
func disk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}
