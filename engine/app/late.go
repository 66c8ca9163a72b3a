package app

import (
	"context"
	"errors"

	"bot/engine/broadcast"
	"bot/store"
)

// arrivedAfterAll takes a command out of the dead letters of which its platform says,
// by its task id, that it carried it out all the same: whoever replays the letter would
// have it done twice.
func (a *App) arrivedAfterAll(ctx context.Context, account, key, note string) (known bool, err error) {
	d, final, err := a.store.Find(key)
	switch {
	case errors.Is(err, store.ErrGone):
		return false, nil
	case err != nil:
		return false, err
	case final != store.Dead || d.Command == nil || d.Command.Account != account:
		return false, nil
	}
	c := d.Command
	switch err := a.store.Resolve(ctx, key, true, a.contacts.Sent(c), broadcast.ArrivedAfterAll(c)...); {
	case errors.Is(err, store.ErrGone): // a person was faster
		return false, nil
	case err != nil:
		return false, err
	}
	a.traceSettled(c, &store.Settlement{Final: store.Confirmed, Progress: store.Progress{Reason: note}})
	a.o.Log.Warn("command confirmed after it had been given up; it is no dead letter any more", "account", account, "task_id", c.TaskID,
		"trace_id", c.TraceID, "conversation", c.Conversation, "action", string(c.Action))
	return true, nil
}
