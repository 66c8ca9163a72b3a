package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

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

// shortLook is how far back is looked at first for what was said.
const shortLook = time.Minute

// chat is what was said in a sandbox's conversation, the last of it. Notes are read
// forwards, and of a long talk few are shown: so it is looked back a while, and four
// times as far where there are too few, until there are enough or no more.
func (a *App) chat(account, conversation string) ([]sandbox.Message, error) {
	now := a.store.Now()
	for back := shortLook; ; back *= 4 {
		all := back > sandbox.Keeps
		after := ""
		if !all {
			after = sandbox.Key(conversation, now.Add(-back))
		}
		last, err := a.lastNotes(account, sandbox.Prefix(conversation), after, shownSaid)
		if err != nil {
			return nil, err
		}
		if all || len(last) == shownSaid {
			return sandbox.Read(last), nil
		}
	}
}

// lastNotes are the last most notes behind a key.
func (a *App) lastNotes(account, prefix, after string, most int) (last []engine.Note, err error) {
	for {
		notes, err := a.store.Recollect(account, prefix, after, most)
		if err != nil {
			return nil, err
		}
		last = append(last, notes...)
		last = last[max(0, len(last)-most):]
		if len(notes) < most {
			return last, nil
		}
		after = notes[len(notes)-1].Key
	}
}
