package timed

import (
	"slices"
	"strings"
	"time"

	"bot/engine/cron"
	"bot/skills/kind"
	"bot/skills/webcall"
)

// config is what is done by the clock: one thing.
//
//	[[schedule]]
//	name = "morning"
//	cron = "0 9 * * mon-fri"
//	missed = "skip"
//	text = "早上好，今天是 {{.Day}}。"
//	to = "12345@chatroom"
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
type config struct {
	// Its own name, without a slash, at most 128 bytes; what is remembered of it belongs to the name.
	Name string `toml:"name" default:"required"`
	// Minute, hour, day of the month, month, weekday.
	Cron string `toml:"cron"`
	// In place of `cron`: once, `"2026-12-24 09:00"`.
	At string `toml:"at"`
	// Of these times.
	Timezone string `toml:"timezone" default:"the account's"`
	// A time at which the engine did not run: made up for by one run, or left out.
	Missed string `toml:"missed" is:"once|skip"`
	// `false` keeps it from coming.
	Enabled bool `toml:"enabled"`
	// Which account does it.
	Account string `toml:"account" default:"the only one there is"`
	// A message, a template.
	Text string `toml:"text"`
	// Whom the text goes to, or the action is done to.
	To string `toml:"to"`
	// An action.
	Do string `toml:"do" is:"@plain actions"`
	// Of `do`.
	Params map[string]any `toml:"params"`
	HTTP   webcall.Table  `toml:"http"`
	Event  eventConfig    `toml:"event"`
	// Broadcast has text, or do with params, done for many.
	Broadcast broadcastConfig `toml:"broadcast"`
}

// Table is the struct that a [[schedule]] is decoded into, with what holds where
// keys are absent: for those who describe the configuration.
func Table() any { return newConfig() }

// The values of `missed`.
const (
	skip = "skip"
	once = "once"
)

func newConfig() config {
	return config{Missed: once, Enabled: true, HTTP: webcall.Defaults()}
}

// maxName leaves room in the keys of notes.
const maxName = 128

func (c *config) checkName(d *kind.Draft) {
	switch {
	case d.Lacks("name", strings.TrimSpace(c.Name) == ""):
		d.Problem("", `a schedule needs a name (name = "morning")`)
	case len(c.Name) > maxName || strings.ContainsAny(c.Name, "/\n"):
		d.Problem("name", "a schedule's name has at most %d bytes, and no slash", maxName)
	}
	if c.Missed != once && c.Missed != skip && !unread(d, "missed", c.Missed) {
		d.Problem("missed", `unknown missed %q (%q: a time that was missed is left out; %q: made up for by one run)`, c.Missed, skip, once)
	}
}

// unread tells of a value that could not be read, which has been said.
func unread(d *kind.Draft, key, value string) bool { return value == "" && !d.Lacks(key, true) }

// account is who does it: the one that is named, or the only one there is.
func (c *config) account(d *kind.Draft) string {
	switch all := d.World.Accounts; {
	case d.Has("account"):
		if !unread(d, "account", c.Account) {
			d.Account("account", c.Account)
		}
	case len(all) == 1:
		c.Account = all[0]
	case len(all) == 0 && c.Enabled:
		d.Problem("", "there is no [[account]] that could do this (enabled = false until there is)")
	case len(all) > 1:
		d.Problem("", `which account does it? (account = %q)`, all[0])
	}
	if slices.Contains(d.World.Accounts, c.Account) { // else it has been said
		d.Accounts = []string{c.Account}
	}
	return c.Account
}

// times reads cron or at, in the schedule's zone or else in the account's. when is
// what was read, as people read it.
func (c *config) times(d *kind.Draft, account string) (when string, next func(time.Time) time.Time) {
	zone := c.zone(d, account)
	never := func(time.Time) time.Time { return time.Time{} }
	byCron, byAt := d.Has("cron"), d.Has("at")
	switch {
	case byCron == byAt:
		d.Problem("", `a schedule has either cron (cron = "0 9 * * mon-fri") or at (at = "2026-12-24 09:00")`)
		return "", never
	case byCron:
		line, err := cron.Parse(c.Cron, zone)
		if err != nil {
			if !unread(d, "cron", c.Cron) {
				d.Problem("cron", "%v", err)
			}
			return "", never
		}
		return strings.Join(strings.Fields(c.Cron), " ") + " " + zone.String(), line.Next
	}
	at, err := time.ParseInLocation(minute, strings.TrimSpace(c.At), zone)
	if err != nil {
		if !unread(d, "at", c.At) {
			d.Problem("at", `%q is no date and time (at = "2026-12-24 09:00")`, c.At)
		}
		return "", never
	}
	if c.Enabled && !at.After(d.World.Now()) {
		d.Warn("at", "%s is over, so this never comes any more, if it has not come", c.At)
	}
	return at.Format(minute) + " " + zone.String(), func(after time.Time) time.Time {
		if at.After(after) {
			return at
		}
		return time.Time{}
	}
}

const minute = "2006-01-02 15:04"

func (c *config) zone(d *kind.Draft, account string) *time.Location {
	if !d.Has("timezone") {
		return d.World.Location(account)
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil || slices.Contains([]string{"", "Local"}, c.Timezone) { // which Go would take for UTC and for the machine's
		if !unread(d, "timezone", c.Timezone) {
			d.Problem("timezone", `there is no timezone %q (like "Asia/Shanghai" or "UTC")`, c.Timezone)
		}
		return time.UTC
	}
	return zone
}
