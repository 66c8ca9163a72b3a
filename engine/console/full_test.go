package console

import (
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/alert"
	"bot/engine/api"
	"bot/engine/contacts"
	"bot/engine/egress"
	"bot/engine/health"
	"bot/engine/pace"
)

// everyState are accounts in all the states that there are.
func everyState(now time.Time, long string) []Account {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	free := egress.Pace{Pace: 1, State: egress.PaceFree}
	fine := account("shop", health.OK)
	fine.LastCallback, fine.LastSent, fine.Pace = ago(3*time.Second), ago(8*time.Second), free
	fine.Pushes = &egress.Pushes{Day: "2026-12-01", Used: 412, Left: 1588}
	fine.Unconfirmed = 3
	paused := account("客服", health.Held)
	paused.Channel, paused.LastCallback, paused.LastSent, paused.Pace = "wecom", ago(40*time.Second), ago(12*time.Minute), free
	paused.Paused, paused.PausedBy, paused.PausedSince = true, "console", ago(12*time.Minute)
	slow := account("promo-2026", health.Failing)
	slow.LastCallback, slow.LastSent = ago(2*time.Minute), ago(5*time.Minute)
	slow.LastError = &health.Mark{Time: ago(20 * time.Second), Class: "throttled", Note: "errcode 45009: 接口调用超过限制 " + long}
	slow.Pace = egress.Pace{Pace: .4, State: egress.PaceWaiting, By: pace.ByPlatform, Until: now.Add(90 * time.Second)}
	slow.Held = "the platform asked to wait: 频率过高"
	slow.Pushes = &egress.Pushes{Day: "2026-12-01", Used: 500}
	off := account("personal", health.Offline)
	off.Channel, off.LastCallback, off.Pace = "gewe", ago(5*time.Hour), free
	off.Offline = &health.Mark{Time: ago(3 * time.Hour), Note: "the platform says that it is logged out"}
	off.LastProbe = &health.Mark{Time: ago(30 * time.Second), Class: "offline", Note: "设备不在线"}
	off.LastRefused = &health.Mark{Time: ago(time.Hour), Class: "signature"}
	quiet := account("quiet-one", health.Quiet)
	quiet.LastCallback, quiet.Pace = ago(4*time.Hour), egress.Pace{Pace: .7, State: egress.PaceSlowed, By: pace.ByGap}
	return []Account{fine, paused, slow, off, quiet, account("new", health.Unknown)}
}

// evilAccount has markup wherever somebody else may have written.
func evilAccount(evil string) Account {
	mark := &health.Mark{Time: time.Unix(1, 0), Class: evil, Note: evil}
	return Account{
		Row:    health.Row{Name: evil, Channel: evil, Health: health.Offline, Held: evil, LastRefused: mark, LastError: mark, Offline: mark, LastProbe: mark},
		Paused: true, PausedBy: evil, Pace: egress.Pace{State: egress.PaceState(evil), By: pace.By(evil)},
	}
}

// fullOf fills every page with rows in which everything is the same text.
func (r *rig) fullOf(text string) {
	r.Helper()
	now := r.options.Now()
	id := text[:min(len(text), contacts.MaxID)]
	label := text[:min(len(text), contacts.MaxLabel)]
	r.doubt(say("doubt "+text, text, text))
	waits := say("waits "+text, text, text)
	waits.Skill = text
	r.wait(waits)
	for _, a := range []string{"shop", text} {
		if err := r.options.Desk.Directory.Change(r.Context(), a, []contacts.Change{{ID: id, Name: &text, Add: []string{label}, Present: true}}); err != nil {
			r.Fatal(err)
		}
	}
	r.audiences = []contacts.Audience{{Name: text, Account: text}, {Name: text, Account: "shop"}}
	r.alerts = api.Alerts{
		Ongoing: []alert.Ongoing{{Kind: text, Account: text, Subject: text, Level: alert.Level(text), Text: text, TextZH: text, Since: now}},
		Recent:  []alert.Record{{Line: alert.Line{Kind: text, Account: text, Subject: text, Text: text}, Time: now, Ways: map[string]string{text: text}}},
		Ways:    []api.AlertWay{{Name: text, Format: text}, {Name: text, Account: text, To: text}},
	}
	r.mutes = mutes{{Account: text, User: text, Action: text, Row: text, Until: now}}
}

// full fills every page with what may be there on a bad day.
func (r *rig) full(long string) {
	r.Helper()
	now := r.options.Now()
	far := "wxid_" + strings.Repeat("abcdefghij", 8)
	r.doubt(say("order-20261201-0001", far, long), say("order-20261201-0002", "u2", "您的订单已发货"))
	later := say("remind-20261201-77", far, "还在吗？"+long)
	later.Skill, later.NotBefore, later.Unless, later.Deadline = "reminder", now.Add(20*time.Minute), "asked", now.Add(24*time.Hour)
	bulk := say("cast-7/00012", "22334455@chatroom", "双十二全场八折")
	bulk.Lane = engine.LaneBulk
	later.Created, bulk.Created = now.Add(-time.Minute), now.Add(-time.Hour)
	r.wait(later, bulk, say("t9", "u9", "好的"))
	name := func(s string) *string { return &s }
	err := r.options.Desk.Directory.Change(r.Context(), "shop", []contacts.Change{
		{ID: far, Name: name("张三（" + strings.Repeat("很长的备注", 6) + "）"), Add: []string{"vip", "老客户", "2026 双十二"}, Present: true},
		{ID: "22334455@chatroom", Group: true, Name: name("上海门店"), Add: []string{"stores"}, Present: true},
		{ID: "u9", Present: true},
	})
	if err != nil {
		r.Fatal(err)
	}
	if err := r.store.SetStanding(r.Context(), "shop", "u9", engine.Block); err != nil {
		r.Fatal(err)
	}
	r.audiences = []contacts.Audience{{Name: "vips", Account: "shop", Query: contacts.Query{Labels: []string{"vip"}}}, {Name: "门店群", Account: "shop"}}
	r.alerts = api.Alerts{
		Ongoing: []alert.Ongoing{
			{Kind: alert.Offline, Account: "personal", Level: alert.Serious, Text: "the platform says that it is logged out", Since: now.Add(-3 * time.Hour), Told: true},
			{Kind: alert.Throttled, Account: "promo-2026", Level: alert.Warning, Text: "errcode 45009: 接口调用超过限制", Since: now.Add(-20 * time.Second)},
		},
		Ways: []api.AlertWay{{Name: "conversation", Account: "客服", To: far}, {Name: "webhook", Format: "feishu"}},
	}
	for i := range 4 {
		r.alerts.Recent = append(r.alerts.Recent, alert.Record{
			Line: alert.Line{Kind: alert.DeadLetter, Account: "shop", Subject: "permanent", Level: alert.Warning, State: alert.Firing,
				Text: fmt.Sprintf("send_text → %s: status 400: %s", far, long), Count: i + 1},
			Time: now.Add(-time.Duration(i) * time.Hour), Ways: map[string]string{"conversation": alert.Told, "webhook": "status 404"},
		})
	}
	r.alerts.Recent[3].State = alert.Recovered
	r.mutes = mutes{{Account: "shop", User: far, Action: "mute", Row: "flood", Until: now.Add(8 * time.Minute)}, {Account: "shop", Action: "mute", Until: now.Add(time.Hour)}}
}
