package pull

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// The wait after a failure is random, from firstPause to a ceiling that doubles
// with each failure in a row, up to longPause.
const (
	firstPause = time.Second
	longPause  = 5 * time.Minute
)

// trouble is what went wrong since the last page.
type trouble struct {
	kind     string // of the last failure, for telling once; "" = none
	failures int    // in a row, of those that are waited for longer and longer
}

// pause is a wait that no ring ends: whoever rings a bell that does not work
// may do so all the time.
type pause struct {
	time time.Duration
	// held: the configuration is to blame, so a change of it ends the wait.
	held bool
}

func (w pause) wait(ctx context.Context, s *source) {
	var changed chan struct{}
	if w.held {
		changed = s.changed
	}
	timer := time.NewTimer(w.time)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-changed:
	}
}

// failed tells of a failure, once until it is over or another, and says how
// long to wait.
func (p *Porter) failed(s *source, err error) pause {
	kind, w := p.judge(s, err)
	if kind != s.kind {
		level := slog.LevelWarn
		if w.held {
			level = slog.LevelError
		}
		p.o.Log.Log(context.Background(), level, "cannot fetch what a platform has for us; trying again",
			"account", s.account, "source", s.source, "wait_ms", w.time.Milliseconds(), "error", err)
	}
	s.kind = kind
	return w
}

// judge sorts a failure by what is to be done about it.
func (p *Porter) judge(s *source, err error) (kind string, w pause) {
	var e *channel.SendError
	switch {
	case errors.Is(err, errNoPuller):
		return s.kind, pause{p.o.Every, true} // which is as it should be
	case errors.Is(err, store.ErrFull):
		kind = "full"
	case errors.As(err, &e):
		kind = string(e.Class)
	default:
		kind = err.Error()
	}
	if e != nil {
		switch e.Class {
		case channel.Permanent, channel.Halted, channel.Credential:
			return kind, pause{p.o.Every, true}
		case channel.Throttled:
			if d, _ := e.Rest(p.o.Now()); d > 0 {
				return kind, pause{time: d}
			}
		}
	}
	s.failures++
	return kind, pause{time: backoff(s.failures, p.o.Chance())}
}

// recovered is to be called when a page was stored.
func (p *Porter) recovered(s *source) {
	if s.kind != "" {
		p.o.Log.Info("fetching goes on", "account", s.account, "source", s.source)
	}
	s.trouble = trouble{}
}

// backoff is the wait after that many failures: with jitter, so that what
// failed together does not come back together.
func backoff(failures int, chance float64) time.Duration {
	ceiling := firstPause
	for n := 0; n < failures && ceiling < longPause; n++ {
		ceiling *= 2
	}
	return engine.Range{Min: firstPause, Max: min(ceiling, longPause)}.At(chance)
}
