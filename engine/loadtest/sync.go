package loadtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The yardstick of latencies: F, the median time to make 700 bytes durable in
// a file whose blocks are already there. The disk can do no better, whatever
// is written through it.
const (
	syncBytes = 700
	syncCount = 200
)

// measureSync measures F in dir, in the same run as what is compared with it:
// disks of shared machines change by the minute.
func measureSync(dir string) (f time.Duration, err error) {
	file, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, fmt.Errorf("measure the disk: %w", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err = file.Write(make([]byte, syncBytes*syncCount)); err == nil {
		err = file.Sync()
	}
	block := make([]byte, syncBytes)
	took := make([]time.Duration, syncCount)
	for i := 0; i < syncCount && err == nil; i++ {
		block[0] = byte(i)
		start := time.Now()
		if _, err = file.WriteAt(block, int64(i*syncBytes)); err == nil {
			err = dataSync(file)
		}
		took[i] = time.Since(start)
	}
	if err != nil {
		return 0, fmt.Errorf("measure the disk: %w", err)
	}
	slices.Sort(took)
	return took[syncCount/2], nil
}
