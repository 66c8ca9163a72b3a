package config

import (
	"maps"
	"net/url"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/hours"
	"bot/engine/nearest"
)

// Alert is where an operator is told of what goes wrong, and how often ([alerts](alerts.md)).
//
//	[alert]
//	to = {account = "shop", to = "12345@chatroom"}
//	webhook = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${ROBOT_KEY}"
//	format = "wecom"
//	kinds = ["offline", "dead_letter"]
//	except = ["words"]
//	every = "10m"
//	at_most = "20/h"
//	language = "both"
//	backlog_age = "1m"
//	outbox_age = "10m"
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
type Alert struct {
	To AlertTo `toml:"to"`
	// Where alerts are posted, such as a group robot's address, which holds its key.
	Webhook Secret `toml:"webhook"`
	// What is posted.
	Format string `toml:"format" is:"@alert formats" default:"by the host"`
	// The receiver lies in your own network; otherwise only public addresses are called.
	WebhookPrivate bool `toml:"webhook_private"`
	// Only these kinds.
	Kinds []string `toml:"kinds" is:"@alert kinds" default:"all"`
	// All but these kinds.
	Except []string `toml:"except" is:"@alert kinds"`
	// Of one kind and account at most one message in so long.
	Every engine.Duration `toml:"every" is:"1s.."`
	// Messages of all kinds together, 1 to 1000.
	AtMost engine.Rate `toml:"at_most"`
	// A name of `[hours]`: outside of them only what is serious is told at once.
	Hours string `toml:"hours" default:"always"`
	// Of the messages.
	Language string `toml:"language" is:"zh|en|both"`
	// An event that waits longer is an alert.
	BacklogAge engine.Duration `toml:"backlog_age" is:"1s.."`
	// A command that waits longer is an alert; `"0s"` is not looked at.
	OutboxAge engine.Duration `toml:"outbox_age" is:"0s|1s.."`

	Times hours.Times `toml:"-"` // of Hours
}

// AlertTo is a conversation that alerts are sent to.
type AlertTo struct {
	// The account that tells it.
	Account string `toml:"account" default:"required"`
	// The id of the conversation that is told.
	To string `toml:"to" default:"required"`
}

// Health is what is expected of an account ([silence](alerts.md)).
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
//
//	[account.health]
//	silence = "2h"
type Health struct {
	// No callback for so long within the hours is an alert; `"0s"` is none.
	Silence engine.Duration `toml:"silence" is:"0s|1m.."`
	// A name of `[hours]`.
	Hours string `toml:"hours" default:"09:00 to 21:00"`

	Times hours.Times `toml:"-"` // of Hours; nil where that is ""
}

// AlertKinds are the names that operators may give; alert.Kinds is the same list.
func AlertKinds() []string {
	return []string{"dead_letter", "breaker", "throttled", "halted", "offline", "silence", "backlog", "outbox",
		"disk", "store", "schedule", "risk", "words", "in_doubt"}
}

// AlertFormats are those of webhooks; alert.Formats is the same list.
func AlertFormats() []string { return []string{"json", "wecom", "feishu", "dingtalk", "slack"} }

// checkAlert checks the table. The accounts have been read.
func (l *loader) checkAlert(s *Section, cfg *Config) {
	a := &cfg.Alert
	if !s.Has("alert") {
		return
	}
	l.checkAlertTo(s, a, cfg)
	l.checkWebhook(s, a)
	for key, kinds := range map[string][]string{"alert.kinds": a.Kinds, "alert.except": a.Except} {
		if s.Has(key) && len(kinds) == 0 {
			l.refuse(s, key, "leave it out for all kinds", "%s is empty", key)
		}
		for _, kind := range kinds {
			if !slices.Contains(AlertKinds(), kind) {
				l.refuse(s, key, nearest.Guess(kind, AlertKinds()), "%s: there is no kind %q", key, kind)
			}
		}
	}
	l.oneOf(s, "alert.format", a.Format, AlertFormats()...)
	l.oneOf(s, "alert.language", a.Language, "zh", "en", "both")
	l.atLeast(s, "alert.every", a.Every, time.Second)
	l.atLeast(s, "alert.backlog_age", a.BacklogAge, time.Second)
	if a.OutboxAge != 0 {
		l.atLeast(s, "alert.outbox_age", a.OutboxAge, time.Second)
	}
	if s.Has("alert.at_most") && (a.AtMost.N < 1 || a.AtMost.N > 1000 || a.AtMost.N != float64(int(a.AtMost.N))) {
		l.refuse(s, "alert.at_most", `like "20/h"`, "alert.at_most: %v is not a whole number from 1 to 1000 messages", a.AtMost)
	}
	a.Times = l.hoursNamed(s, "alert.hours", a.Hours, cfg)
}

func (l *loader) checkAlertTo(s *Section, a *Alert, cfg *Config) {
	if !s.Has("alert.to") {
		return
	}
	const like = `to = {account = "shop", to = "the id of a group or a person"}`
	var names []string
	for i := range cfg.Accounts {
		names = append(names, cfg.Accounts[i].Name)
	}
	switch {
	case a.To.Account == "":
		l.refuse(s, "alert.to", like, "alert.to names no account")
	case !slices.Contains(names, a.To.Account) && !l.partial:
		l.refuse(s, "alert.to.account", nearest.Guess(a.To.Account, names), "alert.to: there is no account %q", a.To.Account)
	}
	if a.To.To == "" {
		l.refuse(s, "alert.to", like, "alert.to says nobody to tell")
	}
}

// checkWebhook does not show the address, which holds the robot's key.
func (l *loader) checkWebhook(s *Section, a *Alert) {
	if a.Webhook.IsZero() {
		lacks := !s.Has("alert.webhook") && !s.Has("alert.webhook_file")
		if lacks && s.Has("alert.format") {
			l.refuse(s, "alert.format", "set webhook as well", "alert.format: there is no webhook")
		}
		if lacks && a.WebhookPrivate {
			l.refuse(s, "alert.webhook_private", "set webhook as well", "alert.webhook_private: there is no webhook")
		}
		if s.Has("alert.webhook") {
			l.refuse(s, "alert.webhook", "", "alert.webhook is empty")
		}
		return
	}
	at := secretKey(s, "alert.webhook")
	u, err := url.Parse(a.Webhook.Reveal())
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		l.refuse(s, at, `webhook = "https://…"`, "%s is not a web address", at)
	case u.Scheme == "http" && !a.WebhookPrivate:
		l.warn(s, at, "use https", "%s: alerts, and the key in the address, go unencrypted", at)
	}
}

// hoursNamed are the hours that a key names; nil for "".
func (l *loader) hoursNamed(s *Section, key, name string, cfg *Config) hours.Times {
	if !s.Has(key) {
		return nil
	}
	times, there := cfg.Hours[name]
	if !there && !l.partial {
		l.refuse(s, key, nearest.Guess(name, slices.Sorted(maps.Keys(cfg.Hours))), "%s: there are no [hours] called %q", key, name)
	}
	return times
}

// checkHealth checks what is expected of an account.
func (l *loader) checkHealth(s *Section, a *Account, cfg *Config) {
	if a.Health.Silence != 0 {
		l.atLeast(s, "health.silence", a.Health.Silence, time.Minute)
	}
	a.Health.Times = l.hoursNamed(s, "health.hours", a.Health.Hours, cfg)
	switch {
	case s.Has("health.hours") && a.Health.Silence == 0:
		l.refuse(s, "health.hours", `silence = "2h"`, "health.hours: without silence they mean nothing")
	case a.Form == "robot" && a.Health.Silence != 0:
		l.refuse(s, "health.silence", "", "health.silence: an account of this form is never called, so it is always silent")
	}
}
