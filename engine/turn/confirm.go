package turn

import (
	"context"
	"fmt"

	"bot/engine"
)

// maxConfirming bounds the confirmations that are told at once: each waits for
// the disk, and perhaps for the answer to the request that it is about.
const maxConfirming = 256

// confirming stands for the work on confirmations where skills are asked in.
type confirming struct{}

func (confirming) Name() string { return "(confirmation)" }

func (confirming) Handle(context.Context, *engine.Turn) (engine.Outcome, error) {
	return engine.Outcome{}, nil
}

// confirm tells of a confirmation before the event is committed, so that a crash
// can have it told twice and never lost. No skill is asked.
func (d *draft) confirm(ctx context.Context) error {
	if d.Confirm == nil {
		return nil
	}
	leave, ok := d.enter(engine.Choice{Skill: confirming{}, Waits: true, Concurrency: maxConfirming})
	if !ok {
		return &BusyError{Skill: confirming{}.Name(), Most: maxConfirming}
	}
	defer leave()
	e := d.event
	outcome, note := e.Params[engine.ConfirmOutcome], e.Params[engine.ConfirmNote]
	err := d.Confirm(ctx, e.Account, e.Params[engine.ConfirmKey], outcome == engine.ConfirmOK, note)
	if err != nil {
		return fmt.Errorf("confirm command: %w", err)
	}
	d.notes = append(d.notes, "confirmation: "+outcome)
	return nil
}
