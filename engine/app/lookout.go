package app

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/alert"
	"bot/store"
)

// How often what has no event of its own is looked at.
const (
	lookAround = 5 * time.Second
	lookLong   = 15 * time.Second // at silence, and at the outbox
)

// room is what is known of the disk.
type room struct {
	full atomic.Bool // something was refused for lack of room since the last look
}

// lookout raises alerts for what lasts and has no event of its own.
type lookout struct {
	app   *App
	going map[string]bool // kinds that are raised, with the account behind a space
	long  time.Time       // when the outbox was looked at
}

// watch looks around until ctx is done. It returns nil.
func (a *App) watch(ctx context.Context) error {
	l := &lookout{app: a, going: make(map[string]bool)}
	tick := time.NewTicker(lookAround)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			l.look()
		}
	}
}

func (l *lookout) look() {
	a := l.app
	a.restsOver()
	s, err := a.store.Stats()
	if err != nil {
		return // a store that fails ends the process, which says so
	}
	conf := &a.live.Load().Config.Alert
	l.backlog(s, conf.BacklogAge.Std())
	l.disk(s)
	l.inDoubt(s)
	if now := time.Now(); now.Sub(l.long) >= lookLong {
		l.long = now
		l.outbox(conf.OutboxAge.Std())
	}
}

// is raises a condition when it begins and ends it when it is over; between the
// two it is as it was.
func (l *lookout) is(begun, over bool, what alert.Alert) {
	key := what.Kind + " " + what.Account
	switch {
	case begun && !l.going[key]:
		l.going[key] = true
		l.app.desk.Raise(what)
	case over && l.going[key]:
		delete(l.going, key)
		what.Over = true
		l.app.desk.Raise(what)
	}
}

func (l *lookout) backlog(s store.Stats, limit time.Duration) {
	var age time.Duration
	if !s.OldestEvent.IsZero() {
		age = l.app.store.Now().Sub(s.OldestEvent)
	}
	l.is(age > limit, age < limit/2, alert.Alert{
		Kind: alert.Backlog, Text: fmt.Sprintf("%d wait, the first for %v", s.Events, age.Round(time.Second)),
		TextZH: fmt.Sprintf("%d 条在等待，最早的已等 %v", s.Events, age.Round(time.Second)),
	})
}

// disk warns when twice store.min_free is left, before anything is refused.
func (l *lookout) disk(s store.Stats) {
	least := int64(l.app.live.Load().Config.Store.MinFree)
	full := l.app.room.full.Swap(false)
	short := s.RoomBytes > 0 && s.RoomBytes < 2*least
	text := alert.Alert{Kind: alert.Disk}
	if s.RoomBytes > 0 {
		text.Text = fmt.Sprintf("%v left; below %v callbacks are refused", engine.Size(s.RoomBytes), engine.Size(least))
		text.TextZH = fmt.Sprintf("剩余 %v；低于 %v 时将拒收回调", engine.Size(s.RoomBytes), engine.Size(least))
	}
	if full {
		text.Text, text.TextZH = "callbacks are being refused: "+text.Text, "已在拒收回调："+text.TextZH
	}
	l.is(full || short, !full && (s.RoomBytes == 0 || s.RoomBytes > 3*least), text)
}

// inDoubt tells of commands that were in doubt at the start, and that none is any
// more. That one comes to be so while we run is told where it happens.
func (l *lookout) inDoubt(s store.Stats) {
	a := l.app
	if s.InDoubt == 0 {
		for _, account := range a.trouble.settled() {
			a.desk.Raise(alert.Alert{Kind: alert.InDoubt, Account: account, Over: true})
		}
	}
	l.is(s.InDoubt > 0 && !a.trouble.anyDoubt(), s.InDoubt == 0, alert.Alert{
		Kind: alert.InDoubt, Text: fmt.Sprintf("%d wait for a person", s.InDoubt), TextZH: fmt.Sprintf("%d 条等待人工处理", s.InDoubt),
	})
}

// maxLooked is how many commands of the outbox are looked at, from its head.
const maxLooked = 500

// outbox looks for a command that waits too long though it may go: no bulk, none
// that is not due, none of an account that is held.
func (l *lookout) outbox(limit time.Duration) {
	a := l.app
	late := make(map[string]time.Duration)
	if limit > 0 {
		rows, err := a.store.Deliveries(0, maxLooked)
		if err != nil {
			return
		}
		held, now := a.egress.Held(), a.store.Now()
		for _, d := range rows {
			c := d.Command
			age := now.Sub(c.Due())
			if d.Progress.Phase == store.Waiting && c.Lane != engine.LaneBulk && held[c.Account] == "" &&
				!now.Before(d.Progress.NotBefore) && age > limit {
				late[c.Account] = max(late[c.Account], age)
			}
		}
	}
	for _, account := range accountNames(a.live.Load().Config.Accounts) {
		age := late[account].Round(time.Second)
		l.is(age > 0, age == 0, alert.Alert{Kind: alert.Outbox, Account: account,
			Text: fmt.Sprintf("the first waits for %v", age), TextZH: fmt.Sprintf("最早的已等 %v", age)})
	}
}
