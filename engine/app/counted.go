package app

import (
	"bot/engine"
	"bot/engine/channel"
	"bot/engine/turn"
)

// What is counted of every account from the beginning.
var (
	// troubleAtTheDoor are the refusals that are the engine's own fault.
	troubleAtTheDoor = []string{"full", "backlog", "commit_wait", "store"}
	limits           = []string{"account", "conversation", "global", "gap", "quota", "platform"}
	failures         = []channel.Class{
		channel.Transient, channel.Unreachable, channel.Throttled, channel.Halted, channel.Credential, channel.Permanent, channel.Unsure,
	}
)

// beginCounts has what a plan's accounts and schedules are watched by begin at 0. A
// counter that appears with its first count never rises, to those who watch: the first
// failure of a schedule would be none.
func (a *App) beginCounts(plan *Plan) {
	m := a.metrics
	for i := range plan.Config.Accounts {
		name := plan.Config.Accounts[i].Name
		m.Received.WithLabelValues(name)
		m.Duplicate.WithLabelValues(name)
		m.Queued.WithLabelValues(name, string(engine.Message))
		m.Handled.WithLabelValues(name, "", string(turn.NoReply))
		m.Failed.WithLabelValues(name, "")
		m.Created.WithLabelValues(name, string(engine.SendText))
		m.Sent.WithLabelValues(name, string(engine.SendText))
		m.Dead.WithLabelValues(name, "event")
		m.Dead.WithLabelValues(name, "command")
		for _, reason := range troubleAtTheDoor {
			m.Refused.WithLabelValues(name, reason)
		}
		for _, by := range limits {
			m.Throttled.WithLabelValues(name, by)
		}
		for _, class := range failures {
			m.SendFailed.WithLabelValues(name, string(class))
		}
	}
	m.Retries.WithLabelValues("handle")
	m.Retries.WithLabelValues("send")
	for _, s := range plan.Skills.Schedules() {
		m.Runs.WithLabelValues(s.Name, string(engine.RunSucceeded))
		m.Runs.WithLabelValues(s.Name, string(engine.RunFailed))
	}
}
