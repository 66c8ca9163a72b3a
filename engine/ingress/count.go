package ingress

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"bot/engine"
	"bot/engine/metrics"
)

// route is a Route with its counters, and with what keeps its secrets from the log.
type route struct {
	Route
	metrics  *metrics.Metrics
	tallies  map[string]*tally // by account
	redactor *redactor
}

// tally is the counters of one account that ordinary traffic needs, resolved
// once.
type tally struct {
	received, duplicate prometheus.Counter
	queued              map[engine.Kind]prometheus.Counter
}

var kinds = append(engine.Kinds(), engine.Unknown)

func newRoute(r Route, m *metrics.Metrics, secrets *redactor) *route {
	if r.Methods == nil {
		r.Methods = []string{http.MethodPost}
	}
	rt := &route{Route: r, metrics: m, tallies: make(map[string]*tally), redactor: secrets}
	rt.tallies[r.Account] = newTally(m, r.Account)
	for name := range r.Accounts {
		rt.tallies[name] = newTally(m, name)
	}
	return rt
}

func newTally(m *metrics.Metrics, account string) *tally {
	t := &tally{
		received: m.Received.WithLabelValues(account), duplicate: m.Duplicate.WithLabelValues(account),
		queued: make(map[engine.Kind]prometheus.Counter, len(kinds)),
	}
	for _, k := range kinds {
		t.queued[k] = m.Queued.WithLabelValues(account, string(k))
	}
	return t
}

// label is the account an event is counted under: its own if it is of this
// path, so that strangers make no series.
func (rt *route) label(account string) string {
	if _, ok := rt.Accounts[account]; ok {
		return account
	}
	return rt.Account
}

// count enters each event of a callback as received and under the one fate it
// met, so that received = queued + duplicate + refused. A callback of several
// events is received as often; the part of it that is for somebody else counts
// once; one that carries nothing, being refused as a whole or a platform's
// ping, counts once as refused.
func (rt *route) count(c *callback) {
	for n, e := range c.receipt.Events {
		account := rt.label(e.Account)
		t := rt.tallies[account]
		t.received.Inc()
		switch f := c.fates[n]; f.outcome {
		case queued:
			rt.queued(t, account, e.Kind).Inc()
		case duplicate:
			t.duplicate.Inc()
		default:
			rt.metrics.Refused.WithLabelValues(account, f.reason).Inc()
		}
	}
	if reason := c.whole(); reason != "" {
		account := rt.label(c.receipt.Account)
		rt.tallies[account].received.Inc()
		rt.metrics.Refused.WithLabelValues(account, reason).Inc()
	}
}

func (rt *route) queued(t *tally, account string, k engine.Kind) prometheus.Counter {
	if counter, ok := t.queued[k]; ok {
		return counter
	}
	return rt.metrics.Queued.WithLabelValues(account, string(k))
}

// whole is why the request, apart from its events, was not taken; "" when
// there is no such part.
func (c *callback) whole() string {
	switch {
	case c.receipt.Foreign != "":
		return "account"
	case len(c.receipt.Events) > 0:
		return ""
	case len(c.receipt.Doorbells) > 0 && c.refused == "":
		return bell
	case c.refused != "":
		return c.refused
	default:
		return nothing
	}
}

// nothing is the reason of a callback that was answered and carries nothing: a
// ping, a poll, the verification of an address.
const nothing = "no_event"

// bell is that of one that only announced something.
const bell = "doorbell"
