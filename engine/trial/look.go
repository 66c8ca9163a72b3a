package trial

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"bot/engine"
)

// look tells where the one who speaks stands, and what the whole group shares.
func (t *Trial) look(context.Context, string) (Reply, error) {
	at := engine.StateKey{Account: t.opts.Account, Conversation: cmp.Or(t.group, t.user), Sender: t.user}
	r := Reply{Notes: []string{t.speaker() + ": " + t.standing(t.memory.states[at])}}
	at.Sender = ""
	if shared := t.memory.states[at]; shared.Exists() {
		r.Notes = append(r.Notes, "all of "+at.Conversation+": "+t.standing(shared))
	}
	return r, nil
}

// speaker is who speaks, and where.
func (t *Trial) speaker() string {
	if t.group == "" {
		return t.user
	}
	return t.user + " in " + t.group
}

// standing puts a state as a line to read.
func (t *Trial) standing(s engine.State) string {
	if !s.Exists() {
		return "in no skill"
	}
	parts := []string{"in skill " + s.Skill}
	if s.Node != "" {
		parts = append(parts, "at "+s.Node)
	}
	for _, k := range slices.Sorted(maps.Keys(s.Data)) {
		parts = append(parts, k+"="+s.Data[k])
	}
	if s.Misses > 0 {
		parts = append(parts, fmt.Sprintf("bad answers %d", s.Misses))
	}
	if !s.Expires.IsZero() {
		parts = append(parts, fmt.Sprintf("until %s (in %v)", s.Expires.In(t.zone()).Format(time.TimeOnly), s.Expires.Sub(t.now).Round(time.Second)))
	}
	return strings.Join(parts, ", ")
}

// zone is the account's.
func (t *Trial) zone() *time.Location {
	if l := t.opts.Setup.Accounts[t.opts.Account].Location; l != nil {
		return l
	}
	return time.UTC
}

// reset begins anew, as New did; time does not run back.
func (t *Trial) reset(context.Context, string) (Reply, error) {
	t.user, t.group = t.opts.User, t.opts.Group
	t.memory = newMemory(func() time.Time { return t.now })
	return Reply{}, nil
}
