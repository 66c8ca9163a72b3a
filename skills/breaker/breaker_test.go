package breaker_test

import (
	"testing"
	"time"

	"bot/skills/breaker"
)

// service is called through a breaker at moments of the test's own.
type service struct {
	*breaker.Breaker
	t   *testing.T
	now time.Time
}

func newService(t *testing.T) *service {
	s := &service{t: t, now: time.Unix(0, 0)}
	s.Breaker = breaker.New(func() time.Time { return s.now })
	return s
}

// call reports a result for each of as many calls as there are results.
func (s *service) call(results ...breaker.Result) {
	s.t.Helper()
	for i, r := range results {
		s.begin(i)(r)
	}
}

func (s *service) begin(i int) func(breaker.Result) {
	s.t.Helper()
	report, ok := s.Allow()
	if !ok {
		s.t.Fatalf("call %d is not allowed", i)
	}
	return report
}

func (s *service) refused() {
	s.t.Helper()
	if _, ok := s.Allow(); ok {
		s.t.Fatal("a call is allowed")
	}
}

const failure, success, void = breaker.Failure, breaker.Success, breaker.Void

func TestFiveFailuresInARowOpenIt(t *testing.T) {
	s := newService(t)
	s.call(failure, failure, failure, failure, success, failure, failure, void, failure, failure)
	s.call(failure)
	s.refused()
}

func TestEachPauseIsTwiceTheLastUpToTheLongest(t *testing.T) {
	s := newService(t)
	s.call(failure, failure, failure, failure, failure)
	for _, pause := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		s.now = s.now.Add(pause*time.Second - 1)
		s.refused()
		s.now = s.now.Add(1)
		s.call(failure)
	}
	s.now = s.now.Add(breaker.Most)
	s.call(success, failure, failure, failure, failure, failure)
	s.now = s.now.Add(breaker.First)
	s.call(success)
}

func TestOneCallAtATimeFindsOut(t *testing.T) {
	s := newService(t)
	s.call(failure, failure, failure, failure, failure)
	s.now = s.now.Add(breaker.First)
	report := s.begin(0)
	s.refused()
	report(void) // says nothing: the next one may try at once
	report = s.begin(1)
	s.refused()
	report(success)
	s.call(failure, success)
}

func TestCallsBegunBeforeItOpenedDoNotKeepItOpen(t *testing.T) {
	s := newService(t)
	late, good := s.begin(0), s.begin(1)
	s.call(failure, failure, failure, failure, failure)
	s.now = s.now.Add(breaker.First / 2)
	late(failure)
	s.now = s.now.Add(breaker.First / 2)
	s.begin(0)(void)
	good(success)
	s.call(failure, failure, failure, failure, success)
}
