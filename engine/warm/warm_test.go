package warm

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestACrewKeepsWhatItStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCrew()
		defer c.Close()
		// By their names: the process may have goroutines of earlier tests that are
		// about to end, so how many there are says nothing.
		ran, on := 0, map[string]bool{}
		for range 100 {
			c.Go(func() { ran, on[goroutine()] = ran+1, true })
			synctest.Wait()
		}
		if ran != 100 || len(on) != 1 {
			t.Errorf("%d functions ran on %d goroutines, want 100 on 1", ran, len(on))
		}
	})
}

// goroutine names the one that calls it: "goroutine 7".
func goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), " [")
	return name
}

func TestNobodyWaitsForAnother(t *testing.T) {
	c := NewCrew()
	defer c.Close()
	var all sync.WaitGroup
	all.Add(50)
	var done sync.WaitGroup
	for range 50 {
		done.Add(1)
		c.Go(func() { // ends only when all run at once
			defer done.Done()
			all.Done()
			all.Wait()
		})
	}
	done.Wait()
}

func TestAClosedCrewStillRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCrew()
		busy, ran := make(chan struct{}), false
		c.Go(func() { <-busy })
		synctest.Wait()
		c.Close()
		c.Close()
		c.Go(func() { ran = true })
		close(busy)
		synctest.Wait() // and the bubble ends only when no goroutine is left
		if !ran {
			t.Error("a function was dropped")
		}
	})
}

func TestAFunctionThatEndsItsGoroutineTakesNobodyAlong(t *testing.T) {
	c := NewCrew()
	defer c.Close()
	c.Go(runtime.Goexit)
	done := make(chan struct{})
	c.Go(func() { close(done) })
	<-done
}
