package pull

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine/channel"
	"bot/store"
)

func failure(c channel.Class) *channel.SendError {
	return &channel.SendError{Class: c, Note: "the platform's words"}
}

// failing is a platform that fails that many times and then has one event.
func failing(times int, err func(n int) error) *platform {
	n := 0
	return newPlatform(func(_, _, cursor string) (channel.Page, error) {
		if n++; n <= times {
			return channel.Page{}, err(n)
		}
		if cursor != "" {
			return channel.Page{Cursor: cursor}, nil
		}
		return page("c1", false, "e1"), nil
	})
}

func TestHowLongItWaitsForWhat(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		wait time.Duration
	}{
		"a failure that passes":           {failure(channel.Transient), 1500 * time.Millisecond},
		"nobody there":                    {failure(channel.Unreachable), 1500 * time.Millisecond},
		"no answer":                       {failure(channel.Unsure), 1500 * time.Millisecond},
		"an error that no Puller may use": {errors.New("foreign"), 1500 * time.Millisecond},
		"too many, with a time":           {&channel.SendError{Class: channel.Throttled, Until: bubble.Add(7 * time.Hour)}, 7 * time.Hour},
		"too many, with none":             {failure(channel.Throttled), 1500 * time.Millisecond},
		"too many, until just now":        {&channel.SendError{Class: channel.Throttled, Until: bubble}, 1500 * time.Millisecond},
		"what will never work":            {failure(channel.Permanent), 5 * time.Minute},
		"an account that is halted":       {failure(channel.Halted), 5 * time.Minute},
		"a token that is refused":         {failure(channel.Credential), 5 * time.Minute},
		"a failure with a wrapping":       {fmt.Errorf("pull: %w", failure(channel.Halted)), 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := start(t, newNotebook("ring/kf", "rung:T"), failing(1, func(int) error { return tt.err }))
				time.Sleep(tt.wait - 1)
				h.pulled("0s kf token=T cursor=")
				h.wrote()
				time.Sleep(time.Nanosecond)
				h.pulled("0s kf token=T cursor=", tt.wait.String()+" kf token=T cursor=")
				h.wrote("page e1 cursor/kf=c1 ring/kf=")
			})
		})
	}
}

// bubble is when time begins in a bubble.
var bubble = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestWaitsDoubleUpToALimitAndBeginAnewAfterAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := map[string]channel.Page{"": page("c1", true, "e1"), "c1": page("c2", false, "e2")}
		n := 0
		h := start(t, newNotebook("ring/kf", "rung:T"), newPlatform(func(_, _, cursor string) (channel.Page, error) {
			if n++; n != 12 && n != 14 {
				return channel.Page{}, failure(channel.Transient)
			}
			return pages[cursor], nil
		}))
		time.Sleep(30 * time.Minute)
		at := time.Duration(0)
		want := []string{"0s kf token=T cursor="}
		for _, ms := range []time.Duration{1500, 2500, 4500, 8500, 16500, 32500, 64500, 128500, 150500, 150500, 150500} {
			at += ms * time.Millisecond
			want = append(want, at.String()+" kf token=T cursor=")
		}
		want = append(want, at.String()+" kf token=T cursor=c1") // the 13th fails
		at += 1500 * time.Millisecond
		want = append(want, at.String()+" kf token=T cursor=c1")
		synctest.Wait()
		h.platform.calls = h.platform.calls[:len(want)]
		h.pulled(want...)
	})
}

func TestBackoffIsWithinItsBounds(t *testing.T) {
	for _, tt := range []struct {
		failures int
		lo, hi   time.Duration
	}{
		{1, time.Second, 2 * time.Second},
		{2, time.Second, 4 * time.Second},
		{8, time.Second, 256 * time.Second},
		{9, time.Second, 5 * time.Minute},
		{1 << 40, time.Second, 5 * time.Minute},
	} {
		lo, hi := backoff(tt.failures, 0), backoff(tt.failures, 1-1e-12)
		if lo != tt.lo || hi > tt.hi || hi < tt.hi-time.Millisecond {
			t.Errorf("after %d failures %v to %v, want %v to %v", tt.failures, lo, hi, tt.lo, tt.hi)
		}
	}
}

func TestARingEndsNoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook("ring/kf", "rung:T"), failing(2, func(n int) error {
			return []error{failure(channel.Transient), failure(channel.Permanent)}[n-1]
		}))
		time.Sleep(time.Second)
		h.ring("kf", "T2")
		time.Sleep(2 * time.Second)
		h.ring("kf", "T3")
		time.Sleep(10 * time.Minute)
		h.pulled("0s kf token=T cursor=", "1.5s kf token=T2 cursor=", "5m1.5s kf token=T3 cursor=", "10m1.5s kf token= cursor=c1")
	})
}

func TestAnotherConfigurationEndsTheWaitsThatTheOldOneCaused(t *testing.T) {
	for class, ended := range map[channel.Class]bool{
		channel.Permanent: true, channel.Halted: true, channel.Credential: true,
		channel.Transient: false, channel.Unreachable: false, channel.Unsure: false, channel.Throttled: false,
	} {
		t.Run(string(class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := start(t, newNotebook("ring/kf", "rung:T"), failing(1, func(int) error { return failure(class) }))
				time.Sleep(time.Second)
				h.porter.Wake()
				want := []string{"0s kf token=T cursor=", "1s kf token=T cursor="}
				if !ended {
					want = want[:1]
				}
				h.pulled(want...)
			})
		})
	}
}

func TestAConfigurationOfLongAgoEndsNoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook("cursor/kf", "c0"), failing(2, func(int) error { return failure(channel.Halted) }))
		time.Sleep(time.Minute)
		h.porter.Wake() // and once more, while nothing waits for it
		h.porter.Wake()
		time.Sleep(time.Minute)
		h.pulled("0s kf token= cursor=c0", "1m0s kf token= cursor=c0")
	})
}

func TestTroubleIsToldOnceAndThatItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook("ring/kf", "rung:SECRET"), failing(7, func(n int) error {
			return failure([]channel.Class{channel.Transient, channel.Transient, channel.Transient, channel.Halted, channel.Halted, channel.Halted, channel.Transient}[n-1])
		}))
		time.Sleep(time.Hour)
		said := h.logged()
		for what, want := range map[string]int{"level=WARN": 2, "level=ERROR": 1, "level=INFO": 1, "account=shop source=kf": 4, "the platform's words": 3, "SECRET": 0} {
			if n := strings.Count(said, what); n != want {
				t.Errorf("%s: %d times, want %d:\n%s", what, n, want, said)
			}
		}
	})
}

func TestAStoreThatCanDoNoMoreEndsTheRun(t *testing.T) {
	for _, end := range []error{store.ErrFailed, store.ErrClosed} {
		synctest.Test(t, func(t *testing.T) {
			n := newNotebook("ring/kf", "rung:T", "cursor/other", "c1")
			n.refuse = func(string) error { return fmt.Errorf("commit: %w", end) }
			h := start(t, n, book(map[string]channel.Page{"": page("c1", false, "e1")}))
			synctest.Wait()
			if err := <-h.ended; !errors.Is(err, end) {
				t.Errorf("got %v, want %v", err, end)
			}
			h.ended <- nil
		})
	}
}
