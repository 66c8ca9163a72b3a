package cli_test

import (
	"os"
	"runtime"
	"testing"

	"bot/engine/stub"
)

// The engine has threads to spare for who comes back from a sync, unless a container
// is given less than the machine has.
func TestTheEngineHasThreadsToSpare(t *testing.T) {
	if os.Getenv("GOMAXPROCS") != "" {
		t.Skip("GOMAXPROCS is set, which overrules it")
	}
	want := runtime.GOMAXPROCS(0)
	if want == runtime.NumCPU() {
		want += 2
	}
	checkThreads(t, want)
}

func TestTheEnvironmentOverrulesTheThreadsToSpare(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1")
	checkThreads(t, 1)
}

func checkThreads(t *testing.T, want int) {
	t.Helper()
	s := newScene(t, stub.Options{}, realEcho)
	m, err := s.page(start(t, s.config))
	if err != nil {
		t.Fatal(err)
	}
	if got := m["go_sched_gomaxprocs_threads"]; got != float64(want) {
		t.Errorf("Go runs %v threads, want %d", got, want)
	}
}
