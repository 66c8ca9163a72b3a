package turn_test

import (
	"context"
	"testing"

	"bot/engine"
	"bot/engine/turn"
)

// wants changes the sender's subscription and says nothing.
func wants(name string, s engine.Subscription) skill {
	return skill{name, func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{Subscription: s}, nil
	}}
}

func TestTheSendersWishIsPartOfTheCommit(t *testing.T) {
	for _, tc := range []struct {
		name    string
		skills  []skill
		sender  string
		want    engine.Subscription
		outcome turn.Outcome
	}{
		{"one skill's", []skill{wants("a", engine.Unsubscribe)}, "u1", engine.Unsubscribe, turn.State},
		{"beside a reply", []skill{wants("a", engine.Unsubscribe), says("b", "done")}, "u1", engine.Unsubscribe, turn.Reply},
		{"the later one's of two", []skill{wants("a", engine.Unsubscribe), wants("b", engine.Subscribe)}, "u1", engine.Subscribe, turn.State},
		{"none", []skill{says("a", "hi")}, "u1", "", turn.Reply},
		{"nobody's", []skill{wants("a", engine.Unsubscribe)}, "", "", turn.NoReply},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r router
			for _, s := range tc.skills {
				r.rules = append(r.rules, engine.Choice{Skill: s})
			}
			e := message()
			e.Sender = tc.sender
			report, c := mustPlay(t, &memory{}, r, e)
			if c.Subscription != tc.want || c.Account != e.Account || c.Sender != e.Sender {
				t.Errorf("committed %q of %s at %s", c.Subscription, c.Sender, c.Account)
			}
			if report.Subscription != tc.want || report.Outcome != tc.outcome {
				t.Errorf("reported %q as %s, want %q as %s", report.Subscription, report.Outcome, tc.want, tc.outcome)
			}
		})
	}
}
