package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bot/engine"
	"bot/engine/nearest"
)

// account reads and checks one [[account]].
func (l *loader) account(s *Section, cfg *Config) Account {
	c, known := l.channel(s.node.text("channel"))
	form := s.node.text("form")
	if form == "" && len(c.Forms) > 0 {
		form = c.Forms[0]
	}
	a := defaultAccount(&c, form, cfg)
	limits := a.Limit.Action
	a.Limit.Action = nil
	l.decode(s, &a)
	a.Limit.Action = withDefaults(a.Limit.Action, limits)
	a.section = s
	if !s.Has("path") {
		a.Path = "/callback/" + a.Name
	}
	a.BaseURL = strings.TrimRight(a.BaseURL, "/")
	a.Location = l.location(s, a.Timezone)
	l.checkName(s, &a)
	l.checkChannel(s, &a, &c, known)
	l.checkPath(s, &a)
	l.checkInbound(s, &a, &c, cfg)
	l.checkOutbound(s, &a)
	l.checkPace(s, &a)
	l.checkConfirm(s, &a)
	if a.PushActiveWithin != 0 {
		l.atLeast(s, "push_active_within", a.PushActiveWithin, 24*time.Hour)
	}
	l.checkHealth(s, &a, cfg)
	l.checkQuota(s, &a)
	l.checkPeople(s, "blocked", a.Blocked)
	l.checkPeople(s, "test_users", a.TestUsers)
	return a
}

// At is the file:line of a key of the account, or of the account where that is absent.
func (a *Account) At(key string) string { return a.section.At(key) }

// checkPeople checks a list of ids. An empty list of test users is that of an
// account that serves everybody, so it had better not be there.
func (l *loader) checkPeople(s *Section, key string, ids engine.List) {
	if s.Has(key) && len(ids) == 0 {
		l.refuse(s, key, key+` = ["wxid_…", "12345@chatroom"]`, "%s is empty: leave it out", key)
	}
	for i, id := range ids {
		if at := fmt.Sprintf("%s.%d", key, i); strings.TrimSpace(id) == "" && s.Has(at) {
			l.refuse(s, at, "", "%s: an empty id is nobody's", key)
		}
	}
}

// withDefaults adds the limits of the actions that the operator does not name.
func withDefaults(named, limits map[string]ActionLimit) map[string]ActionLimit {
	for action, limit := range limits {
		if named == nil {
			named = make(map[string]ActionLimit)
		}
		if _, said := named[action]; !said {
			named[action] = limit
		}
	}
	return named
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
func (l *loader) checkInbound(s *Section, a *Account, c *Channel, cfg *Config) {
	secret := a.Secret.Reveal()
	if key, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(key, "=")); err != nil || len(b) == 0 {
			l.refuse(s, secretKey(s, "secret"), "", "secret begins with whsec_, but what follows is not base64")
		}
	}
	if open(s, a, c) && !isLoopback(cfg.Server.Listen) {
		l.warn(s, "secret", "set secret", "callbacks are not verified: whoever reaches %s may send them", cfg.Server.Listen)
	}
	l.checkAck(s, a.Ack)
	if !c.SkewOff || a.MaxSkew != 0 {
		l.atLeast(s, "max_skew", a.MaxSkew, time.Second)
	}
	l.atLeast(s, "staff_quiet", a.StaffQuiet, 0)
	l.atLeast(s, "dedup_window", a.Window, time.Minute)
}

// open tells whether anybody who knows the address can send callbacks. Where
// platforms do not sign, a path with a secret in it is the way to keep it.
func open(s *Section, a *Account, c *Channel) bool {
	return !c.Uncalled && a.Secret.IsZero() && a.EncodingAESKey.IsZero() && a.Form != "robot" && !(c.Unsigned && s.Has("path"))
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

// Doubts are the values of Account.OnDoubt; egress.Doubts is the same list.
func Doubts() []string { return []string{"hold", "resend"} }

// LateReplies are the values of Account.LateReply; egress.LateReplies is the same list.
func LateReplies() []string { return []string{"push", "drop"} }

// checkOutbound checks what concerns requests to the platform.
func (l *loader) checkOutbound(s *Section, a *Account) {
	l.checkBaseURL(s, a)
	l.checkProxy(s, a)
	l.oneOf(s, "on_doubt", a.OnDoubt, Doubts()...)
	l.between(s, "retry.attempts", a.Retry.Attempts, 1, 1_000)
	l.atLeast(s, "retry.give_up", a.Retry.GiveUp, time.Second)
	l.atLeast(s, "retry.timeout", a.Retry.Timeout, time.Millisecond)
	l.atLeast(s, "retry.backoff", engine.Duration(a.Retry.Backoff.Min), time.Millisecond)
}

func (l *loader) checkBaseURL(s *Section, a *Account) {
	const like = `base_url = "https://api.example.com"`
	if !s.Has("base_url") {
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

// ProxyURL is the account's proxy; nil where it has none.
func (a *Account) ProxyURL() *url.URL {
	if a.Proxy.IsZero() {
		return nil
	}
	u, _ := url.Parse(a.Proxy.Reveal()) // which checkProxy has done
	return u
}

// checkProxy does not show the address, which may hold a password.
func (l *loader) checkProxy(s *Section, a *Account) {
	if a.Proxy.IsZero() {
		return
	}
	u, err := url.Parse(a.Proxy.Reveal())
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		l.refuse(s, secretKey(s, "proxy"), `proxy = "http://10.0.0.5:3128"`, "proxy is not the address of an HTTP proxy")
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
		case !slices.Contains(engine.Actions(), engine.Action(name)):
			l.refuse(s, key, nearest.Guess(name, actionNames()), "limit.action: there is no action %q", name)
		case s.Has(key) && !s.Has(key+".rate"):
			l.refuse(s, key, `rate = "30/h"`, "%s has no rate", key)
		}
		if !s.Has(key + ".burst") {
			limit.Burst = 1
			a.Limit.Action[name] = limit
		}
		l.between(s, key+".burst", limit.Burst, 1, 1_000_000)
	}
}

func actionNames() (names []string) {
	for _, a := range engine.Actions() {
		names = append(names, string(a))
	}
	return names
}

// checkTogether checks what accounts must not share, and reports it at the
// later one. The accounts and their sections stand in the same order.
func (l *loader) checkTogether(sections []*Section, accounts []Account) {
	type door struct{ path, identity string }
	names, paths, doors := map[string]int{}, map[string]int{}, map[door]int{}
	for i := range accounts {
		a, s := &accounts[i], sections[i]
		if j, taken := names[a.Name]; taken && a.Name != "" {
			l.refuse(s, "name", "", "the name is taken by the account at %s", sections[j].At("name"))
			continue // by default its path is then taken too
		}
		names[a.Name] = i
		c, _ := l.channel(a.Channel)
		here := door{a.Path, c.identity(a)}
		j, shared := paths[a.Path]
		if !shared {
			paths[a.Path], doors[here] = i, i
			continue
		}
		b, where := &accounts[j], sections[j].At("path")
		k, same := doors[here]
		switch {
		case a.Channel != b.Channel:
			l.refuse(s, "path", "", "path is taken by an account of channel %q at %s", b.Channel, where)
		case len(c.Tells) == 0: // their signatures tell them apart
		case here.identity == "" || c.identity(b) == "":
			l.refuse(s, "path", "give both an "+c.Tells[0]+", so that they can be told apart", "path is shared with the account at %s", where)
		case same:
			l.refuse(s, c.Tells[0], "", "the account at %s has the same path and %s", sections[k].At(c.Tells[0]), c.Tells[0])
		}
		doors[here] = i
	}
}

// secretKey is the key that a secret was given by.
func secretKey(s *Section, key string) string {
	if s.Has(key + "_file") {
		return key + "_file"
	}
	return key
}
