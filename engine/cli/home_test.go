package cli_test

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
)

var homes atomic.Int32

// home is a loopback address for one test's programs alone. On a shared one the port
// of a program that died may be the next one's of another test, which would then
// answer those who still call the dead.
func home() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1" // others have no more of them
	}
	n := homes.Add(1) - 1
	return fmt.Sprintf("127.%d.%d.%d", 1+os.Getpid()%250, n/250%250, 1+n%250)
}
