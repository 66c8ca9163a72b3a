package pace

import (
	"math/rand/v2"
	"testing"
	"time"

	"bot/engine"
)

const second = time.Second

// send lets one command go as soon as it may and reports what became of it at
// once. It returns when it left.
func send(p *Pacer, now time.Time, report func(left time.Time)) time.Time {
	for {
		wait, _ := p.Wait(now)
		if wait == 0 {
			break
		}
		now = now.Add(wait)
	}
	p.Take(now, "c", engine.SendText)
	report(now)
	return now
}

func (p *Pacer) succeeds(left time.Time) { p.Answered(left, left, true) }
func (p *Pacer) throttles(left time.Time) {
	p.Throttled(left, left, 0)
}

func wantShare(t *testing.T, p *Pacer, want float64) {
	t.Helper()
	if got := p.Status().Share; got != want {
		t.Errorf("the account may send at %v of its pace, want %v", got, want)
	}
}

func TestTheWaitThatThePlatformAsksForIsKeptExactly(t *testing.T) {
	p := newPacer(Limits{})
	p.Take(start, "c", engine.SendText)
	if held, counts := p.Throttled(start, start, 3*time.Hour); held != 3*time.Hour || !counts {
		t.Fatalf("held %v, counts %v", held, counts)
	}
	if held, counts := p.Throttled(start, start, time.Minute); held != 3*time.Hour || counts {
		t.Errorf("a shorter wait made it %v (counts %v)", held, counts)
	}
	if held, counts := p.Throttled(start, start, 0); held != 3*time.Hour || counts {
		t.Errorf("an unsaid wait made it %v (counts %v)", held, counts)
	}
	if held, _ := p.Throttled(start, start, 4*time.Hour); held != 4*time.Hour {
		t.Errorf("a longer wait made it %v", held)
	}
	if wait, by := p.Wait(start.Add(4*time.Hour - 1)); wait != 1 || by != ByPlatform {
		t.Errorf("wait %v by %s at the end, want 1ns by platform", wait, by)
	}
	p.Reconfigure(Limits{Rate: perMinute(30)}, start)
	if !p.Held(start) {
		t.Error("a reload lifted it")
	}
}

func TestWaitsOfUnsaidLengthGrowUntilSomethingIsCarriedOut(t *testing.T) {
	p := newPacer(Limits{})
	now := start
	for i, upper := range []time.Duration{2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		upper *= second
		now = send(p, now, p.throttles)
		if held := p.Status().Until.Sub(now); held < upper/2 || held > upper {
			t.Errorf("wait %d is %v, want %v to %v", i+1, held, upper/2, upper)
		}
	}
	now = send(p, now, p.succeeds)
	now = send(p, now, p.throttles)
	if held := p.Status().Until.Sub(now); held > 2*second {
		t.Errorf("after a success the wait is %v again", held)
	}
}

func TestAnAnswerThatCarriesNothingOutEndsNoRowOfRefusals(t *testing.T) {
	p := newPacer(Limits{})
	now := start
	for range 3 {
		now = send(p, now, p.throttles)
	}
	now = send(p, now, func(left time.Time) { p.Answered(left, left, false) })
	if s := p.Status(); !s.Probing || s.Refused != 3 {
		t.Errorf("after a failure of another kind: %+v", s)
	}
	if wait, _ := p.Wait(now.Add(time.Minute)); wait != 0 {
		t.Errorf("the next probe waits %v", wait)
	}
}

func TestRequestsToldOffTogetherHalveThePaceOnce(t *testing.T) {
	p := newPacer(Limits{Rate: engine.Rate{N: 100, Per: second}, Burst: 100, Parallel: 16})
	now := start.Add(time.Minute)
	for range 16 {
		p.Take(now, "c", engine.SendText)
	}
	for i := range 16 {
		at := now.Add(time.Duration(i) * time.Millisecond)
		if _, counts := p.Throttled(at, now, second); counts != (i == 0) {
			t.Errorf("refusal %d: counts %v", i+1, counts)
		}
	}
	wantShare(t, p, 0.5)
	// One that was answered only when the hold was long over had left before it.
	if _, counts := p.Throttled(now.Add(10*second), now, 0); counts {
		t.Error("a late answer to what left before the hold counts")
	}
	wantShare(t, p, 0.5)
	if n := p.Parallel(); n != 8 {
		t.Errorf("%d requests may be on the wire, want 8", n)
	}
}

func TestThePaceHalvesDownToASixteenth(t *testing.T) {
	p := newPacer(Limits{Rate: engine.Rate{N: 16, Per: second}, Parallel: 16})
	now := start
	for i, want := range []float64{1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 16} {
		now = send(p, now, p.throttles)
		wantShare(t, p, want)
		if n := p.Parallel(); n != int(16*want) {
			t.Errorf("refusal %d: %d requests may be on the wire, want %v", i+1, n, 16*want)
		}
	}
	if n := newPacer(Limits{}).Parallel(); n != 1 {
		t.Errorf("one request at a time became %d", n)
	}
}

func TestALoweredPaceIsThePlatformsLimit(t *testing.T) {
	p := newPacer(Limits{Rate: perMinute(60)})
	now := send(p, start, func(left time.Time) { p.Throttled(left, left, second) })
	now = send(p, now, p.succeeds)
	if wait, by := p.Wait(now); wait != 2*second || by != ByPlatform {
		t.Errorf("wait %v by %s, want 2s by platform", wait, by)
	}
}

// From half the pace to all of it: five steps, each half a minute after the one
// before, the first of them half a minute after the first success.
func TestRecoveryTakesAsLongAsStated(t *testing.T) {
	for _, tt := range []struct {
		name     string
		refusals int
		steps    int
	}{{"from half", 1, 5}, {"from a sixteenth", 4, 10}} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPacer(Limits{Rate: engine.Rate{N: 10, Per: second}})
			now := start
			for range tt.refusals {
				now = send(p, now, p.throttles)
			}
			first := send(p, now, p.succeeds)
			now = first
			for p.Status().Slowed {
				now = send(p, now, p.succeeds)
			}
			// A step comes with the first send after its half minute.
			want, late := time.Duration(tt.steps)*stepEvery, time.Duration(tt.steps)*2*second
			if took := now.Sub(first); took < want || took > want+late {
				t.Errorf("took %v, want %v", took, want)
			}
			wantShare(t, p, 1)
			send(p, now, p.succeeds)
			if wait, by := p.Wait(now); wait > 200*time.Millisecond || by == ByPlatform {
				t.Errorf("recovered, and waits %v by %s", wait, by)
			}
		})
	}
}

func TestSilenceIsNoRecovery(t *testing.T) {
	p := newPacer(Limits{Rate: engine.Rate{N: 10, Per: second}})
	now := send(p, start, p.throttles)
	now = send(p, now.Add(20*time.Minute), p.succeeds)
	wantShare(t, p, 0.5)
	now = send(p, now.Add(20*time.Minute), p.succeeds)
	wantShare(t, p, 0.6)
	send(p, now, p.succeeds)
	wantShare(t, p, 0.6)
}

func TestARefusalIsForgottenAfterAnHour(t *testing.T) {
	p := newPacer(Limits{Rate: engine.Rate{N: 10, Per: second}})
	now := send(p, start, func(left time.Time) { p.Throttled(left, left, 10*second) })
	now = send(p, now.Add(Forgets+10*second-1), p.succeeds)
	wantShare(t, p, 0.5)
	send(p, now.Add(1), p.succeeds)
	if s := p.Status(); s.Slowed {
		t.Errorf("an hour after the wait: %+v", s)
	}
}

func TestARefusalDuringTheRecoveryHalvesWhatThereIs(t *testing.T) {
	p := newPacer(Limits{Rate: engine.Rate{N: 10, Per: second}})
	now := send(p, start, p.throttles)
	for p.Status().Share < 0.8 {
		now = send(p, now, p.succeeds)
	}
	send(p, now, p.throttles)
	wantShare(t, p, 0.4)
}

// An account without a rate is held to what it sent, and let go once it has sent
// a quarter more than that without being told off.
func TestAnAccountWithoutARateIsMeasured(t *testing.T) {
	p := newPacer(Limits{Parallel: 4})
	now := start.Add(time.Hour) // the silence before does not count
	for range 40 {              // ten a second for four seconds
		p.Take(now, "c", engine.SendText)
		p.Answered(now, now, true)
		now = now.Add(100 * time.Millisecond)
	}
	now = send(p, now, func(left time.Time) { p.Throttled(left, left, second) })
	now = send(p, now, p.succeeds)
	now = send(p, now, p.succeeds)
	wait, by := p.Wait(now)
	if by != ByPlatform || (wait-200*time.Millisecond).Abs() > 10*time.Millisecond {
		t.Fatalf("wait %v by %s, want 200ms by platform: half of ten a second", wait, by)
	}
	began := now
	for p.Status().Slowed {
		now = send(p, now, p.succeeds)
	}
	if took := now.Sub(began); took < 240*second || took > 245*second { // seven steps are 1.2, the eighth passes a quarter more
		t.Errorf("let go after %v, want eight half minutes", took)
	}
	if wait, _ := p.Wait(now); wait != 0 {
		t.Errorf("let go, and waits %v", wait)
	}
}

func TestTheMeterSeesTheLastSecondsOnly(t *testing.T) {
	m := meter{began: start}
	now := start
	for range 10_000 { // a hundred a second, for 100 s
		m.add(now)
		now = now.Add(10 * time.Millisecond)
	}
	if got := m.perSecond(now); got < 98 || got > 102 {
		t.Errorf("%v a second, want 100", got)
	}
	now = now.Add(time.Minute)
	if got := m.perSecond(now); got != 0 {
		t.Errorf("%v a second after a minute of silence", got)
	}
	for range 5 {
		m.add(now)
	}
	if got := m.perSecond(now); got != 5 {
		t.Errorf("%v a second for five at once after a silence, want 5", got)
	}
}

func TestTheThirdRefusalInARowOpensTheBreaker(t *testing.T) {
	p := newPacer(Limits{Parallel: 16})
	now := start
	for i := range 2 {
		now = send(p, now, p.throttles)
		if p.Status().Probing {
			t.Fatalf("open after %d refusals", i+1)
		}
	}
	send(p, now, p.throttles)
	now = p.Status().Until
	p.Take(now, "c", engine.SendText) // the probe
	if wait, by := p.Wait(now.Add(time.Hour)); wait != Forever || by != ByPlatform {
		t.Errorf("beside the probe: wait %v by %s", wait, by)
	}
	if p.Held(now) {
		t.Error("the probe itself is held")
	}
	// Others that had left before are answered now; that frees nobody.
	p.Answered(now, start, true)
	p.Unsent(start)
	if wait, _ := p.Wait(now.Add(time.Hour)); wait != Forever {
		t.Error("a straggler let a second probe through")
	}
	p.Unsent(now)
	if wait, _ := p.Wait(now.Add(time.Minute)); wait != 0 {
		t.Errorf("a probe that did not leave makes the next wait %v", wait)
	}
	send(p, now.Add(time.Minute), p.succeeds)
	if s := p.Status(); s.Probing || s.Refused != 0 {
		t.Errorf("after a success: %+v", s)
	}
}

func TestAnOpenBreakerDoesNotBelieveAShortWaitThatNeverHelps(t *testing.T) {
	p := newPacer(Limits{})
	now := start
	for range 10 {
		now = send(p, now, func(left time.Time) { p.Throttled(left, left, second) })
	}
	if held := p.Status().Until.Sub(now); held < longestThrottled/2 {
		t.Errorf("held for %v after ten refusals", held)
	}
	p = newPacer(Limits{})
	now = start
	for range 10 {
		now = send(p, now, func(left time.Time) { p.Throttled(left, left, time.Hour) })
		if held := p.Status().Until.Sub(now); held != time.Hour {
			t.Fatalf("held for %v, want the hour that was asked for", held)
		}
	}
}

func TestAThrottleOfTwoHoursSeesFewProbes(t *testing.T) {
	p := newPacer(Limits{Parallel: 16})
	now, n := start, 0
	for ; now.Sub(start) < 2*time.Hour; n++ {
		now = send(p, now, p.throttles)
	}
	if n < 24 || n > 60 {
		t.Errorf("%d requests in two hours, want some forty", n)
	}
}

func TestAReloadKeepsTheShareOfThePace(t *testing.T) {
	p := newPacer(Limits{Rate: perMinute(60)})
	now := send(p, start, p.throttles)
	now = send(p, now, p.succeeds)
	p.Reconfigure(Limits{Rate: perMinute(120)}, now)
	wantShare(t, p, 0.5)
	now = send(p, now, p.succeeds)
	if wait, by := p.Wait(now); wait != second || by != ByPlatform {
		t.Errorf("wait %v by %s, want half of the new rate", wait, by)
	}
	p.Reconfigure(Limits{}, now)
	wantShare(t, p, 0.5)
	if wait, by := p.Wait(now); wait != second || by != ByPlatform {
		t.Errorf("the rate is gone: wait %v by %s, want what it was", wait, by)
	}
}

func TestARestartKeepsWhatThePlatformWants(t *testing.T) {
	limits := Limits{Rate: perMinute(60), Parallel: 16}
	old := newPacer(limits)
	now := start
	for range 4 {
		now = send(old, now, old.throttles)
	}
	memo := old.Trouble(now)
	if memo.Wait <= 0 || memo.Refused != 4 {
		t.Fatalf("to remember: %+v", memo)
	}
	now = now.Add(second)
	memo.Wait -= second
	p := New(Limits{}, NewGlobal(engine.Rate{}, now), rand.New(rand.NewPCG(3, 4)).Float64, now)
	p.Resume(memo, now)
	p.Reconfigure(limits, now)
	if wait, by := p.Wait(now); wait != memo.Wait || by != ByPlatform {
		t.Errorf("wait %v by %s, want the rest of the wait, %v", wait, by, memo.Wait)
	}
	wantShare(t, p, 1./16)
	now = now.Add(memo.Wait)
	p.Take(now, "c", engine.SendText)
	if wait, _ := p.Wait(now); wait != Forever {
		t.Error("more than one probe goes after the restart")
	}
	p.Answered(now, now, true)
	if wait, by := p.Wait(now); wait != 16*second || by != ByPlatform {
		t.Errorf("wait %v by %s, want 16s by platform", wait, by)
	}
}

func TestARestartLetsOneProbeToAnUnreachablePlatform(t *testing.T) {
	p := newPacer(Limits{Parallel: 16})
	p.Resume(Trouble{Unreachable: true}, start)
	if wait, _ := p.Wait(start); wait != 0 {
		t.Errorf("the probe waits %v", wait)
	}
	p.Take(start, "c", engine.SendText)
	if wait, _ := p.Wait(start); wait != Forever {
		t.Error("a second request goes beside the probe")
	}
}

func TestWhatIsResumedIsBounded(t *testing.T) {
	for _, memo := range []Trouble{
		{Level: -7, Base: 1, Refused: 9}, {Level: 1 << 40, Base: 1}, {Level: 40, Base: -1}, {Level: 40, Base: 1e-300}, {Level: 40, Base: 1e308}, {Level: 40}, {Refused: 1 << 40}, {Wait: -time.Hour},
	} {
		p := newPacer(Limits{Rate: perMinute(60)})
		p.Resume(memo, start)
		if wait, by := p.Wait(start); wait != 0 {
			t.Errorf("%+v: wait %v by %s", memo, wait, by)
		}
		if s := p.Status(); s.Share < 1./16 || s.Share > 1 || s.Refused > 0 && !s.Slowed {
			t.Errorf("%+v: %+v", memo, s)
		}
	}
}

func TestOnePacerSlowsNoOther(t *testing.T) {
	g := NewGlobal(engine.Rate{}, start)
	a := New(Limits{}, g, rand.Float64, start)
	b := New(Limits{}, g, rand.Float64, start)
	now := start
	for range 5 {
		now = send(a, now, a.throttles)
	}
	if wait, _ := b.Wait(now); wait != 0 || b.Status() != (Status{Share: 1}) {
		t.Errorf("the other waits %v and stands %+v", wait, b.Status())
	}
}

func TestNothingIsAllocatedForASend(t *testing.T) {
	for name, slowed := range map[string]bool{"at the usual pace": false, "slowed down": true} {
		p := newPacer(Limits{Rate: engine.Rate{N: 1e6, Per: second}, Burst: 1e6, Parallel: 16})
		now := start.Add(time.Minute)
		if slowed {
			now = send(p, now, p.throttles)
		}
		if n := testing.AllocsPerRun(1000, func() {
			now = now.Add(time.Millisecond)
			p.Wait(now)
			p.Take(now, "c", engine.SendText)
			p.Answered(now, now, true)
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkSend(b *testing.B) {
	p := newPacer(Limits{Rate: engine.Rate{N: 1e9, Per: second}, Burst: 1e9, Parallel: 16})
	now := start
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Microsecond)
		p.Wait(now)
		p.Take(now, "c", engine.SendText)
		p.Answered(now, now, true)
	}
}
