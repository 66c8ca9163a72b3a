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
		Log: Log{Level: "info", Format: "json"},
	}
}

// manners are what a channel bears, and whether it tells a repeat.
type manners struct {
	limit   AccountLimit
	onDoubt string
}

// mannersOf returns the defaults of a channel. Platforms that watch for
// machines get a person's pace and no repeat that nobody asked for; what is
// not known is treated like them.
func mannersOf(channel string) manners {
	free := AccountLimit{Burst: 1, Parallel: 16}
	switch channel {
	case "generic", "wecom":
		return manners{free, "resend"}
	case "sandbox":
		return manners{free, "hold"}
	}
	return manners{
		onDoubt: "hold",
		limit: AccountLimit{
			Rate:       engine.Rate{N: 20, Per: time.Minute},
			Burst:      1,
			Parallel:   1,
			ReplyDelay: engine.Range{Min: 500 * time.Millisecond, Max: 2 * time.Second},
			Gap:        engine.Range{Min: 1500 * time.Millisecond, Max: 4500 * time.Millisecond},
		},
	}
}

// defaultAccount is an account that says nothing but its channel.
func defaultAccount(channel string, cfg *Config) Account {
	m := mannersOf(channel)
	return Account{
		Ack:      "auto",
		MaxSkew:  engine.Duration(5 * time.Minute),
		MaxAge:   engine.Duration(10 * time.Minute),
		Window:   cfg.Dedup.Window,
		OnDoubt:  m.onDoubt,
		Timezone: cfg.Timezone,
		Limit:    m.limit,
		Retry: Retry{
			Attempts: 8,
			Backoff:  engine.Range{Min: time.Second, Max: 5 * time.Minute},
			GiveUp:   engine.Duration(24 * time.Hour),
			Timeout:  engine.Duration(10 * time.Second),
		},
	}
}
