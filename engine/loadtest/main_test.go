package loadtest

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain looks for goroutines left behind and removes the program that the
// tests have built.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(built)
		os.Exit(code)
	}))
}
