// Package replay plays events that happened through two configurations and
// tells where their replies differ. Nothing is sent: both are trials, without
// platform and store.
package replay

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/trial"
)

// Options is what is compared. Both trials begin without states and with every
// once-key free.
type Options struct {
	Old, New trial.Options
	// Until is how far time passes after the last event.
	Until time.Time
}

// Change is an event that the two configurations answer differently. A time
// limit of a conversation that ran out in one of them, or in both, is such an
// event too: of the kind engine.Expired, at the time when it did first.
type Change struct {
	Event *engine.Event
	// Old and New are what was said and done, as trial.Reply has it; a skill that
	// failed is a line that begins with "error: ".
	Old, New []string
}

// Summary counts what was played.
type Summary struct {
	Events  int
	Changed int
	// Left are the events of accounts that only one of the configurations has, by
	// account: there is nothing to compare.
	Left map[string]int
}

// Compare plays the events, which come in the order of their receipt, and hands
// each that is answered differently to each, in that order too; a difference in
// what is said when a time limit runs out comes with the conversation's next
// event. It returns early, with ctx's error, when ctx ends.
func Compare(ctx context.Context, o Options, events iter.Seq[*engine.Event], each func(Change)) (Summary, error) {
	c := &comparison{
		old: newSide(o.Old), new: newSide(o.New), each: each,
		lapses: make(map[engine.ConversationKey]*Change),
	}
	for e := range events {
		if err := ctx.Err(); err != nil {
			return c.summary, err
		}
		if !c.old.knows(e.Account) || !c.new.knows(e.Account) {
			c.leave(e.Account)
			continue
		}
		c.pass(ctx, e.Received)
		c.settle(e.ConversationKey())
		c.summary.Events++
		c.judge(Change{e, c.old.play(ctx, e), c.new.play(ctx, e)})
	}
	c.pass(ctx, o.Until)
	c.settleAll()
	return c.summary, ctx.Err()
}

// side is one of the two configurations.
type side struct {
	*trial.Trial
	accounts map[string]engine.Account
}

func newSide(o trial.Options) side { return side{trial.New(o), o.Setup.Accounts} }

func (s side) knows(account string) bool {
	_, ok := s.accounts[account]
	return ok
}

func (s side) play(ctx context.Context, e *engine.Event) []string { return lines(s.Play(ctx, e)) }

// lines are what is compared.
func lines(r trial.Reply, err error) []string {
	all := slices.Concat(r.Texts, r.Actions)
	if err != nil {
		all = append(all, "error: "+err.Error())
	}
	return all
}

type comparison struct {
	old, new side
	each     func(Change)
	summary  Summary
	// lapses are what was said when time limits ran out since each conversation's
	// last event. They are compared with its next one: a limit that is longer now
	// is no other reply, as long as it runs out before something else happens.
	lapses map[engine.ConversationKey]*Change
}

func (c *comparison) leave(account string) {
	if c.summary.Left == nil {
		c.summary.Left = make(map[string]int)
	}
	c.summary.Left[account]++
}

func (c *comparison) pass(ctx context.Context, until time.Time) {
	c.old.Pass(ctx, until, func(e *engine.Event, r trial.Reply, err error) {
		l := c.lapse(e)
		l.Old = append(l.Old, lines(r, err)...)
	})
	c.new.Pass(ctx, until, func(e *engine.Event, r trial.Reply, err error) {
		l := c.lapse(e)
		l.New = append(l.New, lines(r, err)...)
	})
}

func (c *comparison) lapse(e *engine.Event) *Change {
	l := c.lapses[e.ConversationKey()]
	if l == nil {
		l = &Change{Event: e}
		c.lapses[e.ConversationKey()] = l
	}
	if e.Received.Before(l.Event.Received) {
		l.Event = e
	}
	return l
}

func (c *comparison) settle(key engine.ConversationKey) {
	if l := c.lapses[key]; l != nil {
		delete(c.lapses, key)
		c.judge(*l)
	}
}

func (c *comparison) settleAll() {
	rest := slices.SortedFunc(maps.Values(c.lapses), func(a, b *Change) int {
		return cmp.Or(a.Event.Received.Compare(b.Event.Received), cmp.Compare(a.Event.Account, b.Event.Account), cmp.Compare(a.Event.Conversation, b.Event.Conversation))
	})
	for _, l := range rest {
		c.judge(*l)
	}
}

func (c *comparison) judge(ch Change) {
	if !slices.Equal(ch.Old, ch.New) {
		c.summary.Changed++
		c.each(ch)
	}
}
