package peers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// What is added waits for the commit that it is in; what comes meanwhile waits together
// for the next, and nothing is committed that holds nothing.
func TestLineCommitsWhatWaitsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx := newLine[string](), t.Context()
		committed, go1 := make(chan int, 10), make(chan struct{})
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			ended <- l.serve(ctx, func(items []string) error {
				committed <- len(items)
				<-go1
				return nil
			})
		}()
		answers := make(chan error, 10)
		add := func() { go func() { answers <- l.add("callback") }() }
		add()
		synctest.Wait()
		add()
		add()
		synctest.Wait()
		if n := len(answers); n != 0 {
			t.Fatalf("%d were answered before their commit", n)
		}
		go1 <- struct{}{}
		synctest.Wait()
		if n := len(answers); n != 1 {
			t.Fatalf("%d were answered after the first commit", n)
		}
		go1 <- struct{}{}
		synctest.Wait()
		if n := len(answers); n != 3 {
			t.Fatalf("%d were answered after the second commit", n)
		}
		if a, b := <-committed, <-committed; a != 1 || b != 2 || len(committed) > 0 {
			t.Errorf("commits of %d and %d, and %d more", a, b, len(committed))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := l.add("late"); !errors.Is(err, errOver) {
			t.Errorf("after the end: %v", err)
		}
	})
}
