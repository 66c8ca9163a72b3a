package pace

import (
	"testing"
	"time"

	"bot/engine"
)

func TestABreakerLetsOneProbeThroughAndDoublesItsPauses(t *testing.T) {
	p := newPacer(Limits{})
	now := start
	bounds := []time.Duration{2, 4, 8, 16, 32, 60, 60}
	for i, upper := range bounds {
		upper *= time.Second
		p.Take(now, "c", engine.SendText)
		held, began := p.Unreachable(now, now)
		if began != (i == 0) {
			t.Errorf("failure %d: began = %v", i+1, began)
		}
		if held < upper/2 || held > upper {
			t.Errorf("pause %d is %v, want %v to %v", i+1, held, upper/2, upper)
		}
		if wait, by := p.Wait(now); wait != held || by != ByPlatform {
			t.Errorf("pause %d: wait %v by %s, want %v by platform", i+1, wait, by, held)
		}
		if !p.Held(now) {
			t.Error("an open breaker does not hold")
		}
		now = now.Add(held)
		if wait, _ := p.Wait(now); wait != 0 {
			t.Errorf("pause %d does not end in time", i+1)
		}
	}
	p.Take(now, "c", engine.SendText)
	if wait, _ := p.Wait(now.Add(time.Hour)); wait != Forever {
		t.Error("a second probe may go beside the first")
	}
	if p.Held(now) {
		t.Error("the probe itself is held")
	}
	if reached, _ := p.Answered(now, now, false); !reached {
		t.Error("the answer to the probe ends no outage")
	}
	wait, _ := p.Wait(now)
	if again, _ := p.Answered(now, now, false); wait != 0 || again {
		t.Error("the breaker did not close")
	}
}

func TestRequestsThatFailTogetherOpenTheBreakerOnce(t *testing.T) {
	p := newPacer(Limits{})
	for range 16 {
		p.Take(start, "c", engine.SendText)
	}
	first, began := p.Unreachable(start, start)
	if !began {
		t.Fatal("the first failure opened nothing")
	}
	for range 15 {
		if held, again := p.Unreachable(start, start); again || held != first {
			t.Fatalf("a later one changed the pause to %v (began %v), want %v", held, again, first)
		}
	}
}

func TestAProbeThatDidNotLeaveMakesRoomForAnother(t *testing.T) {
	p := newPacer(Limits{})
	p.Take(start, "c", engine.SendText)
	held, _ := p.Unreachable(start, start)
	now := start.Add(held)
	p.Take(now, "c", engine.SendText)
	p.Unsent(now)
	if wait, _ := p.Wait(now); wait != 0 {
		t.Fatalf("the next probe waits %v", wait)
	}
}

func TestAThrottlingPlatformCanBeReached(t *testing.T) {
	p := newPacer(Limits{})
	p.Take(start, "c", engine.SendText)
	held, _ := p.Unreachable(start, start)
	now := start.Add(held)
	p.Take(now, "c", engine.SendText)
	p.Throttled(now, now, time.Second)
	if wait, _ := p.Wait(now.Add(time.Second)); wait != 0 {
		t.Fatalf("the breaker is still open: wait %v", wait)
	}
}

func TestARequestThatNobodyAnsweredEndsAnOutageOnlyAsItsProbe(t *testing.T) {
	now := time.Unix(1000, 0)
	p := New(Limits{Parallel: 4}, NewGlobal(engine.Rate{}, now), func() float64 { return 0 }, now)
	for range 2 {
		p.Take(now, "c", engine.SendText)
	}
	p.Unreachable(now, now)
	if p.Unanswered(now) || !p.Status().Unreachable {
		t.Error("what had left before ended the outage")
	}
	probe := now.Add(time.Minute)
	p.Take(probe, "c", engine.SendText)
	if !p.Unanswered(probe) || p.Status().Unreachable {
		t.Error("the probe came through, and the outage goes on")
	}
}
