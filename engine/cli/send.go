package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// order is what `send` is told.
type order struct {
	account, to, text string
	do, params        string
	task, lane, at    string
	wait              bool
}

// envelope is a command as POST /api/v1/commands takes it.
type envelope struct {
	TaskID    string         `json:"task_id"`
	AccountID string         `json:"account_id"`
	Action    string         `json:"action"`
	Timestamp int64          `json:"timestamp"`
	Params    map[string]any `json:"params"`
	Lane      string         `json:"lane,omitempty"`
	NotBefore *time.Time     `json:"not_before,omitempty"`
}

// sendVerb has one command done: 0 it was taken, and with -wait it was sent; 1 it
// was not, or nobody knows.
func sendVerb(ctx context.Context, c *call) int {
	var o order
	f := c.flags
	f.StringVar(&o.account, "account", "", "the `account` that sends")
	f.StringVar(&o.to, "to", "", "the `conversation`, or whatever the action is done to: a user, a group")
	f.StringVar(&o.text, "text", "", "what to say; - reads standard input")
	f.StringVar(&o.do, "do", string(engine.SendText), "the `action`")
	f.StringVar(&o.params, "params", "", "its params, as a `JSON` object")
	f.StringVar(&o.task, "task", "", "a task `id` of your own: a second command of that id is not made")
	f.StringVar(&o.lane, "lane", "", "reply, push or bulk: which quotas and whose turn (default push)")
	f.StringVar(&o.at, "at", "", "not before this `time`: 2026-12-24T09:00:00+08:00, '2026-12-24 09:00', 09:00 (the next), or 10m from now")
	f.BoolVar(&o.wait, "wait", false, "wait until it is sent (exit 0), dead, cancelled or in doubt (exit 1)")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	cfg, code := c.storeOf()
	if cfg == nil {
		return code
	}
	e, err := o.envelope(c, cfg.Location())
	if err != nil {
		c.say(err)
		return exitUsage
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	return c.submit(ctx, a, e, o.wait)
}

// envelope puts together what is to be posted; every mistake is told at once.
func (o *order) envelope(c *call, zone *time.Location) (*envelope, error) {
	now := c.Now()
	e := &envelope{TaskID: o.task, AccountID: o.account, Action: o.do, Timestamp: now.Unix(), Lane: o.lane}
	var wrong []error
	if o.account == "" {
		wrong = append(wrong, errors.New("say which account sends: -account NAME"))
	}
	if err := o.fill(c.In, e); err != nil {
		wrong = append(wrong, err)
	}
	if o.at != "" {
		at, err := readMoment(o.at, now, zone)
		if err != nil {
			wrong = append(wrong, err)
		}
		e.NotBefore = &at
	}
	if e.TaskID == "" {
		e.TaskID = fmt.Sprintf("send-%s-%06x", now.UTC().Format("20060102T150405"), int(c.Chance()*(1<<24)))
	}
	return e, errors.Join(wrong...)
}

// fill makes the params: -to and -text go where the action has them.
func (o *order) fill(in io.Reader, e *envelope) error {
	if o.params != "" {
		var err error
		if e.Params, err = readParams("-params", o.params); err != nil {
			return err
		}
	}
	if e.Params == nil {
		e.Params = make(map[string]any)
	}
	action, known := engine.ParseAction(o.do)
	if !known {
		return nil // the engine knows best how to say so
	}
	if o.to != "" {
		place := action.Place()
		if place == "" {
			return fmt.Errorf("-to does not go with %s, which is done to nobody that is known before; see its -params", action)
		}
		e.Params[place] = o.to
	}
	text := o.text
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(in, maxText))
		if err != nil {
			return fmt.Errorf("read the text: %w", err)
		}
		text = strings.TrimRight(string(b), "\r\n")
	}
	if text != "" {
		if !action.Speaks() {
			return fmt.Errorf("-text does not go with %s, which says nothing; see its -params", action)
		}
		e.Params["content"] = text
	}
	return nil
}

// maxText is more than any platform takes at once.
const maxText = 1 << 20

// readMoment reads a time as people write one: with a zone, without one in that of
// the configuration, the next such time of a day, or how long from now.
func readMoment(s string, now time.Time, zone *time.Location) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse("15:04", s); err == nil {
		n := now.In(zone)
		at := time.Date(n.Year(), n.Month(), n.Day(), t.Hour(), t.Minute(), 0, 0, zone)
		if !at.After(now) {
			at = time.Date(n.Year(), n.Month(), n.Day()+1, t.Hour(), t.Minute(), 0, 0, zone)
		}
		return at, nil
	}
	var d engine.Duration
	if err := d.UnmarshalText([]byte(s)); err == nil && d > 0 {
		return now.Add(d.Std()), nil
	}
	return time.Time{}, fmt.Errorf("-at %q is no time: write 2026-12-24T09:00:00+08:00, '2026-12-24 09:00', 09:00 or 10m", s)
}

// submit hands the command to the engine and says what became of it.
func (c *call) submit(ctx context.Context, a *adminClient, e *envelope, wait bool) int {
	var taken struct {
		TaskID string `json:"task_id"`
		Status string `json:"status"`
	}
	if err := a.do(ctx, http.MethodPost, "/api/v1/commands", e, &taken); err != nil {
		c.sayAPI(err)
		return exitFailed
	}
	if taken.Status == "duplicate" {
		fmt.Fprintf(c.Err, "task %s is there already: no second one was made\n", taken.TaskID)
	}
	switch {
	case wait:
		return c.follow(ctx, a, taken.TaskID)
	case c.json:
		json.NewEncoder(c.Out).Encode(taken)
	default:
		fmt.Fprintln(c.Out, taken.TaskID)
	}
	return exitOK
}

// followEvery is how often a command is looked at: well within the time for which
// one that has settled is remembered.
const followEvery = 200 * time.Millisecond

// task is a command as the engine shows it.
type task struct {
	TaskID   string      `json:"task_id"`
	State    string      `json:"state"`
	Reason   string      `json:"reason"`
	Attempts []store.Try `json:"attempts"`
}

// follow waits for the end of a command. People are told what it waits for.
func (c *call) follow(ctx context.Context, a *adminClient, id string) int {
	if !c.json {
		fmt.Fprintln(c.Out, id)
	}
	for told := ""; ; {
		var t task
		if err := a.do(ctx, http.MethodGet, commandPath(id), nil, &t); err != nil {
			c.say(fmt.Errorf("task %s: %w", id, err))
			return exitFailed
		}
		switch t.State {
		case string(store.Waiting), string(store.Sending):
		default:
			return c.end(&t)
		}
		if now := t.State + ": " + t.Reason; !c.json && t.Reason != "" && now != told {
			told = now
			fmt.Fprintln(c.Err, oneLine(now))
		}
		select {
		case <-ctx.Done():
			fmt.Fprintf(c.Err, "task %s is still %s; `bot commands show %s` tells more, `bot commands cancel %s` takes it out\n", id, t.State, id, id)
			return exitFailed
		case <-time.After(followEvery):
		}
	}
}

// end says how a command ended.
func (c *call) end(t *task) int {
	if c.json {
		json.NewEncoder(c.Out).Encode(t)
	} else {
		said := t.State
		if t.Reason != "" {
			said += ": " + t.Reason
		}
		fmt.Fprintln(c.Out, oneLine(said))
	}
	if t.State == string(store.Sent) || t.State == string(store.Confirmed) {
		return exitOK
	}
	return exitFailed
}
