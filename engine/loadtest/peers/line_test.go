package peers

import (
	"context"
	"errors"
	"sync"
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

// A wake-up whose items went with the batch before takes nothing, and leaves the batch
// open to those who come.
func TestLineTakesNoEmptyBatch(t *testing.T) {
	l := newLine[string]()
	open := l.open
	if b := l.take(); b != nil || l.open != open {
		t.Errorf("it took %+v", b)
	}
	l.open.items = append(l.open.items, "callback")
	if b := l.take(); b != open || l.open == open || len(l.open.items) > 0 {
		t.Errorf("it took %+v and left %+v", b, l.open)
	}
}

// Many who add at once are each in one commit, whatever wake-ups are left over.
func TestLineLosesAndRepeatsNothing(t *testing.T) {
	l := newLine[int]()
	ctx, cancel := context.WithCancel(t.Context())
	seen := make(map[int]int)
	ended := make(chan error, 1)
	go func() {
		ended <- l.serve(ctx, func(items []int) error {
			for _, i := range items {
				seen[i]++
			}
			return nil
		})
	}()
	const people, each = 16, 2000
	var adding sync.WaitGroup
	for p := range people {
		adding.Go(func() {
			for i := range each {
				if err := l.add(p*each + i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	adding.Wait()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for i := range people * each {
		if seen[i] != 1 {
			t.Fatalf("%d was committed %d times", i, seen[i])
		}
	}
}
