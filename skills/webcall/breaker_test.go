package webcall

import (
	"testing"
	"time"
)

// line is a service by its breaker: each call takes a second.
type line struct {
	breaker
	now time.Time
}

func (l *line) call(v verdict) bool {
	p, ok := l.enter(l.now)
	if ok {
		l.leave(p, v, l.now)
	}
	return ok
}

func (l *line) fail(t *testing.T, n int) {
	t.Helper()
	for range n {
		if !l.call(fails) {
			t.Fatal("a call is held back")
		}
	}
}

func TestABreakerHoldsBackAfterFailuresInARow(t *testing.T) {
	l := line{now: time.Unix(0, 0)}
	l.fail(t, tolerated-1)
	l.call(works)
	l.fail(t, tolerated)
	if l.call(works) {
		t.Error("a call goes out although all before it failed")
	}
	pauses := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}
	for _, pause := range pauses {
		l.now = l.now.Add(pause - time.Nanosecond)
		if l.call(fails) {
			t.Fatalf("a call goes out before %v have passed", pause)
		}
		l.now = l.now.Add(time.Nanosecond)
		if !l.call(fails) {
			t.Fatalf("no call goes out after %v", pause)
		}
	}
	l.now = l.now.Add(longPause)
	if !l.call(works) || !l.call(fails) {
		t.Error("one success does not open the way")
	}
	l.fail(t, tolerated-1)
	l.now = l.now.Add(firstPause)
	if !l.call(fails) {
		t.Error("the pause after a success is not the first one again")
	}
}

func TestOneCallTriesWhetherTheServiceIsBack(t *testing.T) {
	l := line{now: time.Unix(0, 0)}
	l.fail(t, tolerated)
	l.now = l.now.Add(firstPause)
	probe, ok := l.enter(l.now)
	if !ok {
		t.Fatal("none tries")
	}
	if l.call(works) {
		t.Error("a second one tries")
	}
	l.leave(probe, undecided, l.now)
	if !l.call(works) {
		t.Error("a try that was broken off leaves the way closed")
	}
}

func TestCallsThatWereUnderWayDoNotMakeThePauseLonger(t *testing.T) {
	l := line{now: time.Unix(0, 0)}
	var under []pass
	for range 16 {
		p, _ := l.enter(l.now)
		under = append(under, p)
	}
	for _, p := range under {
		l.leave(p, fails, l.now)
	}
	l.now = l.now.Add(firstPause)
	if !l.call(works) {
		t.Error("sixteen calls that failed together count as more than one row of failures")
	}
}
