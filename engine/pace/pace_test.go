package pace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func perMinute(n float64) engine.Rate { return engine.Rate{N: n, Per: time.Minute} }

func newPacer(l Limits) *Pacer {
	return New(l, NewGlobal(engine.Rate{}, start), rand.New(rand.NewPCG(1, 2)).Float64, start)
}

// sendings lets a pacer send n commands as fast as it allows, and returns when
// they went, counted from the start.
func sendings(p *Pacer, n int, conversation func(i int) string) []time.Duration {
	var at []time.Duration
	now := start
	for i := range n {
		c := conversation(i)
		for {
			wait, _ := p.Wait(now)
			wait = max(wait, p.WaitConversation(now, c), p.WaitAction(now, engine.SendText))
			if wait == 0 {
				break
			}
			now = now.Add(wait)
		}
		p.Take(now, c, engine.SendText)
		p.Answered(now, now, true)
		at = append(at, now.Sub(start))
	}
	return at
}

func one(int) string         { return "c" }
func different(i int) string { return fmt.Sprint(i) }

func TestWhenCommandsMayGo(t *testing.T) {
	second := time.Second
	for _, tt := range []struct {
		name   string
		limits Limits
		talks  func(int) string
		want   []time.Duration
	}{
		{"without limits all at once", Limits{}, one, []time.Duration{0, 0, 0, 0}},
		{"a rate spaces them evenly", Limits{Rate: perMinute(30)}, one, []time.Duration{0, 2 * second, 4 * second, 6 * second}},
		{"a burst is not there after the start", Limits{Rate: perMinute(30), Burst: 3}, one, []time.Duration{0, 2 * second, 4 * second, 6 * second}},
		{"a conversation has a rate of its own", Limits{PerConversation: perMinute(60)}, one, []time.Duration{0, second, 2 * second, 3 * second}},
		{"which leaves other conversations alone", Limits{PerConversation: perMinute(60)}, different, []time.Duration{0, 0, 0, 0}},
		{"an action has a rate of its own", Limits{Actions: map[engine.Action]ActionLimit{engine.SendText: {Rate: perMinute(20)}}}, one, []time.Duration{0, 3 * second, 6 * second, 9 * second}},
		{"which leaves other actions alone", Limits{Actions: map[engine.Action]ActionLimit{engine.AddMember: {Rate: perMinute(1)}}}, one, []time.Duration{0, 0, 0, 0}},
		{"a gap of one length is kept exactly", Limits{Gap: engine.Range{Min: 5 * second, Max: 5 * second}}, different, []time.Duration{0, 5 * second, 10 * second, 15 * second}},
		{"the longest of all waits counts", Limits{Rate: perMinute(30), PerConversation: perMinute(10)}, one, []time.Duration{0, 6 * second, 12 * second, 18 * second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := sendings(newPacer(tt.limits), 4, tt.talks)
			for i := range tt.want {
				if d := got[i] - tt.want[i]; d.Abs() > time.Microsecond {
					t.Fatalf("sent at %v, want %v", got, tt.want)
				}
			}
		})
	}
}

func TestABurstFillsUpWhileNothingIsSent(t *testing.T) {
	p := newPacer(Limits{Rate: perMinute(60), Burst: 3})
	now := start.Add(time.Minute)
	for i := range 3 {
		if wait, _ := p.Wait(now); wait != 0 {
			t.Fatalf("send %d of the burst waits %v", i+1, wait)
		}
		p.Take(now, "c", engine.SendText)
	}
	if wait, by := p.Wait(now); wait != time.Second || by != ByAccount {
		t.Fatalf("after the burst: wait %v by %s, want 1s by account", wait, by)
	}
}

func TestAskingTakesNoToken(t *testing.T) {
	p := newPacer(Limits{Rate: perMinute(1), PerConversation: perMinute(1)})
	for range 1000 {
		p.WaitConversation(start, "c")
		if wait, _ := p.Wait(start); wait != 0 {
			t.Fatal("the token went without a Take")
		}
	}
}

func TestTheGlobalRateBindsAllAccountsTogether(t *testing.T) {
	g := NewGlobal(engine.Rate{N: 1, Per: time.Second}, start)
	a := New(Limits{}, g, rand.Float64, start)
	b := New(Limits{}, g, rand.Float64, start)
	a.Take(start, "x", engine.SendText)
	if wait, by := b.Wait(start); wait != time.Second || by != ByGlobal {
		t.Fatalf("the other account: wait %v by %s, want 1s by global", wait, by)
	}
}

func TestTheGlobalRateForgivesLateTimersByATenthOfASecond(t *testing.T) {
	g := NewGlobal(engine.Rate{N: 200, Per: time.Second}, start)
	now, n := start.Add(time.Minute), 0
	for ; g.Wait(now) == 0; n++ {
		g.bucket.take(now)
	}
	if n != 20 {
		t.Fatalf("%d at once after a rest, want 20", n)
	}
}

func TestReconfigureKeepsWhatWasUsed(t *testing.T) {
	hour := engine.Rate{N: 1, Per: time.Hour}
	limits := Limits{Rate: hour, PerConversation: hour, Actions: map[engine.Action]ActionLimit{engine.SendText: {Rate: hour}}}
	p := newPacer(limits)
	p.Take(start, "c", engine.SendText)
	p.Reconfigure(limits, start)
	whole, _ := p.Wait(start)
	for what, wait := range map[string]time.Duration{
		"account": whole, "conversation": p.WaitConversation(start, "c"), "action": p.WaitAction(start, engine.SendText),
	} {
		if wait != time.Hour {
			t.Errorf("%s: wait %v after the same limits came again, want 1h", what, wait)
		}
	}
	limits.Rate = perMinute(1)
	p.Reconfigure(limits, start)
	if wait, _ := p.Wait(start); wait != time.Minute {
		t.Errorf("a higher rate: wait %v, want 1m", wait)
	}
	p.Reconfigure(Limits{}, start)
	whole, _ = p.Wait(start)
	if whole+p.WaitConversation(start, "c")+p.WaitAction(start, engine.SendText) != 0 {
		t.Error("a limit that is gone still holds")
	}
}

func TestConversationsAreForgottenWhenTheyAreFree(t *testing.T) {
	p := newPacer(Limits{PerConversation: perMinute(60)})
	now := start
	for i := range 10_000 {
		p.Take(now, fmt.Sprint(i), engine.SendText)
		if p.WaitConversation(now, "busy") == 0 {
			p.Take(now, "busy", engine.SendText)
		}
		now = now.Add(100 * time.Millisecond)
		if n := len(p.perChat.buckets); n > 13 || len(p.perChat.recent) != n {
			t.Fatalf("%d buckets and %d entries after %d sends, want those of one second", n, len(p.perChat.recent), i)
		}
	}
}

func TestAFasterRateFreesConversationsAtOnce(t *testing.T) {
	p := newPacer(Limits{PerConversation: engine.Rate{N: 1, Per: time.Hour}})
	for i := range 100 {
		p.Take(start.Add(time.Duration(i)*time.Second), fmt.Sprint(i), engine.SendText)
	}
	now := start.Add(100 * time.Second)
	p.Reconfigure(Limits{PerConversation: perMinute(60)}, now)
	now = now.Add(2 * time.Second)
	if wait := p.WaitConversation(now, "0"); wait != 0 {
		t.Errorf("a conversation waits %v by the old rate", wait)
	}
	p.Take(now, "new", engine.SendText)
	if n := len(p.perChat.buckets); n != 1 {
		t.Errorf("%d buckets are kept, want 1", n)
	}
}

func TestGapsAreNormalWithinTheirBounds(t *testing.T) {
	r := engine.Range{Min: 1500 * time.Millisecond, Max: 4500 * time.Millisecond}
	chance := rand.New(rand.NewPCG(7, 7)).Float64
	const n = 20_000
	var sum, squares float64
	var inner int
	for range n {
		d := gap(r, chance)
		if d < r.Min || d > r.Max {
			t.Fatalf("gap %v is outside %v", d, r)
		}
		s := d.Seconds()
		sum += s
		squares += s * s
		if math.Abs(s-3) < 0.75 {
			inner++
		}
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	// Cut at two deviations, 0.75 s becomes 0.75·0.8796, and 71.5 % lie within one.
	if math.Abs(mean-3) > 0.02 || math.Abs(deviation-0.6597) > 0.015 {
		t.Errorf("mean %.3f s, deviation %.3f s; want 3.000 and 0.660", mean, deviation)
	}
	if share := float64(inner) / n; math.Abs(share-0.7152) > 0.015 {
		t.Errorf("%.1f %% within one deviation of the middle, want 71.5 %%", 100*share)
	}
}

func TestAGapEndsEvenWithoutChance(t *testing.T) {
	r := engine.Range{Min: time.Second, Max: 3 * time.Second}
	if d := gap(r, func() float64 { return 0.9999 }); d != 2*time.Second {
		t.Fatalf("gap %v, want the middle", d)
	}
}

func TestReplyDelaysFillTheirRange(t *testing.T) {
	r := engine.Range{Min: 500 * time.Millisecond, Max: 2 * time.Second}
	p := newPacer(Limits{ReplyDelay: r})
	low, high := r.Max, r.Min
	for range 1000 {
		d := p.ReplyDelay()
		low, high = min(low, d), max(high, d)
	}
	if low < r.Min || high > r.Max || low > r.Min+50*time.Millisecond || high < r.Max-50*time.Millisecond {
		t.Fatalf("delays from %v to %v, want all of %v", low, high, r)
	}
}

func TestATakeThatCameToNothingUsesNothingUp(t *testing.T) {
	for name, limits := range map[string]Limits{
		"of the account":      {Rate: perMinute(1)},
		"of the conversation": {PerConversation: perMinute(1)},
		"of the action":       {Actions: map[engine.Action]ActionLimit{engine.SendText: {Rate: perMinute(1)}}},
		"between two sends":   {Gap: engine.Range{Min: time.Minute, Max: time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPacer(limits)
			for i := range 3 {
				p.Take(start, "c", engine.SendText)
				p.Void(start.Add(time.Second), start, "c", engine.SendText)
				now := start.Add(time.Second)
				whole, _ := p.Wait(now)
				if wait := max(whole, p.WaitConversation(now, "c"), p.WaitAction(now, engine.SendText)); wait != 0 {
					t.Errorf("after %d: %v", i+1, wait)
				}
			}
		})
	}
}

func TestTheGapOfALaterTakeStays(t *testing.T) {
	p := newPacer(Limits{Gap: engine.Range{Min: time.Minute, Max: time.Minute}})
	p.Take(start, "c", engine.SendText)
	later := start.Add(time.Minute)
	p.Take(later, "d", engine.SendText)
	p.Void(later, start, "c", engine.SendText)
	if wait, by := p.Wait(later); wait != time.Minute || by != ByGap {
		t.Errorf("%v by %s, want the gap of the other", wait, by)
	}
}
