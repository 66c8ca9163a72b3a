package console

import (
	"errors"
	"net/http"
	"time"
)

// Overview is how the engine stands.
type Overview struct {
	Generation int64
	Ready      bool
	Skills     int
	Events     int
	Commands   int
	InDoubt    int
	Dead       int
	Oldest     time.Time // receipt of the first event that waits
	StoreBytes int64
	Restored   string // when the backup was made that the store comes from, until all may send
	Accounts   []Account
}

// Account is how one account stands.
type Account struct {
	Name, Channel string
	Held          string // why it sends nothing, "" where it does
	Paused        bool   // by an operator, or until one lets it send what a backup holds
}

// overviewPage is what the first page shows.
type overviewPage struct {
	Overview
	Charts []Chart
}

func (c *console) overview(*http.Request) (any, error) {
	o, err := c.o.Overview()
	if err != nil {
		return nil, err
	}
	s := c.o.Samples
	return overviewPage{o, []Chart{
		s.chart("chart.received", perSecond, "bot_events_received_total", "bot_events_handled_total"),
		s.chart("chart.sent", perSecond, "bot_commands_sent_total", "bot_commands_failed_total"),
		s.chart("chart.ack", seconds, "bot_ack_seconds/50", "bot_ack_seconds/99"),
		s.chart("chart.wait", seconds, "bot_queue_wait_seconds/50", "bot_queue_wait_seconds/99"),
		s.chart("chart.events", count, "bot_backlog_events"),
		s.chart("chart.commands", count, "bot_backlog_commands"),
	}}, nil
}

// pause stops an account, or lets it go again. All of them at once have to be asked
// for by name.
func (c *console) pause(on bool) func(r *http.Request) ([]any, error) {
	key := "said.resumed"
	if on {
		key = "said.paused"
	}
	return func(r *http.Request) ([]any, error) {
		account := r.PostFormValue("account")
		if account == "" && r.PostFormValue("all") != "yes" {
			return nil, errors.New("which account?")
		}
		_, err := c.o.Desk.Pause(r.Context(), account, on, "console")
		if account == "" {
			return []any{key + ".all"}, err
		}
		return []any{key, account}, err
	}
}
