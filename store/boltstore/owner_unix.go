//go:build unix

package boltstore

import (
	"io/fs"
	"os"
	"syscall"
)

// giveTo makes a new file belong to whom another belongs. Only root may, and only
// root needs to: who works for the engine's user has made what that cannot open.
func giveTo(f *os.File, like fs.FileInfo) error {
	st, ok := like.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}
