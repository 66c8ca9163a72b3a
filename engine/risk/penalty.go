package risk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
)

// subject is who bears a penalty: a person or a conversation by its id, or the
// whole account ("").
type subject struct {
	account, id string
	degrade     bool
}

// penalty is a mute or a degradation.
type penalty struct {
	row    string // "": an operator's
	reason string // of refusals; "" for none at all
	until  time.Time
}

// penalties are those in force, and some that have ended.
type penalties struct {
	n  atomic.Int64 // how many there are, so that the door need not wait to learn of none
	mu sync.RWMutex
	of map[subject]penalty
}

func (p *penalties) none() bool { return p.n.Load() == 0 }

// add puts a penalty in force unless there is one already; ok tells that it is
// new. force replaces one that is there.
func (p *penalties) add(s subject, is penalty, now time.Time, force bool) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before, there := p.of[s]; there && before.until.After(now) && !force {
		return false
	}
	if len(p.of) >= maxPenalties {
		for s, old := range p.of {
			if !old.until.After(now) {
				delete(p.of, s)
			}
		}
		if len(p.of) >= maxPenalties {
			return false
		}
	}
	p.of[s] = is
	p.n.Store(int64(len(p.of)))
	return true
}

func (p *penalties) remove(s subject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, s)
	p.n.Store(int64(len(p.of)))
}

// inForce finds the mute and the degradation that an event meets, zero where it
// meets none: of its sender, its conversation or its account.
func (g *Guard) inForce(rules *Rules, e *engine.Event) (muted, degraded penalty) {
	if g.penalties.none() {
		return penalty{}, penalty{}
	}
	now := g.o.Now()
	g.penalties.mu.RLock()
	defer g.penalties.mu.RUnlock()
	return g.penalties.met(rules, e, false, now), g.penalties.met(rules, e, true, now)
}

// met is the penalty that an event meets. Whom a row excepts is not met by what
// the row did to the conversation they are in.
func (p *penalties) met(rules *Rules, e *engine.Event, degrade bool, now time.Time) penalty {
	for _, id := range [...]string{e.Sender, e.Conversation, ""} {
		is := p.of[subject{e.Account, id, degrade}]
		if row := rules.byName[is.row]; is.until.After(now) && (row == nil || !row.excepts(e)) {
			return is
		}
	}
	return penalty{}
}

// impose mutes or degrades the event's subject, in memory at once and then on
// disk. Should the disk refuse, it holds until the process ends.
func (g *Guard) impose(r *row, e *engine.Event) {
	ctx := context.Background()
	s := subject{e.Account, r.per.of(e), r.action == degrade}
	now := g.o.Now()
	is := penalty{r.name, r.reason, now.Add(r.lasts)}
	if !g.penalties.add(s, is, now, false) {
		return
	}
	g.o.Log.Warn("risk: "+r.action.String()+"d", "account", s.account, "user", s.id, "risk", r.name, "until", is.until)
	if err := g.write(ctx, s, is); err != nil {
		g.o.Log.Error("a mute holds only until the next restart", "account", s.account, "user", s.id, "risk", r.name, "error", err)
	}
	if r.reply != "" {
		g.o.Say(ctx, e, r.name, r.reply)
	}
}

// byHand is the reason for which the events of those whom an operator muted are
// refused.
const byHand = "muted"

// Mute has nothing of a person or a conversation answered for a time, from now;
// it takes the place of a mute that is there.
func (g *Guard) Mute(ctx context.Context, account, id string, lasts time.Duration) error {
	now := g.o.Now()
	s, is := subject{account: account, id: id}, penalty{reason: byHand, until: now.Add(lasts)}
	if err := g.write(ctx, s, is); err != nil {
		return err
	}
	if !g.penalties.add(s, is, now, true) {
		return fmt.Errorf("mute %s: %d are muted already, more are not kept", id, maxPenalties)
	}
	return nil
}

// Unmute lets a person or a conversation be answered again, and in full.
func (g *Guard) Unmute(ctx context.Context, account, id string) error {
	for _, degrade := range []bool{false, true} {
		s := subject{account, id, degrade}
		if err := g.o.Memory.Remember(ctx, account, []engine.Note{{Key: s.key()}}); err != nil {
			return err
		}
		g.penalties.remove(s)
	}
	return nil
}

// prefix is how the notes of penalties begin.
const prefix = "risk/"

// key is the note under which a penalty is kept. An id may be too long for it.
func (s subject) key() string {
	what := "mute/"
	if s.degrade {
		what = "degrade/"
	}
	id := "=" + s.id
	if len(id) > 400 {
		sum := sha256.Sum256([]byte(s.id))
		id = "#" + hex.EncodeToString(sum[:])
	}
	return prefix + what + id
}

// record is the note's value.
type record struct {
	ID  string `json:"id"`
	Row string `json:"row,omitempty"`
}

func (g *Guard) write(ctx context.Context, s subject, is penalty) error {
	value, err := json.Marshal(record{s.id, is.row})
	if err != nil {
		return fmt.Errorf("write penalty: %w", err)
	}
	note := engine.Note{Key: s.key(), Value: string(value), Expires: is.until, Stops: true}
	if err := g.o.Memory.Remember(ctx, s.account, []engine.Note{note}); err != nil {
		return fmt.Errorf("remember penalty: %w", err)
	}
	return nil
}

// page is how many notes are read at once.
const page = 500

// Recover puts in force what was in force when the last process ended. Call it
// for each account before anything of it is taken in; once more does no harm.
func (g *Guard) Recover(account string) error {
	for after := ""; ; {
		notes, err := g.o.Memory.Recollect(account, prefix, after, page)
		if err != nil {
			return fmt.Errorf("recollect penalties: %w", err)
		}
		for _, n := range notes {
			g.recover(account, n)
			after = n.Key
		}
		if len(notes) < page {
			return nil
		}
	}
}

func (g *Guard) recover(account string, n engine.Note) {
	var r record
	if err := json.Unmarshal([]byte(n.Value), &r); err != nil {
		g.o.Log.Error("a mute cannot be read and is over", "account", account, "note", n.Key, "error", err)
		return
	}
	is := penalty{row: r.Row, reason: byHand, until: n.Expires}
	if r.Row != "" {
		is.reason = reasonOf(mute, r.Row)
	}
	s := subject{account, r.ID, strings.HasPrefix(n.Key, prefix+"degrade/")}
	g.penalties.add(s, is, g.o.Now(), false)
}

// Status is the matrix at work, for people.
type Status struct {
	Rows []RowStatus `json:"rows"`
	// Muted are who is muted or degraded, the first few; Total is how many.
	Muted []Muted `json:"muted"`
	Total int     `json:"muted_total"`
}

// RowStatus is how often a row was hit since the start.
type RowStatus struct {
	Name   string `json:"name"`
	On     string `json:"on"`
	Action string `json:"action"`
	Hits   uint64 `json:"hits"`
}

// Muted is somebody who is muted or degraded; a User of "" is the whole account.
type Muted struct {
	Account string    `json:"account"`
	User    string    `json:"user"`
	Action  string    `json:"action"`
	Row     string    `json:"row,omitempty"` // "": by an operator
	Until   time.Time `json:"until"`
}

// Status returns the rows, and at most limit of those muted, of the account or
// of all ("").
func (g *Guard) Status(account string, limit int) Status {
	s := Status{Rows: []RowStatus{}, Muted: []Muted{}}
	for _, r := range g.rules.Load().rows {
		s.Rows = append(s.Rows, RowStatus{r.name, r.said, r.action.String(), r.hits.Load()})
	}
	now := g.o.Now()
	g.penalties.mu.RLock()
	for who, is := range g.penalties.of {
		if !is.until.After(now) || account != "" && who.account != account {
			continue
		}
		action := mute
		if who.degrade {
			action = degrade
		}
		s.Muted = append(s.Muted, Muted{who.account, who.id, action.String(), is.row, is.until})
	}
	g.penalties.mu.RUnlock()
	s.Total = len(s.Muted)
	slices.SortFunc(s.Muted, func(a, b Muted) int {
		return strings.Compare(a.Account+"\x00"+a.User+"\x00"+a.Action, b.Account+"\x00"+b.User+"\x00"+b.Action)
	})
	s.Muted = s.Muted[:min(len(s.Muted), limit)]
	return s
}
