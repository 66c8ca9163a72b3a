package loadtest

import (
	"context"
	"fmt"
	"time"
)

var profiles = scenario{
	name: "profile",
	says: "The whole way, as in chain, at a fixed rate of callbacks, with a platform that is not at its best. Whatever it refuses is tried again until it is done, " +
		"so that nothing may be missing in the end. A latency counts from the time at which the callback was due.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		notes := []string{b.senderSays()}
		var groups []group
		for _, name := range b.Profiles {
			p, err := profileNamed(name)
			if err != nil {
				return nil, nil, err
			}
			notes = append(notes, "the platform, "+p.Name+": "+p.Says)
			pace := "as fast as answered"
			if b.Rate > 0 {
				pace = fmt.Sprintf("%.0f callbacks/s", b.Rate)
			}
			groups = append(groups, group{
				name:   fmt.Sprintf("%s, %s, %d connections", p.Name, pace, b.middle()),
				trials: b.traced(func(e engineSetup) measurement { return b.under(p, e) }),
			})
		}
		return groups, notes, nil
	},
}

// under is the whole way with a platform like p.
func (b *bench) under(p Profile, e engineSetup) measurement {
	manners := p.manners(b.Rate, b.Warmup, b.Duration)
	e.patient, e.perSecond = true, b.Manners.or(manners).Throttle.PerSecond()*overConfigured
	return measurement{
		start: b.engine(e), replies: true, manners: manners,
		load: load{
			connections: b.middle(), conversations: b.Conversations, rate: b.Rate, events: b.Events,
			retell: b.Retell, hurry: b.Hurry, deaf: b.Deaf,
		},
	}
}

// overConfigured is the pace that an account is configured to, to what its platform
// allows: without one it would take what little it sent before the first refusal for
// its pace, and need an hour to find the platform's.
const overConfigured = 1.25

// middle is the first of the connections that were asked for.
func (b *bench) middle() int {
	if len(b.Connections) > 0 {
		return b.Connections[0]
	}
	return Middle
}

// senderSays is how callbacks are told again.
func (b *bench) senderSays() string {
	says := "callbacks are told again: never"
	if len(b.Retell.Again) > 0 {
		says = "callbacks are told again as " + b.Retell.Name + " does: " + b.Retell.Says
	}
	if b.Hurry > 1 {
		says += fmt.Sprintf("; %g times as soon", b.Hurry)
	}
	if b.Deaf > 0 {
		says += fmt.Sprintf("; %g %% of the answers do not reach the sender", b.Deaf*100)
	}
	return says
}

// untracedName is the engine that traces nothing.
const untracedName = engineName + ", no trace"

// traced are the trials of the whole engine by Options.Trace.
func (b *bench) traced(m func(engineSetup) measurement) []trial {
	whole := engineSetup{workers: handling, answers: true}
	ours := b.engineTrial(engineName, m(whole))
	if b.Trace != TraceBoth {
		return []trial{ours}
	}
	whole.untraced = true
	ours.against = []string{untracedName}
	return []trial{b.engineTrial(untracedName, m(whole)), ours}
}

// seconds is a duration for people.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
