package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// pausedKey is the note that an operator has stopped an account.
const pausedKey = "hold/paused"

// A store that comes from a backup remembers commands that have long been sent, and
// none of the events since. So every account is held until an operator lets it go.
const (
	engineWide  = ""              // the account under which notes of the engine lie
	restoredKey = "hold/restored" // engine-wide: when the backup's last change was, RFC 3339
	releasedKey = "hold/released" // of an account: the same, once it has been let go after that
)

// RestoredNote is what a restored store bears, so that nothing is sent from it
// before somebody says so.
func RestoredNote(c store.Contents) (account string, note engine.Note) {
	return engineWide, engine.Note{Key: restoredKey, Value: c.AsOf.Format(time.RFC3339)}
}

// The causes that hold an account's commands (egress.Hold).
const (
	causePaused   = "paused"
	causeOffline  = "offline"
	causeRestored = "restored"
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
	if !on {
		if err := a.letGo(ctx, account == "", accounts); err != nil {
			return nil, err
		}
	}
	for _, name := range accounts {
		value, err := a.pauseNote(name, on, by)
		if err != nil {
			return nil, err
		}
		if err := a.store.Remember(ctx, name, []engine.Note{{Key: pausedKey, Value: value, Stops: on}}); err != nil {
			return nil, fmt.Errorf("remember pause: %w", err)
		}
		a.egress.Hold(name, causePaused, value)
	}
	a.o.Log.Info("paused or resumed", "accounts", accounts, "paused", on, "by", by)
	return accounts, nil
}

// letGo ends what holds accounts of a restored store: of all there are and will be,
// or of these.
func (a *App) letGo(ctx context.Context, all bool, accounts []string) error {
	from, err := a.restored()
	if err != nil {
		return fmt.Errorf("look up whether the store was restored: %w", err)
	}
	if from == "" {
		return nil
	}
	if all {
		err = a.store.Remember(ctx, engineWide, []engine.Note{{Key: restoredKey}})
	}
	for _, name := range accounts {
		if err == nil && !all {
			err = a.store.Remember(ctx, name, []engine.Note{{Key: releasedKey, Value: from}})
		}
		if err != nil {
			return fmt.Errorf("remember that the restored store may send: %w", err)
		}
		a.egress.Hold(name, causeRestored, "")
	}
	a.o.Log.Info("what was held since the store was restored may leave", "backup", from, "accounts", accounts)
	return nil
}

// recoverRestored holds an account of a store that was restored until it is let go.
func (a *App) recoverRestored(name string) error {
	from, err := a.restored()
	if err != nil || from == "" {
		return err
	}
	released, err := a.store.Recall(name, releasedKey)
	if err != nil || released == from {
		return err
	}
	a.egress.Hold(name, causeRestored, "from a backup of "+from+": nothing is sent until `bot resume -all`")
	a.o.Log.Warn("restored from a backup: nothing is sent until `bot resume -all`; what was sent since the backup would be sent again", "account", name, "backup", from)
	return nil
}

// restored is when the backup was made whose store is not allowed to send yet, ""
// where there is none.
func (a *App) restored() (string, error) { return a.store.Recall(engineWide, restoredKey) }

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

// readPauseNote reads what pauseNote wrote; of a note that it did not, all is by.
func readPauseNote(note string) (by string, since time.Time) {
	i := strings.LastIndex(note, " since ")
	if i < 0 {
		return note, time.Time{}
	}
	at, err := time.Parse(time.RFC3339, note[i+len(" since "):])
	if err != nil {
		return note, time.Time{}
	}
	return strings.TrimPrefix(note[:i], "by "), at
}

// withoutPause is why an account is held (egress.Held) besides being paused.
func withoutPause(held, note string) string {
	before, after, _ := strings.Cut(held, causePaused+": "+note)
	return strings.Trim(before+strings.TrimPrefix(after, "; "), "; ")
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
		if err := a.recoverRestored(name); err != nil {
			return fmt.Errorf("look up whether the store was restored: %w", err)
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
