package config

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bot/engine"
	"bot/engine/nearest"
)

// actions are those that a limit can be set for.
var actions = []string{
	string(engine.SendText), string(engine.SendImage), string(engine.SendFile),
	string(engine.AcceptFriend), string(engine.AddMember),
}

// account reads and checks one [[account]].
func (l *loader) account(s *Section, cfg *Config) Account {
	a := defaultAccount(s.node.text("channel"), cfg)
	l.decode(s, &a)
	if !s.Has("path") {
		a.Path = "/callback/" + a.Name
	}
	a.BaseURL = strings.TrimRight(a.BaseURL, "/")
	a.Location = l.location(s, a.Timezone)
	l.checkName(s, &a)
	l.checkChannel(s, &a)
	l.checkPath(s, &a)
	l.checkInbound(s, &a, cfg)
	l.checkOutbound(s, &a)
	l.checkPace(s, &a)
	return a
}

func (l *loader) checkName(s *Section, a *Account) {
	stray := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}
	switch {
	case a.Name == "":
		l.refuse(s, "name", `name = "shop"`, "an account needs a name")
	case utf8.RuneCountInString(a.Name) > 64:
		l.refuse(s, "name", "", "name is longer than 64 characters")
	case strings.ContainsFunc(a.Name, stray):
		l.refuse(s, "name", "it appears in paths and metrics", "name: only letters, digits, -, _ and . are allowed")
	case strings.Trim(a.Name, ".") == "":
		l.refuse(s, "name", "", "name needs a letter or a digit")
	}
}

func (l *loader) checkChannel(s *Section, a *Account) {
	if !s.Has("channel") {
		l.refuse(s, "channel", nearest.Guess("", l.channels), "channel is missing")
	}
	l.oneOf(s, "channel", a.Channel, l.channels...)
}

// checkPath does not show the path, which may hold a secret segment.
func (l *loader) checkPath(s *Section, a *Account) {
	if !s.Has("path") {
		return
	}
	stray := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`*:{}?#%\`, r)
	}
	inner := a.Path + "/"
	switch {
	case !strings.HasPrefix(a.Path, "/"):
		l.refuse(s, "path", "", "path does not begin with /")
	case strings.ContainsFunc(a.Path, stray):
		l.refuse(s, "path", "", `path: spaces and the characters *:{}?#%%\ are not allowed`)
	case strings.Contains(a.Path, "//") || strings.Contains(inner, "/./") || strings.Contains(inner, "/../"):
		l.refuse(s, "path", "", "path: //, /./ and /../ are not allowed")
	}
}

// checkInbound checks what concerns callbacks.
func (l *loader) checkInbound(s *Section, a *Account, cfg *Config) {
	secret := a.Secret.Reveal()
	if key, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(key, "=")); err != nil || len(b) == 0 {
			l.refuse(s, secretKey(s, "secret"), "", "secret begins with whsec_, but what follows is not base64")
		}
	}
	if secret == "" && !isLoopback(cfg.Server.Listen) {
		l.warn(s, "secret", "set secret", "callbacks are not verified: whoever reaches %s may send them", cfg.Server.Listen)
	}
	l.checkAck(s, a.Ack)
	l.atLeast(s, "max_skew", a.MaxSkew, time.Second)
	l.atLeast(s, "dedup_window", a.Window, time.Minute)
}

// checkAck finds what was meant as a keyword among what is sent literally.
func (l *loader) checkAck(s *Section, ack string) {
	words := []string{"auto", "success", "json", "empty"}
	if ack == "" {
		l.refuse(s, "ack", `write "empty" to answer nothing`, "ack is empty")
		return
	}
	if near := nearest.Name(ack, words); near != "" && !slices.Contains(words, ack) {
		l.warn(s, "ack", nearest.Guess(ack, words), "ack: callbacks are answered with the text %q", ack)
	}
}

// checkOutbound checks what concerns requests to the platform.
func (l *loader) checkOutbound(s *Section, a *Account) {
	l.checkBaseURL(s, a)
	l.oneOf(s, "on_doubt", a.OnDoubt, "hold", "resend")
	l.between(s, "retry.attempts", a.Retry.Attempts, 1, 1_000)
	l.atLeast(s, "retry.give_up", a.Retry.GiveUp, time.Second)
	l.atLeast(s, "retry.timeout", a.Retry.Timeout, time.Millisecond)
	l.atLeast(s, "retry.backoff", engine.Duration(a.Retry.Backoff.Min), time.Millisecond)
}

func (l *loader) checkBaseURL(s *Section, a *Account) {
	const like = `base_url = "https://api.example.com"`
	if !s.Has("base_url") {
		if a.Channel == "generic" {
			l.refuse(s, "base_url", like, "base_url is missing: where requests go")
		}
		return
	}
	u, err := url.Parse(a.BaseURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		l.refuse(s, "base_url", like, "base_url is not a web address")
	case u.User != nil:
		l.refuse(s, "base_url", "use token", "base_url: credentials do not belong here, where they would be logged")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		l.refuse(s, "base_url", "", "base_url must end with the path, without ? and #")
	case u.Scheme == "http" && !a.Token.IsZero() && !isLoopback(u.Hostname()):
		l.warn(s, "base_url", "use https", "the token goes unencrypted to %s", u.Host)
	}
}

// checkPace checks the account's limits.
func (l *loader) checkPace(s *Section, a *Account) {
	l.between(s, "limit.burst", a.Limit.Burst, 1, 1_000_000)
	l.between(s, "limit.parallel", a.Limit.Parallel, 1, 10_000)
	l.within(s, "limit.reply_delay", a.Limit.ReplyDelay, time.Hour)
	l.within(s, "limit.gap", a.Limit.Gap, time.Hour)
	for name, limit := range a.Limit.Action {
		key := "limit.action." + name
		switch {
		case !slices.Contains(actions, name):
			l.refuse(s, key, nearest.Guess(name, actions), "limit.action: there is no action %q", name)
		case !s.Has(key + ".rate"):
			l.refuse(s, key, `rate = "30/h"`, "%s has no rate", key)
		}
		if !s.Has(key + ".burst") {
			limit.Burst = 1
			a.Limit.Action[name] = limit
		}
		l.between(s, key+".burst", limit.Burst, 1, 1_000_000)
	}
}

// checkTogether checks what accounts must not share, and reports it at the
// later one. The accounts and their sections stand in the same order.
func (l *loader) checkTogether(sections []*Section, accounts []Account) {
	type door struct{ path, appID string }
	names, paths, doors := map[string]int{}, map[string]int{}, map[door]int{}
	for i, a := range accounts {
		s := sections[i]
		if j, taken := names[a.Name]; taken && a.Name != "" {
			l.refuse(s, "name", "", "the name is taken by the account at %s", sections[j].At("name"))
			continue // by default its path is then taken too
		}
		names[a.Name] = i
		j, shared := paths[a.Path]
		if !shared {
			paths[a.Path], doors[door{a.Path, a.AppID}] = i, i
			continue
		}
		b, where := accounts[j], sections[j].At("path")
		k, same := doors[door{a.Path, a.AppID}]
		switch {
		case a.Channel != b.Channel:
			l.refuse(s, "path", "", "path is taken by an account of channel %q at %s", b.Channel, where)
		case a.AppID == "" || b.AppID == "":
			l.refuse(s, "path", "give both an app_id, so that they can be told apart", "path is shared with the account at %s", where)
		case same:
			l.refuse(s, "app_id", "", "the account at %s has the same path and app_id", sections[k].At("app_id"))
		}
		doors[door{a.Path, a.AppID}] = i
	}
}

// secretKey is the key that a secret was given by.
func secretKey(s *Section, key string) string {
	if s.Has(key + "_file") {
		return key + "_file"
	}
	return key
}
