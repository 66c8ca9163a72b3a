// Package metrics holds the series that operators and acceptance checks read
// on /metrics, under the names that are promised to them. One Metrics belongs
// to one engine: nothing is registered globally, so that two engines in one
// process do not count together.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics is every series of one engine. All are safe for concurrent use.
type Metrics struct {
	Registry *prometheus.Registry

	Received   *prometheus.CounterVec // account
	Duplicate  *prometheus.CounterVec // account
	Refused    *prometheus.CounterVec // account, reason
	Queued     *prometheus.CounterVec // account, kind
	Handled    *prometheus.CounterVec // account, skill, outcome
	Failed     *prometheus.CounterVec // account, skill: failed attempts at events
	Recovered  prometheus.Counter     // events found in the log at start
	Replayed   prometheus.Counter     // events put back from the dead letters
	Raised     prometheus.Counter     // expiry events that the engine itself put into the log
	Expired    *prometheus.CounterVec // outcome: of those
	Created    *prometheus.CounterVec // account, action: commands
	CommandDup *prometheus.CounterVec // account: submitted again within the window
	Sent       *prometheus.CounterVec // account, action
	SendFailed *prometheus.CounterVec // account, class
	Throttled  *prometheus.CounterVec // account, by
	Retries    *prometheus.CounterVec // stage: handle, send
	Dead       *prometheus.CounterVec // account, what: event, command
	Cancelled  *prometheus.CounterVec // account: commands that were called off
	Unkept     prometheus.Counter     // handled events that the recent intake had no place for
	Untraced   prometheus.Counter     // entries that the trace had no place for
	RiskHits   *prometheus.CounterVec // account, risk, action: rows of the risk matrix that were hit
	Runs       *prometheus.CounterVec // schedule, outcome: succeeded, failed
	Alerts     *prometheus.CounterVec // kind, outcome: told, failed, noted
	Broadcast  *prometheus.CounterVec // outcome: of recipients of broadcasts
	Words      *prometheus.CounterVec // account, action: commands in which listed words were found

	// Confirmations, by account and outcome: confirmed, failed, late, timeout, unknown.
	Confirmations *prometheus.CounterVec

	Ack       prometheus.Histogram
	QueueWait prometheus.Histogram
	Handle    prometheus.Histogram
	Send      prometheus.Histogram
	Commit    prometheus.Histogram
	Acts      prometheus.Histogram
}

// New makes the series in a registry of their own.
func New() *Metrics {
	reg := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bot_" + name, Help: help}, labels)
		reg.MustRegister(v)
		return v
	}
	plain := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "bot_" + name, Help: help})
		reg.MustRegister(c)
		return c
	}
	seconds := func(name, help string) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "bot_" + name, Help: help,
			Buckets: prometheus.ExponentialBucketsRange(0.0005, 60, 18)})
		reg.MustRegister(h)
		return h
	}
	acts := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "bot_commit_acts", Help: "Acts that shared one transaction.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 13)})
	reg.MustRegister(acts, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return &Metrics{
		Registry:   reg,
		Received:   counter("events_received_total", "Callbacks on known paths, refused ones included.", "account"),
		Duplicate:  counter("events_duplicate_total", "Events already known within the dedup window.", "account"),
		Refused:    counter("events_refused_total", "Callbacks not taken into the log, by reason.", "account", "reason"),
		Queued:     counter("events_queued_total", "Events logged.", "account", "kind"),
		Handled:    counter("events_handled_total", "Events whose outcome was committed.", "account", "skill", "outcome"),
		Failed:     counter("events_failed_total", "Failed attempts at handling an event.", "account", "skill"),
		Recovered:  plain("events_recovered_total", "Events found unhandled in the log at start."),
		Replayed:   plain("events_replayed_total", "Events put back from the dead letters."),
		Raised:     plain("expiries_raised_total", "Expiry events that the engine put into its own log."),
		Expired:    counter("expiries_total", "Time limits of conversations that passed.", "outcome"),
		Created:    counter("commands_created_total", "Commands stored in the outbox.", "account", "action"),
		CommandDup: counter("commands_duplicate_total", "Commands submitted again under a known task id.", "account"),
		Sent:       counter("commands_sent_total", "Commands the platform accepted.", "account", "action"),
		SendFailed: counter("commands_failed_total", "Failed attempts at sending, by class.", "account", "class"),
		Throttled:  counter("commands_throttled_total", "Times a command had to wait, by whose limit.", "account", "by"),
		Retries:    counter("retries_total", "Attempts after the first, by stage.", "stage"),
		Dead:       counter("dead_letters_total", "Events and commands given up.", "account", "what"),
		Cancelled:  counter("commands_cancelled_total", "Commands that were called off before they were sent.", "account"),
		Unkept:     plain("recent_dropped_total", "Handled events that are missing in the recent intake, which bot replay reads."),
		Untraced:   plain("trace_dropped_total", "Entries that are missing in the trace, which bot trace reads."),
		RiskHits:   counter("risk_hits_total", "Hits of the rows of the risk matrix.", "account", "risk", "action"),
		Runs:       counter("schedule_runs_total", "Runs of schedules that are over.", "schedule", "outcome"),
		Alerts:     counter("alerts_total", "Alerts that were due to be told, by what became of them.", "kind", "outcome"),
		Broadcast:  counter("broadcast_recipients_total", "Recipients of broadcasts, by what became of them.", "outcome"),
		Words:      counter("words_total", "Commands in which the word filter found words, by what followed.", "account", "action"),
		Ack:        seconds("ack_seconds", "From a callback's arrival to its answer."),
		QueueWait:  seconds("queue_wait_seconds", "From receipt to the start of handling."),
		Handle:     seconds("handle_seconds", "Handling one event, commit included."),
		Send:       seconds("send_seconds", "One request to a platform."),
		Commit:     seconds("commit_seconds", "One transaction of the store, syncs included."),
		Acts:       acts,

		Confirmations: counter("confirmations_total", "What platforms said, or did not say in time, of commands that they had accepted.", "account", "outcome"),
	}
}
