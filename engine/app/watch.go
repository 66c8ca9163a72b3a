package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/alert"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/health"
	"bot/store"
)

// How often what has no event of its own is looked at.
const (
	lookAround = 5 * time.Second
	lookLong   = 15 * time.Second // at silence, and at the outbox
	probeTime  = 20 * time.Second
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

func (t *troubles) anyDoubt() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.doubtful) > 0
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

// restsOver ends the troubles of accounts whose platforms let them go without
// being asked: a pause they had asked for is over.
func (a *App) restsOver() {
	held := a.egress.Held()
	for _, account := range a.trouble.all() {
		if held[account] == "" {
			a.troubled(account, "", "")
		}
	}
}

// watchSilence looks for accounts that are not called any more until ctx is done.
// It returns nil.
func (a *App) watchSilence(ctx context.Context) error {
	told := make(map[string]bool)
	tick := time.NewTicker(lookLong)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			a.lookForSilence(ctx, told)
		}
	}
}

func (a *App) lookForSilence(ctx context.Context, told map[string]bool) {
	plan := a.live.Load()
	probers := a.probers()
	var asking sync.WaitGroup
	for i := range plan.Config.Accounts {
		acc := &plan.Config.Accounts[i]
		w := watchOf(acc)
		s := a.board.Silent(acc.Name, w)
		switch {
		case told[acc.Name] && (w.Silence == 0 || s.For < w.Silence):
			delete(told, acc.Name)
			a.desk.Raise(alert.Alert{Kind: alert.Silence, Account: acc.Name, Over: true})
		case s.TooLong && !told[acc.Name] && a.board.Row(acc.Name, "", w).Offline == nil:
			told[acc.Name] = true // one that is offline is told of as that
			asking.Go(func() { a.silent(ctx, acc, s, probers[acc.Name]) })
		}
	}
	asking.Wait()
}

// silent tells that an account is not called any more. Where its platform can be
// asked, and says that it is offline, that is what is told.
func (a *App) silent(ctx context.Context, acc *config.Account, s health.Silence, p channel.Prober) {
	if p != nil {
		limited, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		online, note, err := p.Online(limited)
		a.probed(acc.Name, online, note, err)
		if err == nil && !online {
			a.presence.Suspect(acc.Name, note)
		}
	}
	text, zh := silence(acc, s, a.board.Evidence(acc.Name), a.registers(acc.Name))
	a.desk.Raise(alert.Alert{Kind: alert.Silence, Account: acc.Name, Text: text, TextZH: zh})
}

// registers tells whether the account's platform can be told where to call.
func (a *App) registers(account string) bool {
	_, ok := a.live.Load().senders[account].Sender.(channel.Registrar)
	return ok
}

// silence says since when there is no callback, and what to look at, in this order.
func silence(acc *config.Account, s health.Silence, e health.Evidence, registers bool) (en, zh string) {
	since := s.Since.In(acc.Location).Format("01-02 15:04")
	path := shownPath(acc)
	register, registerZH := "is the address still entered in the platform's console?", "平台后台的回调地址是否还在"
	if registers {
		register = "is it registered? `bot callback register -account " + acc.Name + " -url …`"
		registerZH = "是否已注册：bot callback register -account " + acc.Name + " -url …"
	}
	refused, refusedZH := "none was refused", "没有被拒绝的回调"
	if e.Refused != nil {
		at := e.Refused.Time.In(acc.Location).Format("01-02 15:04")
		refused, refusedZH = fmt.Sprintf("the last refused callback: %s, %s", at, e.Refused.Class), fmt.Sprintf("最近被拒绝的回调：%s，%s", at, e.Refused.Class)
	}
	probe, probeZH := "", ""
	if e.Probe != nil {
		probe, probeZH = "; asked, the platform says: "+e.Probe.Class, "；询问平台的结果："+e.Probe.Class
	}
	en = fmt.Sprintf("since %s (%v of its hours)%s. Check: 1. network, and the platform's status; 2. the callback address, path %s; 3. %s; 4. %s",
		since, s.For.Round(time.Minute), probe, path, register, refused)
	zh = fmt.Sprintf("自 %s 起（营业时间内 %v）%s。请依次检查：1. 网络和平台状态；2. 回调地址，路径 %s；3. %s；4. %s",
		since, s.For.Round(time.Minute), probeZH, path, registerZH, refusedZH)
	return en, zh
}

// plainSegments are parts of paths that are no secret.
var plainSegments = map[string]bool{
	"api": true, "callback": true, "callbacks": true, "gateway": true, "in": true, "hook": true, "webhook": true, "bot": true, "wx": true,
	"wechat": true, "wecom": true, "gewe": true, "wkteam": true, "qiwe": true, "generic": true, "event": true, "events": true, "v1": true, "v2": true,
}

// shownPath is the account's path with what may be a secret left out: on platforms
// that do not sign it is the path that keeps strangers away.
func shownPath(acc *config.Account) string {
	parts := strings.Split(acc.Path, "/")
	for i, part := range parts {
		if part != "" && part != acc.Name && !plainSegments[part] {
			parts[i] = "***"
		}
	}
	shown := strings.Join(parts, "/")
	if shown != acc.Path {
		shown += " (" + acc.At("path") + ")"
	}
	return shown
}
