package boltstore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store/storetest"
)

func TestFaultyStoreFailsAsPlanned(t *testing.T) {
	boom := errors.New("boom")
	s := mustOpen(t, testOptions(t, path(t)))
	f := storetest.Faulty(s, storetest.FailOn("Append", 2, boom))
	for i, want := range []error{nil, boom, nil} {
		if _, err := f.Append(ctx, []*engine.Event{event(string(rune('a' + i)))}, window); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i+1, err, want)
		}
	}
	if got := logged(t, s); len(got) != 2 || got["b"] {
		t.Errorf("log holds %v", got)
	}
	storetest.Check(t, f)
}

func TestLostAnswerOfAFaultyStoreTookEffect(t *testing.T) {
	boom := errors.New("boom")
	s := mustOpen(t, testOptions(t, path(t)))
	f := storetest.Faulty(s, func(string, int) storetest.Fault { return storetest.Fault{Lost: boom} })
	if _, err := f.Append(ctx, []*engine.Event{event("1")}, window); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if got := logged(t, s); !got["1"] {
		t.Errorf("log holds %v", got)
	}
}

func TestDelayOfAFaultyStoreEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, testOptions(t, path(t)))
		f := storetest.Faulty(s, func(m string, _ int) storetest.Fault { return storetest.Fault{Delay: time.Hour} })
		start := time.Now()
		if _, err := f.Stats(); err != nil || time.Since(start) != time.Hour {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		short, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if err := f.Sweep(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		s.Close()
	})
}
