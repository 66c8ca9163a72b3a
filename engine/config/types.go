package config

import (
	"time"

	"bot/engine"
	"bot/engine/hours"
)

// Config is a whole configuration, checked: whoever holds one need not
// validate it again. Field tags are the names operators write.
//
//	include = ["skills.d/*.toml"]
//	shutdown_grace = "20s"
//	timezone = "Asia/Shanghai"
//
//	[hours]
//	shop = ["mon-fri 09:00-18:00", "closed 2026-10-01..2026-10-07"]
type Config struct {
	// More files that are read as if they stood here, sorted by name: patterns relative to this file.
	Include []string `toml:"include"`
	// How long a stop waits for work that has begun; the rest is done after the next start.
	ShutdownGrace engine.Duration `toml:"shutdown_grace"`
	// The zone of dates and hours; an account may have its own.
	Timezone string `toml:"timezone"`
	Server   Server `toml:"server"`
	Admin    Admin  `toml:"admin"`
	Store    Store  `toml:"store"`
	Queue    Queue  `toml:"queue"`
	Dedup    Dedup  `toml:"dedup"`
	Limit    Limit  `toml:"limit"`
	Log      Log    `toml:"log"`
	Replay   Replay `toml:"replay"`
	Trace    Trace  `toml:"trace"`
	Match    Match  `toml:"match"`
	Words    Words  `toml:"words"`
	Alert    Alert  `toml:"alert"`
	// Lists of times by names of your own, which skills and alerts refer to: `mon-fri 09:00-18:00`,
	// `closed 2026-10-01..2026-10-07` (see [skills](skills.md)).
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
//
//	[server]
//	listen = "127.0.0.1:8080"
//	max_body = "2MiB"
type Server struct {
	// The address and port that callbacks come to, `:8080` for all addresses, port 0 for a free one. A change needs a
	// restart.
	Listen string `toml:"listen"`
	// Larger callbacks are answered 413.
	MaxBody engine.Size `toml:"max_body" is:"1KiB..64MiB"`
}

// Admin is where people and the team's own systems call.
//
//	[admin]
//	listen = "127.0.0.1:8081"
//	token = "${BOT_ADMIN_TOKEN:-}"
type Admin struct {
	// The address and port of the console, the API and the metrics; not that of `[server]`. A change needs a restart.
	Listen string `toml:"listen"`
	// The bearer token, and the password of the console. Required unless listen is loopback.
	Token Secret `toml:"token"`
}

// Store is the file of data: everything taken in and not yet done, conversations, ids.
//
//	[store]
//	path = "bot.db"
//	min_free = "64MiB"
type Store struct {
	// The file, relative to the configuration. What is kept beside it has its name with an ending. A change needs a
	// restart.
	Path string `toml:"path"`
	// The disk space that intake leaves free, so that what was taken in can still be handled when the disk fills up:
	// callbacks are answered 503 when there is less.
	MinFree engine.Size `toml:"min_free"`
}

// Queue bounds the handling of events.
//
//	[queue]
//	backlog = 1_000_000
//	max_commit_wait = "1s"
//	workers = 64
//	attempts = 5
//	retry_for = "60s"
type Queue struct {
	// Events that may wait; beyond it senders that come back are answered 503.
	Backlog int `toml:"backlog" is:"1..1000000000"`
	// Callbacks are answered 503 when storing an event would take longer than this.
	MaxCommitWait engine.Duration `toml:"max_commit_wait" is:"1ms.."`
	// Events handled at once, of different conversations.
	Workers int `toml:"workers" is:"1..10000"`
	// How often a failing event is tried before it is put aside (`bot dead`).
	Attempts int `toml:"attempts" is:"1..1000"`
	// For how long it is tried; meanwhile its conversation waits.
	RetryFor engine.Duration `toml:"retry_for" is:"1ms.."`
}

// Dedup sets how long ids are remembered.
//
//	[dedup]
//	window = "72h"
//	max_keys = 20_000_000
//	command_window = "15s"
type Dedup struct {
	// How long ids of callbacks are remembered: longer than the platform repeats them.
	Window engine.Duration `toml:"window" is:"1m.."`
	// How many of them have their index in memory, about 9 to 14 bytes each; older ones are looked up on disk.
	MaxKeys int `toml:"max_keys" is:"1..1000000000"`
	// How long a task id given to the API is remembered after its command was done.
	CommandWindow engine.Duration `toml:"command_window" is:"1ms.."`
}

// Limit is the pace of all accounts together; without it there is no such limit.
//
//	[limit]
//	rate = "200/s"
type Limit struct {
	// Requests of all accounts together.
	Rate engine.Rate `toml:"rate"`
}

// Log says what is logged and how.
//
//	[log]
//	level = "info"
//	format = "text"
type Log struct {
	// The least that is logged. `debug` also logs callbacks with bodies and headers, in which what is
	// configured as a secret, or stands under a name like `token` or `password`, is `***`.
	Level string `toml:"level" is:"debug|info|warn|error"`
	// `text` is for people, `json` for log collectors.
	Format string `toml:"format" is:"json|text"`
}

// Replay bounds what is kept of what was lately handled, which `bot replay` plays through an edited file.
//
//	[replay]
//	keep = "24h"
//	max_size = "64MiB"
type Replay struct {
	// How long what was handled is kept beside the store; `"0s"` keeps none.
	Keep engine.Duration `toml:"keep" is:"0s|1h.."`
	// How much room it may take; the oldest go first.
	MaxSize engine.Size `toml:"max_size" is:"1MiB..16GiB"`
}

// Trace bounds the steps that are kept of every message ([trace](trace.md)).
//
//	[trace]
//	keep = "7d"
//	max_size = "256MiB"
type Trace struct {
	// How long steps are kept; `"0s"` keeps none.
	Keep engine.Duration `toml:"keep" is:"0s|1h.."`
	// How much room they may take; the oldest go first.
	MaxSize engine.Size `toml:"max_size" is:"1MiB..16GiB"`
}

// Match says which differences between texts skills overlook besides those that
// they always do.
//
//	[match]
//	fold_traditional = true
type Match struct {
	// Traditional and simplified Chinese characters count as the same in keywords and patterns.
	FoldTraditional bool `toml:"fold_traditional"`
}

// Account is one account on one platform. Defaults by channel are filled in.
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	path = "/callback/shop"
//	base_url = "https://api.example.com"
//	app_id = "wx_demo"
//	token = "${SHOP_TOKEN:-}"
//	secret = "${SHOP_SECRET:-}"
//	ack = "auto"
//	max_skew = "5m"
//	max_age = "10m"
//	dedup_window = "72h"
//	on_doubt = "resend"
//	late_reply = "drop"
//	push_active_within = "90d"
//	confirm = true
//	confirm_within = "5s"
//	names = ["小助手"]
//
//	[[account]]
//	name = "desk"
//	channel = "wecom"
//	form = "app"
//	corp_id = "ww0a1b2c3d4e5f6071"
//	agent_id = 1000002
//	secret = "${CORP_SECRET}"
//	callback_token = "${CORP_TOKEN}"
//	encoding_aes_key = "${CORP_AES_KEY}"
//
//	[[account]]
//	name = "clerk"
//	channel = "gewe"
//	base_url = "https://api.geweapi.com/gewe/v2/api"
//	token = "${GEWE_TOKEN}"
//	app_id = "wx_demo"
//	self = "wxid_clerk"
//	path = "/callback/gewe/${PATH_SECRET}"
//	staff_quiet = "10m"
type Account struct {
	// Unique: it appears in logs, metrics and paths. At most 64 letters, digits, `-`, `_` and `.`.
	Name string `toml:"name" default:"required"`
	// The platform: see [channels](channels.md).
	Channel string `toml:"channel" is:"@channels" default:"required"`
	// Where the platform calls; accounts of one channel may share one. May hold a secret segment where the platform
	// does not sign.
	Path string `toml:"path" default:"'\"/callback/NAME\"'"`
	// Where requests go: the address of the platform's interface, without ? and #. Required but for wecom and sandbox.
	BaseURL string `toml:"base_url"`
	// An HTTP proxy by which requests to the platform go, such as one whose address the platform trusts:
	// `"http://user:password@10.0.0.5:3128"`. It must allow CONNECT. Files that a command names are not fetched through it.
	Proxy Secret `toml:"proxy" default:"none"`
	// What requests are authorised by. generic: sent as `Authorization: Bearer`.
	Token Secret `toml:"token"`
	// What callbacks are verified by (generic: Standard Webhooks; base64 after `whsec_`); of wecom the app's secret.
	Secret Secret `toml:"secret"`
	// What the account is called in groups, without the @, for mentions that come as text only.
	Names []string `toml:"names"`
	// Take a mention of everybody for one of the bot.
	MentionAll bool `toml:"mention_all"`
	// What an accepted callback is answered: `auto`, `success`, `json`, `empty`, or any text as it is.
	Ack string `toml:"ack"`
	// Signed callbacks whose clock is further off are refused as replays; at least 1s, for wecom `"0s"` turns the
	// check off.
	MaxSkew engine.Duration `toml:"max_skew"`
	// Messages older than this are taken and not answered, after an outage say; `"0s"` is no limit.
	MaxAge engine.Duration `toml:"max_age" default:"'\"10m\"'"`
	// `dedup.window` for this account alone.
	Window engine.Duration `toml:"dedup_window" is:"1m.." default:"that of '[dedup]'"`
	// How long the bot keeps quiet in a conversation that somebody answered by hand; `"0s"`: it does not. Only where
	// the platform reports what the account itself says: gewe, wkteam, qiwe.
	StaffQuiet engine.Duration `toml:"staff_quiet"`
	// Whoever has not written for so long is sent nothing but replies; `"0s"` is no limit.
	PushActiveWithin engine.Duration `toml:"push_active_within" is:"0s|1d.."`
	// When nobody can know whether a request arrived: hold it for a person, or send it again.
	OnDoubt string `toml:"on_doubt" is:"hold|resend"`
	// A reply that comes after its reply window has closed: say it as a push, or drop it.
	LateReply string `toml:"late_reply" is:"push|drop"`
	// The zone of the account's dates, hours and quotas.
	Timezone string       `toml:"timezone" default:"that of the top of the file"`
	Limit    AccountLimit `toml:"limit"`
	Retry    Retry        `toml:"retry"`
	Health   Health       `toml:"health"`
	// Ids of people and conversations that are shut out, whatever the store says.
	Blocked engine.List `toml:"blocked"`
	// While you try things out: the only people and conversations that are served.
	TestUsers engine.List `toml:"test_users" default:"everybody"`

	// generic, gewe: the platform's id of this account.
	AppID string `toml:"app_id"`
	// gewe, wkteam, qiwe: our own id on the platform, which tells what we sent ourselves and what mentions us.
	Self string `toml:"self"`
	// wkteam: the login instance; newer ones are learned.
	WID string `toml:"w_id"`
	// wkteam: the developer account's name, as callbacks have it in `account`; those that name another are refused.
	Developer string `toml:"developer" default:"any"`
	// qiwe: the device.
	GUID string `toml:"guid"`
	// wecom: a self-built app (contact and customer service events ride on it), an AI bot, a group robot.
	Form string `toml:"form" is:"app|aibot|robot" default:"of wecom '\"app\"'"`
	// wecom, form app: the company.
	CorpID string `toml:"corp_id"`
	// wecom, form app: the app.
	AgentID int `toml:"agent_id" default:"none"`
	// wecom: what callbacks are signed with.
	CallbackToken Secret `toml:"callback_token"`
	// wecom: what callbacks are encrypted with, 43 characters.
	EncodingAESKey Secret `toml:"encoding_aes_key"`
	// wecom: whom callbacks are for.
	ReceiveID string `toml:"receive_id" default:"corp_id for an app, empty for an aibot"`
	// wecom, form robot: the webhook's key.
	Key Secret `toml:"key"`
	// wecom, form aibot: what is said to who opens the chat with the bot, once a day; no skill can, since it must
	// be in the answer to the callback. At most 2048 bytes.
	Welcome string `toml:"welcome" default:"none"`

	// generic: the gateway says later, by a COMMAND_RESULT, whether it did what it accepted.
	Confirm bool `toml:"confirm"`
	// How long that is waited for, with `confirm`; what is not confirmed by then is in doubt, and on_doubt decides.
	ConfirmWithin engine.Duration `toml:"confirm_within" is:"100ms..24h"`

	Location *time.Location `toml:"-"` // of Timezone

	section *Section
}

// Errorf makes a problem located at a key of the account, "" for the account
// itself.
func (a *Account) Errorf(key, format string, args ...any) error {
	return a.section.Errorf(key, format, args...)
}

// AccountLimit is the pace of one account, and how much it may say unasked ([what is sent, and when](outbound.md)).
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
//
//	[account.limit]
//	rate = "20/m"
//	burst = 3
//	parallel = 16
//	per_conversation = "1/s"
//	reply_delay = "0.5s..2s"
//	gap = "1.5s..4.5s"
//	push_per_day = 500
//	push_per_user_per_day = 3
//	unanswered = 5
//	unanswered_for = "48h"
//	over_quota = "hold"
type AccountLimit struct {
	// Requests of this account. Where its platform throttles it, it slows down and recovers by itself.
	Rate engine.Rate `toml:"rate"`
	// How many may leave at once after a quiet time.
	Burst int `toml:"burst" is:"1..1000000"`
	// Requests in flight, never two of one conversation.
	Parallel int `toml:"parallel" is:"1..10000"`
	// Requests of one conversation.
	PerConversation engine.Rate `toml:"per_conversation"`
	// A random wait before each reply, at most 1h.
	ReplyDelay engine.Range `toml:"reply_delay"`
	// A random wait between two requests, to look like a person, at most 1h.
	Gap    engine.Range           `toml:"gap"`
	Action map[string]ActionLimit `toml:"action"`

	// Messages that nobody asked for, of a day by the account's timezone.
	PushPerDay int `toml:"push_per_day" is:"1..1000000000"`
	// The same into one conversation.
	PushPerUserPerDay int `toml:"push_per_user_per_day" is:"1..1000000000"`
	// Messages into a private conversation since the person last wrote.
	Unanswered int `toml:"unanswered" is:"1..1000000"`
	// How long after they last wrote, with `unanswered`.
	UnansweredFor engine.Duration `toml:"unanswered_for" is:"1m..365d"`
	// What is over a quota waits until it may go, or becomes a dead letter.
	OverQuota string `toml:"over_quota" is:"hold|refuse"`
}

// ActionLimit is the pace of one action of an account, by the action's name ([channels](channels.md) lists them).
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
//
//	[account.limit.action.accept_friend]
//	rate = "30/h"
//	burst = 1
type ActionLimit struct {
	// Requests of this action.
	Rate engine.Rate `toml:"rate" default:"required"`
	// How many may leave at once after a quiet time.
	Burst int `toml:"burst" is:"1..1000000" default:"'1'"`
}

// Retry bounds the attempts at sending one command.
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
//
//	[account.retry]
//	attempts = 8
//	backoff = "1s..5m"
//	give_up = "24h"
//	timeout = "10s"
type Retry struct {
	// How often a request is tried.
	Attempts int `toml:"attempts" is:"1..1000"`
	// The wait after the first failure, and the longest one; in between it grows.
	Backoff engine.Range `toml:"backoff"`
	// From when a command was due to the dead letters, whatever the reason.
	GiveUp engine.Duration `toml:"give_up" is:"1s.."`
	// Of one request.
	Timeout engine.Duration `toml:"timeout" is:"1ms.."`
}
