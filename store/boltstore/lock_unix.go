//go:build linux || darwin

package boltstore

import (
	"errors"
	"os"
	"syscall"
	"time"

	berrors "go.etcd.io/bbolt/errors"
)

// lock takes the lock that bbolt is going to take on the same open file, where
// asking twice does no harm. It reports ErrTimeout as bbolt would.
func lock(f *os.File, wait time.Duration) (locked bool, err error) {
	const pause = 50 * time.Millisecond
	for begin := time.Now(); ; time.Sleep(pause) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return false, err
		}
		if time.Since(begin) > wait-pause {
			return false, berrors.ErrTimeout
		}
	}
}
