package channel

import (
	"fmt"
	"time"
)

// Account is one configured account, as an adapter needs it: what all channels
// have, then what some have; config leaves empty what is not of the channel.
// Secrets are plain here; an adapter must not let them into an error, an
// answer or a log.
type Account struct {
	Name    string
	BaseURL string
	Token   string        // outbound
	Secret  string        // generic: inbound signature, "" = callbacks are not verified; wecom: the app's secret
	Ack     string        // auto | success | json | empty | a literal
	MaxSkew time.Duration // of signed timestamps
	MaxAge  time.Duration // 0 = no limit
	Self    string        // our own id on the platform
	Names   []string      // what people call the account in groups, without the @

	AppID string // generic, gewe
	WID   string // wkteam: the login instance, until a newer one is learned
	GUID  string // qiwe
	// Developer is what callbacks call the owner of the account, "" = any. wkteam
	Developer string

	Form           string // wecom: app | aibot | robot
	CorpID         string
	AgentID        int
	CallbackToken  string
	EncodingAESKey string
	ReceiveID      string
	Key            string // of form robot
	Welcome        string // of form aibot: what who opens the chat is told

	Confirm bool // generic: what was accepted is confirmed later
}

// Secrets are the texts that must not be seen.
func (a *Account) Secrets() []string {
	var all []string
	for _, s := range []string{a.Token, a.Secret, a.CallbackToken, a.EncodingAESKey, a.Key} {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}

// SettingError is something wrong with a setting of an account.
type SettingError struct {
	Account string
	Key     string // as the operator writes it; "" for the account as a whole
	Problem string // without secrets; begins with what is wrong, ends with what to do
}

func (e *SettingError) Error() string {
	return fmt.Sprintf("account %q: %s", e.Account, e.Problem)
}

// Wrong makes a SettingError of the account.
func (a *Account) Wrong(key, format string, args ...any) error {
	return &SettingError{Account: a.Name, Key: key, Problem: fmt.Sprintf(format, args...)}
}
