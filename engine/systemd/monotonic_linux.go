package systemd

import "golang.org/x/sys/unix"

// monotonic is the machine's clock that never goes back, in microseconds, which
// Go keeps to itself. It cannot fail: every Linux has that clock.
func monotonic() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return now.Nano() / 1000
}
