package loadtest

import (
	"bytes"
	"fmt"
)

// sector is the unit of /sys/dev/block/*/stat, whatever the device's own is.
const sector = 512

// deviceWritten is how many bytes the device that dir lies on was given to write, by
// everybody, since the machine began; 0 where the system does not tell: file systems
// over several devices, and other systems than Linux.
func deviceWritten(dir string) int64 {
	major, minor, ok := deviceOf(dir)
	if !ok {
		return 0
	}
	return sector * sectorsWritten(read(fmt.Sprintf("/sys/dev/block/%d:%d/stat", major, minor)))
}

// sectorsWritten reads the seventh figure of a device's stat (the kernel's
// Documentation/block/stat.rst).
func sectorsWritten(stat []byte) int64 {
	fields := bytes.Fields(stat)
	if len(fields) < 7 {
		return 0
	}
	return integer(fields[6])
}

// deviceBytes is what the server had the device write, from two rough figures. What
// the kernel counts for a process is whole folios of the page cache, which may be many
// pages although one of them was written; what it counts for the device is everybody's.
// The lesser is nearer to the truth.
func deviceBytes(process, device int64) int64 {
	if device <= 0 {
		return process
	}
	return min(process, device)
}
