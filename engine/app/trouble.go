package app

import (
	"sync"

	"bot/engine/alert"
	"bot/engine/channel"
	"bot/engine/egress"
)

// troubles is which accounts are held by their platforms, and how.
type troubles struct {
	mu sync.Mutex
	is map[string]string // kind of the alert, by account
	// doubtful are the accounts of which commands came to be in doubt.
	doubtful map[string]bool
}

// change notes what an account's trouble is now, "" for none, and returns what it was.
func (t *troubles) change(account, kind string) (before string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before = t.is[account]
	if kind == before {
		return before
	}
	if t.is == nil {
		t.is = make(map[string]string)
	}
	if t.is[account] = kind; kind == "" {
		delete(t.is, account)
	}
	return before
}

// all are the accounts in trouble.
func (t *troubles) all() (accounts []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for account := range t.is {
		accounts = append(accounts, account)
	}
	return accounts
}

func (t *troubles) doubt(account string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.doubtful == nil {
		t.doubtful = make(map[string]bool)
	}
	t.doubtful[account] = true
}

// settled are the accounts that were doubtful, which are no more.
func (t *troubles) settled() (accounts []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for account := range t.doubtful {
		accounts = append(accounts, account)
	}
	clear(t.doubtful)
	return accounts
}

func (t *troubles) anyDoubt() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.doubtful) > 0
}

// troubleOf is the kind of alert of a failure that holds the account.
func troubleOf(class channel.Class) string {
	return map[channel.Class]string{channel.Unreachable: alert.Breaker, channel.Halted: alert.Halted}[class]
}

// throttling tells that a platform slows an account down: one condition, from the
// first refusal until the account may send as before, whatever succeeds between.
func (a *App) throttling(t egress.Throttling) {
	al := alert.Alert{Kind: alert.Throttled, Account: t.Account, Text: t.Note}
	switch t.Stage {
	case egress.ThrottleProbing:
		al.Text = "refused again and again, so that one request at a time tries: " + t.Note
	case egress.ThrottleOver:
		al.Over = true
	}
	a.desk.Raise(al)
}

// troubled raises an account's trouble when it begins and ends it when it is over.
// One that becomes another is over.
func (a *App) troubled(account, kind, note string) {
	before := a.trouble.change(account, kind)
	if before == kind {
		return
	}
	if before != "" {
		a.desk.Raise(alert.Alert{Kind: before, Account: account, Over: true})
	}
	if kind != "" {
		a.desk.Raise(alert.Alert{Kind: kind, Account: account, Text: note})
	}
}

// restsOver ends the troubles of accounts whose platforms let them go without
// being asked: a pause they had asked for is over.
func (a *App) restsOver() {
	held := a.egress.Held()
	for _, account := range a.trouble.all() {
		if held[account] == "" {
			a.troubled(account, "", "")
		}
	}
}
