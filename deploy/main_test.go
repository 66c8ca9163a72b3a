package deploy_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// TestMain looks for goroutines left behind and removes the program that the
// tests have built.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if path, err := binary(); err == nil {
			os.RemoveAll(filepath.Dir(path))
		}
		os.Exit(code)
	}))
}

// root is the top of the tree.
const root = ".."

// binary is the program, built once as the Dockerfile builds it.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bot-deploy-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "bot")
	command, err := dockerBuild(path)
	if err != nil {
		return "", err
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	return path, nil
})

func program(t testing.TB) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// needProgram returns where a program is and skips the test where it is not;
// but not under CI, which is there to run it.
func needProgram(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("this test needs %s: %v", name, err)
	default:
		t.Skipf("this test needs %s: %v", name, err)
	}
	return path
}

func read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
