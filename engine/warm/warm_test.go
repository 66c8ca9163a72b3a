package warm

import (
	"runtime"
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
		before := runtime.NumGoroutine()
		ran := 0
		for range 100 {
			c.Go(func() { ran++ })
			synctest.Wait()
		}
		if ran != 100 || runtime.NumGoroutine() != before+1 {
			t.Errorf("%d functions ran on %d goroutines, want 100 on 1", ran, runtime.NumGoroutine()-before)
		}
	})
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
