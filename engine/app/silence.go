package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"bot/engine/alert"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/health"
)

// probeTime is how long a platform may take to say whether an account is online.
const probeTime = 20 * time.Second

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
			asking.Go(func() { a.tellSilence(ctx, acc, s, probers[acc.Name]) })
		}
	}
	asking.Wait()
}

// tellSilence tells that an account is not called any more. Where its platform can be
// asked, and says that it is offline, that is what is told.
func (a *App) tellSilence(ctx context.Context, acc *config.Account, s health.Silence, p channel.Prober) {
	if p != nil {
		limited, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		online, note, err := p.Online(limited)
		a.probed(acc.Name, online, note, err)
		if err == nil && !online {
			a.presence.Suspect(acc.Name, note)
		}
	}
	text, zh := silenceTexts(acc, s, a.board.Evidence(acc.Name), a.registers(acc.Name))
	a.desk.Raise(alert.Alert{Kind: alert.Silence, Account: acc.Name, Text: text, TextZH: zh})
}

// registers tells whether the account's platform can be told where to call.
func (a *App) registers(account string) bool {
	_, ok := a.live.Load().senders[account].Sender.(channel.Registrar)
	return ok
}

// silenceTexts say since when there is no callback, and what to look at, in this order.
func silenceTexts(acc *config.Account, s health.Silence, e health.Evidence, registers bool) (en, zh string) {
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
