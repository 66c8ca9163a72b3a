package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"bot/engine"
)

// pausedKey is the note that an operator has stopped an account.
const pausedKey = "hold/paused"

// The causes that hold an account's commands (egress.Hold).
const (
	causePaused  = "paused"
	causeOffline = "offline"
)

// pause stops an account, or all for "", or lets them go again, and returns
// which. It is on disk before it holds, so that no restart undoes it.
func (a *App) pause(ctx context.Context, account string, on bool, by string) ([]string, error) {
	a.pausing.Lock()
	defer a.pausing.Unlock()
	accounts := accountNames(a.live.Load().Config.Accounts)
	if account != "" {
		accounts = []string{account}
	}
	for _, name := range accounts {
		value, err := a.pauseNote(name, on, by)
		if err != nil {
			return nil, err
		}
		if err := a.store.Remember(ctx, name, []engine.Note{{Key: pausedKey, Value: value}}); err != nil {
			return nil, fmt.Errorf("remember pause: %w", err)
		}
		a.egress.Hold(name, causePaused, value)
	}
	a.o.Log.Info("paused or resumed", "accounts", accounts, "paused", on, "by", by)
	return accounts, nil
}

// pauseNote is who stopped the account, and since when; "" where it is to go. An
// account that is stopped already stays so since it was.
func (a *App) pauseNote(account string, on bool, by string) (string, error) {
	if !on {
		return "", nil
	}
	before, err := a.store.Recall(account, pausedKey)
	if err != nil {
		return "", fmt.Errorf("look up whether account %q is paused: %w", account, err)
	}
	if before != "" {
		return before, nil
	}
	at := a.store.Now().In(a.live.Load().Config.Location())
	return "by " + cmp.Or(by, "an operator") + " since " + at.Format(time.RFC3339), nil
}

// recoverHolds holds what was held, and mutes who was muted, when the last
// process, or the account's last stay in the configuration, ended. It must come
// before anything is sent or taken in.
func (a *App) recoverHolds(plan *Plan) error {
	a.pausing.Lock()
	defer a.pausing.Unlock()
	for _, name := range accountNames(plan.Config.Accounts) {
		why, err := a.store.Recall(name, pausedKey)
		if err != nil {
			return fmt.Errorf("look up whether account %q is paused: %w", name, err)
		}
		if why != "" {
			a.egress.Hold(name, causePaused, why)
			a.o.Log.Warn("account is paused: nothing leaves until `bot resume`", "account", name)
		}
		if err := a.board.Recover(name); err != nil {
			return fmt.Errorf("look up when account %q was called last: %w", name, err)
		}
		if err := a.presence.Recover(name); err != nil {
			return fmt.Errorf("look up whether account %q is offline: %w", name, err)
		}
		if err := a.guard.Recover(name); err != nil {
			return fmt.Errorf("look up who is muted for account %q: %w", name, err)
		}
	}
	return nil
}
