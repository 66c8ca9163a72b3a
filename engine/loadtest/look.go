package loadtest

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// look is the state of everything at one moment.
type look struct {
	at     int64 // ledger time
	usage  usage
	own    usage
	device int64 // bytes that the stores' device was given, by everybody
	series series
	totals Totals
}

func (b *bench) look(ctx context.Context, r *rig, srv *server) (look, error) {
	metrics, err := scrape(ctx, srv.admin)
	if err != nil {
		return look{}, errors.Join(err, srv.ended())
	}
	return look{
		at: r.ledger.now(), usage: srv.usage(), own: ownUsage(), device: deviceWritten(b.dir), series: metrics, totals: r.ledger.sum(),
	}, nil
}

// between makes a sample of what happened from one look to the other. The load
// stopped after the time given; what came later was only replies.
func between(before, after look, sent *traffic, loaded time.Duration, replies bool) Sample {
	seconds := time.Duration(after.at - before.at).Seconds()
	s := Sample{
		Seconds: seconds, Acks: per(float64(sent.ok), loaded.Seconds()),
		Resident: float64(after.usage.resident) / (1 << 20),
		Statuses: make(map[string]int), Failed: sent.failed, Totals: after.totals,
	}
	s.Rate = s.Acks
	events := float64(sent.ok)
	if replies {
		events = float64(after.totals.Delivered - before.totals.Delivered)
		s.Rate = per(events, seconds)
	}
	used := after.usage.cpu - before.usage.cpu
	ours := used + after.own.cpu - before.own.cpu
	s.CPU = per(float64(used.Microseconds()), events)
	s.Device = per(float64(deviceBytes(after.usage.written-before.usage.written, after.device-before.device)), events)
	s.Others = max(0, per((after.usage.busy-before.usage.busy-ours).Seconds(), seconds))
	delta := func(name string) float64 { return after.series[name] - before.series[name] }
	s.Dead = int(after.series["bot_dead_letters"])
	s.Sender = Sender{Retold: sent.retold, Unheard: sent.unheard, GaveUp: sent.gaveUp}
	s.Commits = per(delta("bot_commit_seconds_count"), events)
	s.Fsyncs = syncsOfCommit * s.Commits
	s.Acts = per(delta("bot_commit_acts_sum"), delta("bot_commit_acts_count"))
	s.Handled = per(delta("bot_events_handled_total"), delta("bot_events_queued_total"))
	for status, n := range sent.statuses {
		s.Statuses[strconv.Itoa(status)] = n
	}
	if sent.lastError != nil {
		s.Failure = sent.lastError.Error()
	}
	return s
}

// syncsOfCommit: bbolt writes its pages, then its root.
const syncsOfCommit = 2

// per is a ratio that is 0 where there is nothing to divide by.
func per(n, of float64) float64 {
	if of <= 0 {
		return 0
	}
	return n / of
}
