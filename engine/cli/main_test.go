package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// TestMain looks for goroutines left behind and removes the programs that the
// tests have built.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if path, err := binary(); err == nil {
			os.RemoveAll(filepath.Dir(path))
		}
		os.Exit(code)
	}))
}
