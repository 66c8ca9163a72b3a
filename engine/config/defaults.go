package config

import (
	"time"

	"bot/engine"
)

// defaults is the configuration of an empty file.
func defaults() Config {
	return Config{
		ShutdownGrace: engine.Duration(20 * time.Second),
		Timezone:      "Asia/Shanghai",
		Server:        Server{Listen: "127.0.0.1:8080", MaxBody: 1 << 20},
		Admin:         Admin{Listen: "127.0.0.1:8081"},
		Store:         Store{Path: "bot.db", MinFree: 64 << 20},
		Queue: Queue{
			Backlog:       1_000_000,
			MaxCommitWait: engine.Duration(time.Second),
			Workers:       64,
			Attempts:      5,
			RetryFor:      engine.Duration(time.Minute),
		},
		Dedup: Dedup{
			Window:        engine.Duration(72 * time.Hour),
			MaxKeys:       20_000_000,
			CommandWindow: engine.Duration(15 * time.Second),
		},
		Log:    Log{Level: "info", Format: "json"},
		Replay: Replay{Keep: engine.Duration(24 * time.Hour), MaxSize: 64 << 20},
		Trace:  Trace{Keep: engine.Duration(7 * 24 * time.Hour), MaxSize: 256 << 20},
		Words:  Words{Action: "replace", Mask: "*"},
		Alert: Alert{
			Every:      engine.Duration(10 * time.Minute),
			AtMost:     engine.Rate{N: 20, Per: time.Hour},
			Language:   "both",
			BacklogAge: engine.Duration(time.Minute),
		},
	}
}

// defaultAccount is an account that says nothing but its channel and form. It
// is sent to as fast as it goes, and what may have been sent is held, unless
// the channel says otherwise.
func defaultAccount(c *Channel, form string, cfg *Config) Account {
	a := Account{
		Channel:   c.Name,
		Form:      form,
		Ack:       "auto",
		MaxSkew:   engine.Duration(5 * time.Minute),
		MaxAge:    engine.Duration(10 * time.Minute),
		Window:    cfg.Dedup.Window,
		OnDoubt:   "hold",
		LateReply: "push",
		Timezone:  cfg.Timezone,
		Limit:     AccountLimit{Burst: 1, Parallel: 16},
		Retry: Retry{
			Attempts: 8,
			Backoff:  engine.Range{Min: time.Second, Max: 5 * time.Minute},
			GiveUp:   engine.Duration(24 * time.Hour),
			Timeout:  engine.Duration(10 * time.Second),
		},

		ConfirmWithin: engine.Duration(5 * time.Second),
	}
	if c.Default != nil {
		c.Default(form, &a)
	}
	a.Limit.UnansweredFor, a.Limit.OverQuota = unansweredFor, "hold"
	return a
}
