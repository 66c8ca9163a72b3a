package config

import (
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/nearest"
)

// Channel is what must be known of a platform to read its accounts.
type Channel struct {
	Name string
	// Forms are what `form` may be, the first being the default; none: the
	// channel has no such key.
	Forms []string
	// Keys are those of its [[account]] that not all channels have.
	Keys []string
	// Needs are the keys without which an account of that form is of no use.
	Needs func(form string) []string
	// Default fills in what an account of that form has that does not say.
	Default func(form string, a *Account)
	// Unsigned: its callbacks carry no proof of their own, so that a secret in
	// the path is one.
	Unsigned bool
	// Uncalled: nobody ever calls for its accounts.
	Uncalled bool
	// SkewOff: a max_skew of 0 turns the check of signed times off.
	SkewOff bool
	// Tells are the keys that tell accounts apart which share a path; none: the
	// platform's signatures do.
	Tells []string
}

// ownKeys are the keys that not all channels have.
var ownKeys = []string{
	"app_id", "token", "secret", "self", "w_id", "developer", "guid",
	"proxy", "form", "corp_id", "agent_id", "callback_token", "encoding_aes_key", "receive_id", "key", "welcome", "confirm", "confirm_within",
}

// has tells whether accounts of the channel may have the key.
func (c *Channel) has(key string) bool {
	key = strings.TrimSuffix(key, "_file")
	return !slices.Contains(ownKeys, key) || slices.Contains(c.Keys, key) || key == "form" && len(c.Forms) > 0
}

// channel is the named one; the zero Channel, which has no keys of its own, for
// a name that nobody knows.
func (l *loader) channel(name string) (c Channel, known bool) {
	i := slices.IndexFunc(l.channels, func(c Channel) bool { return c.Name == name })
	if i < 0 {
		return Channel{Name: name, Keys: ownKeys}, false
	}
	return l.channels[i], true
}

func (l *loader) channelNames() []string {
	names := make([]string, len(l.channels))
	for i, c := range l.channels {
		names[i] = c.Name
	}
	return names
}

// checkChannel checks that the channel exists and that the account has the keys
// of it, no others, and those that it needs.
func (l *loader) checkChannel(s *Section, a *Account, c *Channel, known bool) {
	if !s.Has("channel") {
		l.refuse(s, "channel", nearest.Guess("", l.channelNames()), "channel is missing")
	}
	l.oneOf(s, "channel", a.Channel, l.channelNames()...)
	if !known {
		return
	}
	for _, key := range s.Keys() {
		if !c.has(key) {
			l.refuse(s, key, "", "%s is no key of channel %q", key, c.Name)
		}
	}
	if len(c.Forms) > 0 {
		l.oneOf(s, "form", a.Form, c.Forms...)
	}
	if c.Needs == nil {
		return
	}
	for _, key := range c.Needs(a.Form) {
		if !s.Has(key) && !s.Has(key+"_file") {
			l.refuse(s, key, needed[key], "%s is missing%s", key, purpose[key])
		}
	}
}

// needed shows how a key is written, and purpose what it is for.
var (
	needed = map[string]string{
		"base_url":         `base_url = "https://api.example.com"`,
		"corp_id":          `corp_id = "ww0a1b2c3d4e5f6071"`,
		"agent_id":         `agent_id = 1000002`,
		"encoding_aes_key": `encoding_aes_key = "${CORP_AES_KEY}"`,
		"callback_token":   `callback_token = "${CORP_TOKEN}"`,
		"secret":           `secret = "${CORP_SECRET}"`,
		"token":            `token = "${TOKEN}"`,
		"key":              `key = "${ROBOT_KEY}"`,
	}
	purpose = map[string]string{
		"base_url": ": where requests go",
		"self":     ": our own id on the platform, which tells what we sent ourselves and what mentions us",
	}
)

// identity is what tells an account from others on its path; "" where nothing
// needs to.
func (c *Channel) identity(a *Account) string {
	for _, key := range c.Tells {
		if v := map[string]string{"app_id": a.AppID, "self": a.Self, "guid": a.GUID}[key]; v != "" {
			return v
		}
	}
	return ""
}

// Person is the pace of somebody who types: for platforms that watch for
// machines.
func Person() AccountLimit {
	return AccountLimit{
		Rate:       engine.Rate{N: 20, Per: time.Minute},
		Burst:      1,
		Parallel:   1,
		ReplyDelay: engine.Range{Min: time.Second / 2, Max: 2 * time.Second},
		Gap:        engine.Range{Min: 3 * time.Second / 2, Max: 9 * time.Second / 2},
	}
}
