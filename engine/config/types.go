package config

import (
	"time"

	"bot/engine"
	"bot/engine/hours"
)

// Config is a whole configuration, checked: whoever holds one need not
// validate it again. Field tags are the names operators write.
type Config struct {
	Include       []string        `toml:"include"`
	ShutdownGrace engine.Duration `toml:"shutdown_grace"`
	Timezone      string          `toml:"timezone"`
	Server        Server          `toml:"server"`
	Admin         Admin           `toml:"admin"`
	Store         Store           `toml:"store"`
	Queue         Queue           `toml:"queue"`
	Dedup         Dedup           `toml:"dedup"`
	Limit         Limit           `toml:"limit"`
	Log           Log             `toml:"log"`
	Replay        Replay          `toml:"replay"`
	Trace         Trace           `toml:"trace"`
	Match         Match           `toml:"match"`
	Words         Words           `toml:"words"`
	Alert         Alert           `toml:"alert"`
	// Hours are lists of times by their names, which skills refer to.
	Hours    map[string]hours.Times `toml:"hours"`
	Accounts []Account              `toml:"account"`

	// Skills are the [[skill]] tables in the order of the files, undecoded:
	// only their own kinds know their keys.
	Skills []*Section `toml:"-"`
	// Risk are the [[risk]] tables likewise: the rows of the matrix.
	Risk []*Section `toml:"-"`
	// Schedules are the [[schedule]] tables likewise.
	Schedules []*Section `toml:"-"`
	// Audiences are the [[audience]] tables, checked.
	Audiences []Audience `toml:"-"`
	// Path is the file that was loaded, made absolute; relative paths in it
	// have been resolved against its folder.
	Path string `toml:"-"`
	// Files are the files that were read, the main one first.
	Files []File `toml:"-"`
	// Warnings are what is allowed but probably not meant.
	Warnings []Problem `toml:"-"`
}

// File is one file of a configuration. Its text is for comparing and may hold
// secrets.
type File struct {
	Name string // relative to the main one
	Text string
}

// Location is the zone of Timezone. It is UTC in a Config that was refused.
func (c *Config) Location() *time.Location {
	l, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return time.UTC
	}
	return l
}

// LongestWindow is how long the store must remember ids: the longest window of
// any account, and dedup.window at least.
func (c *Config) LongestWindow() time.Duration {
	longest := c.Dedup.Window.Std()
	for _, a := range c.Accounts {
		longest = max(longest, a.Window.Std())
	}
	return longest
}

// Server is where platforms call.
type Server struct {
	Listen  string      `toml:"listen"`
	MaxBody engine.Size `toml:"max_body"`
}

// Admin is where people and the team's own systems call.
type Admin struct {
	Listen string `toml:"listen"`
	Token  Secret `toml:"token"`
}

// Store is the file of data.
type Store struct {
	Path string `toml:"path"`
	// MinFree is the disk space that intake leaves free, so that what was
	// taken in can still be handled when the disk fills up.
	MinFree engine.Size `toml:"min_free"`
}

// Queue bounds the handling of events.
type Queue struct {
	Backlog       int             `toml:"backlog"`
	MaxCommitWait engine.Duration `toml:"max_commit_wait"`
	Workers       int             `toml:"workers"`
	Attempts      int             `toml:"attempts"`
	RetryFor      engine.Duration `toml:"retry_for"`
}

// Dedup sets how long ids are remembered.
type Dedup struct {
	Window        engine.Duration `toml:"window"`
	MaxKeys       int             `toml:"max_keys"`
	CommandWindow engine.Duration `toml:"command_window"`
}

// Limit is the pace of all accounts together.
type Limit struct {
	Rate engine.Rate `toml:"rate"`
}

// Log says what is logged and how.
type Log struct {
	Level  string `toml:"level"`
	Format string `toml:"format"`
}

// Replay bounds the recent intake, which `bot replay` plays again.
type Replay struct {
	Keep    engine.Duration `toml:"keep"` // 0 = none is kept
	MaxSize engine.Size     `toml:"max_size"`
}

// Trace bounds the steps that are kept of every message.
type Trace struct {
	Keep    engine.Duration `toml:"keep"` // 0 = none are kept
	MaxSize engine.Size     `toml:"max_size"`
}

// Match says which differences between texts skills overlook besides those that
// they always do.
type Match struct {
	FoldTraditional bool `toml:"fold_traditional"` // traditional and simplified characters are one
}

// Account is one account on one platform. Defaults by channel are filled in.
type Account struct {
	Name    string   `toml:"name"`
	Channel string   `toml:"channel"`
	Path    string   `toml:"path"`
	BaseURL string   `toml:"base_url"`
	Token   Secret   `toml:"token"`
	Secret  Secret   `toml:"secret"`
	Names   []string `toml:"names"` // in groups, without the @
	// MentionAll takes a mention of everybody for one of the bot.
	MentionAll bool            `toml:"mention_all"`
	Ack        string          `toml:"ack"`
	MaxSkew    engine.Duration `toml:"max_skew"`
	MaxAge     engine.Duration `toml:"max_age"` // 0 = no limit
	Window     engine.Duration `toml:"dedup_window"`
	StaffQuiet engine.Duration `toml:"staff_quiet"`
	// PushActiveWithin is how long ago a person may have written last to be sent
	// something unasked; 0 = no limit.
	PushActiveWithin engine.Duration `toml:"push_active_within"`
	OnDoubt          string          `toml:"on_doubt"`   // hold | resend
	LateReply        string          `toml:"late_reply"` // push | drop
	Timezone         string          `toml:"timezone"`
	Limit            AccountLimit    `toml:"limit"`
	Retry            Retry           `toml:"retry"`
	Health           Health          `toml:"health"`
	// Blocked are people and conversations that are blocked whatever the store
	// says. TestUsers, where there are any, are the only ones that are served.
	Blocked   engine.List `toml:"blocked"`
	TestUsers engine.List `toml:"test_users"`

	// Of some channels only (Channel.Keys).
	AppID          string `toml:"app_id"`
	Self           string `toml:"self"`
	WID            string `toml:"w_id"`
	GUID           string `toml:"guid"`
	Form           string `toml:"form"`
	CorpID         string `toml:"corp_id"`
	AgentID        int    `toml:"agent_id"`
	CallbackToken  Secret `toml:"callback_token"`
	EncodingAESKey Secret `toml:"encoding_aes_key"`
	ReceiveID      string `toml:"receive_id"`
	Key            Secret `toml:"key"`

	// Confirm: the platform tells later whether it carried out what it accepted,
	// which is waited for as long as ConfirmWithin says.
	Confirm       bool            `toml:"confirm"`
	ConfirmWithin engine.Duration `toml:"confirm_within"`

	Location *time.Location `toml:"-"` // of Timezone

	section *Section
}

// Errorf makes a problem located at a key of the account, "" for the account
// itself.
func (a *Account) Errorf(key, format string, args ...any) error {
	return a.section.Errorf(key, format, args...)
}

// AccountLimit is the pace of one account, and how much it may say unasked.
type AccountLimit struct {
	Rate            engine.Rate            `toml:"rate"`
	Burst           int                    `toml:"burst"`
	Parallel        int                    `toml:"parallel"`
	PerConversation engine.Rate            `toml:"per_conversation"`
	ReplyDelay      engine.Range           `toml:"reply_delay"`
	Gap             engine.Range           `toml:"gap"`
	Action          map[string]ActionLimit `toml:"action"`

	// 0 is no limit.
	PushPerDay        int             `toml:"push_per_day"`
	PushPerUserPerDay int             `toml:"push_per_user_per_day"`
	Unanswered        int             `toml:"unanswered"`
	UnansweredFor     engine.Duration `toml:"unanswered_for"`
	OverQuota         string          `toml:"over_quota"` // hold | refuse
}

// ActionLimit is the pace of one action of an account.
type ActionLimit struct {
	Rate  engine.Rate `toml:"rate"`
	Burst int         `toml:"burst"`
}

// Retry bounds the attempts at sending one command.
type Retry struct {
	Attempts int             `toml:"attempts"`
	Backoff  engine.Range    `toml:"backoff"` // of the first and of the longest wait
	GiveUp   engine.Duration `toml:"give_up"` // from creation to dead letter, whatever the reason
	Timeout  engine.Duration `toml:"timeout"` // of one request
}
