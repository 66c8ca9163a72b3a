package app

import (
	"context"
	"strconv"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/turn"
)

// release puts the operator's wish into the conversation's own queue, so that it
// has its turn behind what was said before.
func (a *App) release(ctx context.Context, account, conversation string) error {
	st, err := a.store.State(engine.StateKey{Account: account, Conversation: conversation})
	if err != nil {
		return err
	}
	quiet, err := a.store.Recall(account, turn.QuietKey(conversation))
	if err != nil {
		return err
	}
	if !st.Exists() && quiet == "" {
		return api.ErrNotHeld
	}
	now := a.store.Now()
	e := &engine.Event{
		Account: account, Kind: engine.Released, ID: "operator-" + strconv.FormatInt(now.UnixNano(), 10),
		Receiver: conversation, Conversation: conversation, Actor: "operator", Time: now,
	}
	if _, err := a.queue.Append(context.WithoutCancel(ctx), []*engine.Event{e}, a.live.Load().Config.Dedup.Window.Std()); err != nil {
		return err
	}
	a.metrics.Raised.Inc()
	return nil
}
