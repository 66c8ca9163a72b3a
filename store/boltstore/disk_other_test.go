//go:build !linux

package boltstore

import "testing"

func smallDisk(t *testing.T) string {
	t.Helper()
	return disk(t, "3m")
}

func disk(t *testing.T, _ string) string {
	t.Helper()
	t.Skip("no disk of a size of our choosing on this system")
	return ""
}
