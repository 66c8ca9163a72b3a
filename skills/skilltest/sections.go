// Package skilltest tries skills without an engine: configurations written in
// the test, and conversations written down as people would tell them.
package skilltest

import (
	"testing"

	"bot/engine"
	"bot/engine/config"
)

// Config is what a test's configuration holds of skills.
type Config struct {
	Sections  []engine.Section
	Schedules []engine.Section
	parsed    *config.Config
}

// Parse reads [[skill]] and [[schedule]] tables as from a file called bot.toml.
func Parse(tb testing.TB, toml string) Config {
	tb.Helper()
	c, err := config.Parse("/etc/bot/bot.toml", []byte(toml), func(string) (string, bool) { return "", false }, nil)
	if err != nil {
		tb.Fatalf("the test's own configuration: %v", err)
	}
	c.Warnings = nil // of what is not a skill
	out := Config{parsed: c}
	for _, s := range c.Skills {
		out.Sections = append(out.Sections, s)
	}
	for _, s := range c.Schedules {
		out.Schedules = append(out.Schedules, s)
	}
	return out
}

// Warnings are what the skills have warned of so far, one line each.
func (c Config) Warnings() []string {
	var lines []string
	for _, p := range c.parsed.Warnings {
		lines = append(lines, p.Error())
	}
	return lines
}

// Problems are the lines of an error of skills.Build, in the order of the file.
func Problems(err error) []string {
	var lines []string
	for _, p := range config.ProblemsIn(err) {
		lines = append(lines, p.Error())
	}
	return lines
}
