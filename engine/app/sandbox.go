package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"bot/engine"
	"bot/engine/channel/sandbox"
)

// sandboxes are the accounts on no platform, whose chat is on the console's page.
func (a *App) sandboxes() (names []string) {
	for _, acc := range a.live.Load().Config.Accounts {
		if acc.Channel == sandbox.Adapter.Name {
			names = append(names, acc.Name)
		}
	}
	return names
}

// say takes in what was typed on the page, as the door does with a callback: refused
// says in a sentence why it is not heard, "" where it is. It is on disk when say returns.
func (a *App) say(ctx context.Context, l sandbox.Line) (refused string, err error) {
	plan := a.live.Load()
	policy, known := plan.policies[l.Account]
	if !known {
		return "", fmt.Errorf("there is no account %q", l.Account)
	}
	e, heard, err := sandbox.Event(l, "sandbox-"+rand.Text(), a.store.Now())
	if err != nil {
		return "", err
	}
	if reason := policy.Unwelcome(e, a.store.Now(), a.admit); reason != "" {
		a.turnedAway(e, reason)
		return plan.refusal(e, reason), a.store.Remember(ctx, l.Account, []engine.Note{heard})
	}
	done, err := a.store.AppendPage(ctx, []*engine.Event{e}, policy.Window, l.Account, []engine.Note{heard})
	if err != nil {
		return "", fmt.Errorf("take in what was said: %w", err)
	}
	if done.Duplicate[0] {
		return "", errors.New("a random id came twice")
	}
	a.tookIn(e, false)
	a.queue.Poke()
	return "", nil
}

// shownSaid is how many messages of a conversation are shown.
const shownSaid = 200

// chat is what was said in a sandbox's conversation, the last of it.
func (a *App) chat(account, conversation string) ([]sandbox.Message, error) {
	prefix := sandbox.Prefix(conversation)
	var last []engine.Note
	for after := ""; ; {
		notes, err := a.store.Recollect(account, prefix, after, shownSaid)
		if err != nil {
			return nil, err
		}
		last = append(last, notes...)
		last = last[max(0, len(last)-shownSaid):]
		if len(notes) < shownSaid {
			return sandbox.Read(last), nil
		}
		after = notes[len(notes)-1].Key
	}
}
