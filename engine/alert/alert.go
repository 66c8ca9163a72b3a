// Package alert tells an operator what went wrong, without becoming a storm of
// its own: alerts are gathered into groups, told seldom, bounded in number and in
// memory, and taken to conversations and webhooks. What an alert is about, and
// when it is raised, is for others to say.
package alert

import (
	"slices"
	"time"
)

// Level is how much an alert matters.
type Level string

// The levels. What is serious is told at any hour, and has places kept for it
// among the messages of an hour.
const (
	Warning Level = "warning"
	Serious Level = "serious"
)

// The kinds of alerts. Operators name them in their configuration.
const (
	DeadLetter = "dead_letter" // an event or a command was given up
	Breaker    = "breaker"     // a platform does not answer, or throttles again and again
	Throttled  = "throttled"   // a platform asked an account to wait
	Halted     = "halted"      // a platform refuses to serve an account
	Offline    = "offline"     // an account is not connected
	Silence    = "silence"     // no callback in hours in which there should be some
	Backlog    = "backlog"     // an event waits too long
	Outbox     = "outbox"      // a command waits too long
	Disk       = "disk"        // there is little room left, or none
	Store      = "store"       // what is on disk cannot be trusted any more
	Schedule   = "schedule"    // a run failed
	Risk       = "risk"        // a row of the risk matrix with the action alert
	Words      = "words"       // a listed word with the action alert
	InDoubt    = "in_doubt"    // nobody knows whether commands went out
	Test       = "test"        // an operator asked for one
)

// trait is what is known of a kind.
type trait struct {
	name   string
	level  Level
	lasts  bool // it ends some time, and an alert with Over says so
	zh, en string
}

var traits = []trait{
	{DeadLetter, Warning, false, "有事件或消息被放弃（死信）", "given up (dead letter)"},
	{Breaker, Serious, true, "平台没有响应，暂停发送", "the platform does not answer; sending is paused"},
	{Throttled, Warning, true, "平台限流，暂停发送", "the platform asks to slow down; sending is paused"},
	{Halted, Serious, true, "平台拒绝为此账号服务", "the platform refuses to serve this account"},
	{Offline, Serious, true, "账号离线，待发内容已暂存", "the account is offline; what it has to send is held"},
	{Silence, Serious, true, "营业时间内长时间没有收到回调", "no callback for long in business hours"},
	{Backlog, Serious, true, "事件积压", "events wait too long"},
	{Outbox, Warning, true, "待发消息积压", "commands wait too long"},
	{Disk, Serious, true, "磁盘空间不足", "the disk is nearly full"},
	{Store, Serious, false, "存储出错，程序即将退出", "the store failed; the process ends"},
	{Schedule, Warning, true, "定时任务失败", "a scheduled run failed"},
	{Risk, Warning, false, "风控告警", "the risk matrix raised an alert"},
	{Words, Warning, false, "发出的内容命中敏感词", "a listed word was found in what is sent"},
	{InDoubt, Warning, true, "有消息不确定是否已送达", "nobody knows whether commands went out"},
	{Test, Serious, false, "这是一条测试告警", "this is a test"},
}

// Kinds are the kinds that there are, without Test.
func Kinds() []string {
	var all []string
	for _, t := range traits {
		if t.name != Test {
			all = append(all, t.name)
		}
	}
	return all
}

// traitOf is what is known of a kind; of one that is not known, little.
func traitOf(kind string) trait {
	if i := slices.IndexFunc(traits, func(t trait) bool { return t.name == kind }); i >= 0 {
		return traits[i]
	}
	return trait{name: kind, level: Warning, zh: kind, en: kind}
}

// Title is what a kind is called in a language, in a few words; one that is not known
// is called as it is.
func Title(kind, language string) string {
	t := traitOf(kind)
	if language == Chinese {
		return t.zh
	}
	return t.en
}

// Alert is one thing that an operator may want to know.
type Alert struct {
	Kind    string
	Account string // "" when it concerns all
	Subject string // what it is about within the kind: a schedule, a reason; may be ""
	// Text is the details, in English or as a platform gave them, and TextZH the
	// same in Chinese; "" is Text again. Neither holds a secret.
	Text, TextZH string
	Level        Level // "" is the kind's own
	// Over ends a condition that was raised with the same kind, account and subject.
	Over bool
}

// Line is what one message says of one thing.
type Line struct {
	Kind    string    `json:"kind"`
	Account string    `json:"account,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Level   Level     `json:"level"`
	State   State     `json:"state"`
	Text    string    `json:"text"`
	TextZH  string    `json:"text_zh,omitempty"`
	Count   int       `json:"count"` // times since it was told last; 0 of one that is over
	Since   time.Time `json:"since"` // of the first of these; of one that is over, of its beginning
	Latest  time.Time `json:"latest"`
}

// State is whether a line tells of something, or of its end.
type State string

// The states of a line.
const (
	Firing    State = "firing"
	Recovered State = "recovered"
)

// Message is what is told at one time.
type Message struct {
	Time  time.Time
	Lines []Line
	// Omitted is how many alerts had no place in memory since the last message.
	Omitted int
	// Language is of its text: zh, en or both.
	Language string
	Location *time.Location
}
