package console

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine/alert"
	"bot/engine/api"
	"bot/engine/health"
)

func TestTheFirstScreenSaysWhatIsWrongTheWorstFirst(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	with := func(a Account, change func(*Account)) Account { change(&a); return a }
	offline := with(account("personal", health.Offline), func(a *Account) { a.Offline = &health.Mark{Time: now, Note: "logged out"} })
	failing := with(account("promo", health.Failing), func(a *Account) { a.LastError = &health.Mark{Time: now, Class: "halted", Note: "banned"} })
	paused := with(account("shop", health.Held), func(a *Account) { a.Paused, a.PausedBy = true, "ann" })
	for _, tt := range []struct {
		name    string
		now     Overview
		ongoing []alert.Ongoing
		want    string // key or kind, and account, in their order
	}{
		{"all is well", Overview{Accounts: []Account{account("shop", health.OK), account("new", health.Unknown)}, Events: 3, Oldest: now.Add(-time.Second)}, nil, ""},
		{"accounts that fail come before those that were stopped, and what to clear up last",
			Overview{Accounts: []Account{paused, offline, failing}, Dead: 2, InDoubt: 1}, nil,
			"trouble.offline personal, trouble.failing promo, trouble.paused shop, trouble.doubt, trouble.dead"},
		{"what an alert tells is not said again", Overview{Accounts: []Account{offline, failing}},
			[]alert.Ongoing{{Kind: alert.Offline, Account: "personal", Level: alert.Serious}}, "offline personal, trouble.failing promo"},
		{"an alert of one account says nothing of another", Overview{Accounts: []Account{offline}},
			[]alert.Ongoing{{Kind: alert.Offline, Account: "other", Level: alert.Serious}}, "offline other, trouble.offline personal"},
		{"a stopped account is told of though it is offline too", Overview{Accounts: []Account{with(offline, func(a *Account) { a.Paused = true })}},
			[]alert.Ongoing{{Kind: alert.Offline, Account: "personal", Level: alert.Serious}}, "offline personal, trouble.paused personal"},
		{"an event waits for longer than a minute", Overview{Oldest: now.Add(-2 * time.Minute)}, nil, "trouble.stuck"},
		{"unless there is an alert of it", Overview{Oldest: now.Add(-2 * time.Minute)}, []alert.Ongoing{{Kind: alert.Backlog, Level: alert.Serious}}, "backlog"},
		{"no callbacks are taken", Overview{NotReady: "starting", Dead: 1}, []alert.Ongoing{{Kind: alert.Disk, Level: alert.Serious}},
			"trouble.notready, disk, trouble.dead"},
		{"doubts that there is an alert of", Overview{InDoubt: 3}, []alert.Ongoing{{Kind: alert.InDoubt, Account: "shop", Level: alert.Warning}}, "in_doubt shop"},
		{"held by its platform", Overview{Accounts: []Account{with(account("a", health.Held), func(a *Account) { a.Held = "asked to wait" })}}, nil, "trouble.held a"},
		{"quiet", Overview{Accounts: []Account{account("a", health.Quiet)}}, nil, "trouble.quiet a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, x := range troublesOf(tt.now, tt.ongoing, now) {
				got = append(got, strings.TrimSpace(x.Key+x.Alert+" "+x.Account))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("%s, want %s", s, tt.want)
			}
		})
	}
}

func TestTheOverviewShowsTheEvidence(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/"); !strings.Contains(page, "All is well.") || !strings.Contains(page, "No send failed") {
		t.Errorf("on a good day: %s", page)
	}
	r.overview.Accounts = everyState(r.now, "x")
	page := r.page("/")
	for _, want := range []string{
		"3 s ago", "8 s ago", "1 588 of 2 000 pushes left today", "3 await confirmation", // of shop
		"stopped by console", "12 min ago",
		"slowed down, 70% of its pace", "asked to wait, 40% of its pace", "next try in 1 min", "errcode 45009", "0 of 500 pushes left",
		"is not connected", "设备不在线", "one was refused: signature", "waits for the gap", "nothing seen yet",
		"The last error: <b>promo-2026</b>", "Stop all", "Resume all",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "All is well") || strings.Contains(page, "waits for the platform") {
		t.Error("it says what is not so, or the same twice")
	}
	for _, p := range []string{"/", "/live"} {
		if part := r.page(p); strings.Count(part, `action="/pause"`) != 6 || strings.Count(part, `action="/resume"`) != 2 {
			t.Errorf("%s has other buttons", p)
		}
	}
}

func TestManyTroublesAreCounted(t *testing.T) {
	r := newRig(t)
	r.login()
	r.alerts = api.Alerts{Ongoing: slices.Repeat([]alert.Ongoing{{Kind: alert.Schedule, Account: "shop", Text: "run failed", TextZH: "没有成功"}}, 20)}
	page := r.page("/")
	if n := strings.Count(page, "a scheduled run failed"); n != maxTroubles || !strings.Contains(page, "12 more") {
		t.Errorf("%d are shown", n)
	}
	r.keep(cookieOf("lang", "zh"))
	if page := r.page("/"); !strings.Contains(page, "定时任务失败") || !strings.Contains(page, "没有成功") {
		t.Error("in Chinese it is not told in Chinese")
	}
}

func TestAnOverviewThatFailsSaysSo(t *testing.T) {
	r := newRig(t)
	r.login()
	r.options.Overview = func() (Overview, error) { return Overview{}, errors.New("the disk is gone") }
	r.build()
	r.login()
	if resp := r.send("GET", "/", nil); resp.StatusCode != 500 || !strings.Contains(text(t, resp), "the disk is gone") {
		t.Errorf("%s", resp.Status)
	}
}
