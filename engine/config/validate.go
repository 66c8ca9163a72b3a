package config

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"
	_ "time/tzdata" // so that timezones are known on machines without a zone database

	"bot/engine"
	"bot/engine/nearest"
)

// checkRoot checks everything but the accounts.
func (l *loader) checkRoot(s *Section, cfg *Config) {
	l.checkListeners(s, cfg)
	if s.Has("store.path") && cfg.Store.Path == "" {
		l.refuse(s, "store.path", "", "store.path is empty")
	}
	if z := cfg.Server.MaxBody; z < 1<<10 || z > 64<<20 {
		l.refuse(s, "server.max_body", "", "server.max_body: %v is not between 1KiB and 64MiB", z)
	}
	l.between(s, "queue.backlog", cfg.Queue.Backlog, 1, 1_000_000_000)
	l.between(s, "queue.workers", cfg.Queue.Workers, 1, 10_000)
	l.between(s, "queue.attempts", cfg.Queue.Attempts, 1, 1_000)
	l.atLeast(s, "queue.max_commit_wait", cfg.Queue.MaxCommitWait, time.Millisecond)
	l.atLeast(s, "queue.retry_for", cfg.Queue.RetryFor, time.Millisecond)
	l.atLeast(s, "dedup.window", cfg.Dedup.Window, time.Minute)
	l.atLeast(s, "dedup.command_window", cfg.Dedup.CommandWindow, time.Millisecond)
	l.between(s, "dedup.max_keys", cfg.Dedup.MaxKeys, 1, 1_000_000_000)
	l.oneOf(s, "log.level", cfg.Log.Level, "debug", "info", "warn", "error")
	l.oneOf(s, "log.format", cfg.Log.Format, "json", "text")
	l.checkArchive(s, "replay", cfg.Replay.Keep, cfg.Replay.MaxSize)
	l.checkArchive(s, "trace", cfg.Trace.Keep, cfg.Trace.MaxSize)
	l.location(s, cfg.Timezone)
	l.checkHours(s, cfg)
	l.words(s, &cfg.Words)
}

// checkArchive checks the bounds of what is kept in files of an hour, so that less
// than one cannot be kept.
func (l *loader) checkArchive(s *Section, table string, keep engine.Duration, size engine.Size) {
	if keep != 0 {
		l.atLeast(s, table+".keep", keep, time.Hour)
	}
	if key := table + ".max_size"; s.Has(key) && (size < 1<<20 || size > 16<<30) {
		l.refuse(s, key, `keep = "0s" keeps nothing`, "%s: %v is not between 1MiB and 16GiB", key, size)
	}
}

// The checks that follow are of keys that were written: a default is good, and
// what an account inherits has been checked where it stands.

func (l *loader) between(s *Section, key string, n, lo, hi int) {
	if s.Has(key) && (n < lo || n > hi) {
		l.refuse(s, key, "", "%s: %d is not between %d and %d", key, n, lo, hi)
	}
}

func (l *loader) atLeast(s *Section, key string, d engine.Duration, least time.Duration) {
	if s.Has(key) && time.Duration(d) < least {
		l.refuse(s, key, "", "%s: %v is too short, at least %v", key, d, least)
	}
}

// within checks a pause: longer than most it would hold everything up.
func (l *loader) within(s *Section, key string, r engine.Range, most time.Duration) {
	if s.Has(key) && r.Max > most {
		l.refuse(s, key, "", "%s: %v is too long, at most %v", key, r, most)
	}
}

func (l *loader) oneOf(s *Section, key, word string, known ...string) {
	if s.Has(key) && !slices.Contains(known, word) {
		l.refuse(s, key, nearest.Guess(word, known), "%s: there is no %q", key, word)
	}
}

// location reads the table's timezone.
func (l *loader) location(s *Section, name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err == nil && name != "" {
		return loc
	}
	if s.Has("timezone") {
		l.refuse(s, "timezone", `like "Asia/Shanghai" or "UTC"`, "timezone: there is no %q", name)
	}
	return time.UTC
}

func (l *loader) checkListeners(s *Section, cfg *Config) {
	for key, address := range map[string]string{"server.listen": cfg.Server.Listen, "admin.listen": cfg.Admin.Listen} {
		if err := parseListen(address); err != nil {
			l.refuse(s, key, `like "127.0.0.1:8080", or ":8080" for all addresses`, "%s: %v", key, err)
		}
	}
	if cfg.Admin.Listen == cfg.Server.Listen && !anyPort(cfg.Server.Listen) {
		l.refuse(s, "admin.listen", "give each a port of its own", "admin.listen and server.listen are both %q", cfg.Server.Listen)
	}
	if cfg.Admin.Token.IsZero() && !isLoopback(cfg.Admin.Listen) {
		l.refuse(s, "admin.listen", "set admin.token, or listen on 127.0.0.1", "admin.listen: %q is open to other machines", cfg.Admin.Listen)
	}
}

func parseListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not an address with a port", address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("%q has no port between 0 and 65535", address)
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && !isHostname(host) {
		return fmt.Errorf("%q has no host that could be listened on", address)
	}
	return nil
}

func isHostname(host string) bool {
	for _, r := range host {
		if !(r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return false
		}
	}
	return len(host) <= 253
}

// anyPort tells an address whose port the system chooses.
func anyPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == "0"
}

// isLoopback tells an address that no other machine can reach.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
