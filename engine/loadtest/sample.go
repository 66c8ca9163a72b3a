package loadtest

import "fmt"

// Sample is one measurement. Figures that a server does not have are 0.
type Sample struct {
	Seconds float64 `json:"seconds"` // measured, without warm-up
	// Rate is what is compared: callbacks answered 200 per second, or, where
	// replies are waited for, replies that reached the platform per second,
	// until the last has.
	Rate     float64 `json:"per_second"`
	Acks     float64 `json:"acks_per_second"`
	Ack      Latency `json:"ack"`                       // from sending the callback to its answer
	Way      Latency `json:"way"`                       // from sending the callback to the platform's receipt of the reply
	CPU      float64 `json:"cpu_us"`                    // of the server under test, per event
	Device   float64 `json:"device_b"`                  // bytes the server had written to the device, per event
	Bulk     float64 `json:"bulk_per_second,omitempty"` // bulk commands that reached the platform meanwhile
	Commits  float64 `json:"commits"`                   // per event
	Fsyncs   float64 `json:"fsyncs"`                    // per event; a commit is two
	Acts     float64 `json:"acts_per_commit"`           // that shared one
	Handled  float64 `json:"handled_share"`             // of the events taken in meanwhile
	Resident float64 `json:"resident_mib"`              // anonymous memory at the end
	Others   float64 `json:"other_cores"`               // CPU used by strangers to the test
	Sync     float64 `json:"sync_ms"`                   // F, measured before the group
	Ready    float64 `json:"ready_s"`                   // from start to taking callbacks, after a crash
	Growth   float64 `json:"commit_growth"`             // mean commit time of the last tenth of the events to the first's
	// FileToLive is the store's file to what is in use of it.
	FileToLive float64 `json:"file_to_live"`
	BytesEach  float64 `json:"bytes_each"` // of heap, for what the store was filled with

	Statuses map[string]int `json:"statuses"` // of the answers
	Failed   int            `json:"failed"`   // requests without an answer
	Failure  string         `json:"failure,omitempty"`
	Totals   Totals         `json:"totals"`
	// Malformed counts requests to the platform that no event could be read from.
	Malformed int      `json:"malformed"`
	Platform  Platform `json:"platform"`
	Sender    Sender   `json:"sender"`
	// Dead counts the engine's dead letters at the end. They are among the lost.
	Dead    int   `json:"dead_letters"`
	Backlog []int `json:"backlog,omitempty"` // acked and not yet delivered, 20 times a second, warm-up and drain included
}

// Sender counts what the sender of callbacks did beyond sending each once, warm-up
// included.
type Sender struct {
	Retold  int `json:"told_again"`
	Unheard int `json:"answers_unheard"` // of the engine, that never reached it
	GaveUp  int `json:"given_up"`        // events that it told as often as it does, and heard no success
}

// figures are all numbers of which a median makes sense.
func (s *Sample) figures() []*float64 {
	return []*float64{
		&s.Seconds, &s.Rate, &s.Acks,
		&s.Ack.P50, &s.Ack.P99, &s.Ack.P999, &s.Ack.Max,
		&s.Way.P50, &s.Way.P99, &s.Way.P999, &s.Way.Max,
		&s.CPU, &s.Device, &s.Commits, &s.Fsyncs, &s.Acts, &s.Handled,
		&s.Resident, &s.Others, &s.Sync, &s.Ready, &s.Growth, &s.FileToLive, &s.BytesEach, &s.Bulk,
	}
}

// brief is the sample on the line that shows progress.
func (s *Sample) brief() string {
	line := fmt.Sprintf("%.0f/s, answer p50 %.2f ms p99 %.2f ms", s.Rate, s.Ack.P50, s.Ack.P99)
	if s.Way.P99 > 0 {
		line += fmt.Sprintf(", to platform p99 %.2f ms", s.Way.P99)
	}
	if s.Bulk > 0 {
		line += fmt.Sprintf(", %.0f bulk commands/s", s.Bulk)
	}
	if s.Rate == 0 {
		line = fmt.Sprintf("%.0f MiB", s.Resident)
	}
	if s.Ready > 0 {
		line += fmt.Sprintf(", ready after %.2f s", s.Ready)
	}
	if s.Others > 0.5 {
		line += fmt.Sprintf(" (others used %.1f cores)", s.Others)
	}
	return line
}

// add counts other's events and failures in.
func (s *Sample) add(other *Sample) {
	for status, n := range other.Statuses {
		if s.Statuses == nil {
			s.Statuses = make(map[string]int)
		}
		s.Statuses[status] += n
	}
	s.Failed += other.Failed
	if other.Failure != "" {
		s.Failure = other.Failure
	}
	s.Malformed += other.Malformed
	s.Platform.Throttled += other.Platform.Throttled
	s.Platform.Failed += other.Platform.Failed
	s.Platform.HungUp += other.Platform.HungUp
	s.Sender.Retold += other.Sender.Retold
	s.Sender.Unheard += other.Sender.Unheard
	s.Sender.GaveUp += other.Sender.GaveUp
	s.Dead += other.Dead
	t, o := &s.Totals, &other.Totals
	t.Acked += o.Acked
	t.Delivered += o.Delivered
	t.Waiting += o.Waiting
	t.Doubled += o.Doubled
	t.Repeated += o.Repeated
	t.Disordered += o.Disordered
	t.Stray += o.Stray
}
