package broadcast

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// Request is a broadcast to be made.
type Request struct {
	Name, Account string
	Action        engine.Action // "" is send_text
	Text          string
	Params        map[string]any
	Rate          engine.Rate // zero: the account's own, or 10/s
	Audience      Audience
	Said          string // the audience in a few words
	Start         bool   // it runs as soon as its audience is frozen
	By            string
	// Event is what makes it: one broadcast comes of one event, however often it is
	// asked for. At is when that was due.
	Event string
	At    time.Time
}

// defaultRate is that of a broadcast of an account without one of its own.
var defaultRate = engine.Rate{N: 10, Per: time.Second}

// maxSaid bounds what one broadcast says, with its params.
const maxSaid = 32 << 10

// Check returns what is wrong with a request, its audience aside: that is read when
// it is made. Whether the account's platform has the action is not asked.
func (m *Manager) Check(r *Request) Problems {
	b, wrong := m.draft(r)
	a, _ := m.o.Account(b.Account)
	f := compile(b, a, m.o.Template, &wrong)
	if len(wrong) > 0 {
		return wrong
	}
	sample := m.recipient(b, a, "recipient")
	c, err := f.command(sample)
	switch {
	case errors.Is(err, errEmpty): // it may have something to say to others
	case err != nil:
		wrong = append(wrong, Problem{"params", err.Error()})
	case !f.differs(sample):
		wrong = append(wrong, Problem{"params", `everybody would get the same done at one place: name the recipient by {{.User}}`})
	case a.TextLimit > 0 && len(c.Text) > a.TextLimit:
		wrong = append(wrong, Problem{"text", fmt.Sprintf("it is %d bytes, and the platform takes %d", len(c.Text), a.TextLimit)})
	default:
		wrong = append(wrong, lacking(&c, a)...)
	}
	return wrong
}

// lacking are the params without which the platform would refuse a recipient's
// command, and so everybody's: better said of one broadcast than in a dead letter
// for each of them.
func lacking(c *engine.Command, a Account) (wrong Problems) {
	if byMembers(c.Action) && c.Params["members"] == nil && c.Params["invited_wxid"] == nil {
		return Problems{{"params." + c.Action.Place(), fmt.Sprintf("%s needs it: the group whose members the recipients are", c.Action)}}
	}
	if a.Takes == nil {
		return nil
	}
	for _, param := range a.Takes(c.Action) {
		if param != "content" && engine.Blank(c.Params[param]) { // what is said is the text
			wrong = append(wrong, Problem{"params." + param, fmt.Sprintf("%s needs it on this channel", c.Action)})
		}
	}
	return wrong
}

// draft is the broadcast of a request, and what is wrong with its own fields.
func (m *Manager) draft(r *Request) (*Broadcast, Problems) {
	var wrong Problems
	bad := func(field, format string, args ...any) {
		wrong = append(wrong, Problem{field, fmt.Sprintf(format, args...)})
	}
	b := &Broadcast{
		Name: strings.TrimSpace(r.Name), Account: r.Account, Action: cmp.Or(r.Action, engine.SendText), Text: r.Text, Params: r.Params,
		Audience: r.Said, By: r.By, Event: r.Event,
	}
	a, known := m.o.Account(r.Account)
	if !known {
		bad("account", "there is no account %q", r.Account)
	}
	if b.Rate = r.Rate; b.Rate.Per == 0 {
		if b.Rate = a.Rate; b.Rate.Per == 0 {
			b.Rate = defaultRate
		}
	}
	if !(b.Rate.PerSecond() > 0) {
		bad("rate", `a rate is above zero (like "100/s")`)
	}
	if len(b.Name) > 200 {
		bad("name", "it has at most 200 bytes")
	}
	switch blank := strings.TrimSpace(r.Text) == ""; {
	case b.Action.Speaks() && blank:
		bad("text", "%s needs it", b.Action)
	case b.Action.Speaks() && r.Params["content"] != nil:
		bad("params.content", "what is said stands in text")
	case !b.Action.Speaks() && !blank:
		bad("text", "%s says nothing", b.Action)
	}
	if params, err := json.Marshal(r.Params); err != nil || len(params)+len(r.Text) > maxSaid {
		bad("text", "text and params have at most %d bytes together", maxSaid)
	}
	return b, wrong
}

// recipient is what templates see of somebody now.
func (m *Manager) recipient(b *Broadcast, a Account, user string) engine.Recipient {
	now := m.o.Store.Now().In(time.UTC)
	if a.Location != nil {
		now = now.In(a.Location)
	}
	return engine.Recipient{User: user, Account: b.Account, Day: now.Format(time.DateOnly), Now: now}
}

// Make writes an audience down and returns the broadcast, ready or running. Nothing
// of it is sent, and nothing is left of it, where that fails: Problems say what is
// wrong with the request, ErrBusy that another is being made, unless the request
// waits for that since an event makes it. The rest are errors of the store.
func (m *Manager) Make(ctx context.Context, r Request) (Status, error) {
	if wrong := m.Check(&r); len(wrong) > 0 {
		return Status{}, wrong
	}
	if err := m.occupy(ctx, r.Event != ""); err != nil {
		return Status{}, err
	}
	defer func() { <-m.preparing }()

	b, _ := m.draft(&r)
	b.Created = m.o.Store.Now()
	if r.Event == "" {
		b.ID = newID(b.Created, m.o.Chance, func(id string) bool { return m.entry(id) != nil })
	} else {
		b.ID = eventID(r.At, r.Event)
		if done, err := m.made(ctx, b.ID); done || err != nil {
			if err != nil {
				return Status{}, err
			}
			return m.Status(b.ID)
		}
	}
	e := &entry{b: *b, outbox: make(map[int]store.Phase)}
	if err := m.freeze(ctx, e, &r); err != nil {
		return Status{}, err
	}
	return m.Status(b.ID)
}

func (m *Manager) occupy(ctx context.Context, patient bool) error {
	select {
	case m.preparing <- struct{}{}:
		return nil
	default:
		if !patient {
			return ErrBusy
		}
	}
	select {
	case m.preparing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// made tells whether an event has its broadcast already. One that was not
// completed is forgotten, so that it can be made again.
func (m *Manager) made(ctx context.Context, id string) (bool, error) {
	e := m.entry(id)
	if e == nil {
		return false, nil
	}
	e.acting.Lock()
	defer e.acting.Unlock()
	if e.b.Recipients > 0 || e.b.State != Failed && e.b.State != Preparing {
		return true, nil
	}
	if err := m.forget(ctx, &e.b); err != nil {
		return false, err
	}
	m.mu.Lock()
	delete(m.entries, id)
	m.mu.Unlock()
	return false, nil
}
