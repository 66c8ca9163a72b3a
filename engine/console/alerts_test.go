package console

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"bot/engine/alert"
	"bot/engine/api"
	"bot/engine/risk"
)

func TestAlertsAreShownWithWhoIsTold(t *testing.T) {
	r := newRig(t)
	r.login()
	page := r.page("/alerts")
	for _, want := range []string{"Nothing is wrong now.", "Nothing was told since", "Nobody is told"} {
		if !strings.Contains(page, want) {
			t.Errorf("on a good day the page lacks %q", want)
		}
	}
	if strings.Contains(page, "/alerts/test") {
		t.Error("a test can be sent to nobody")
	}
	r.full("x")
	page = r.page("/alerts")
	for _, want := range []string{
		"the account is offline", "the platform says that it is logged out", "not yet", "feishu", "客服 / wxid_", "given up (dead letter)", "× 3", "status 404", "over", "the whole account", "flood",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestATestOfAlertsSaysWhatCameOfIt(t *testing.T) {
	r := newRig(t)
	r.login()
	r.alerts = api.Alerts{Ways: []api.AlertWay{{Name: "webhook"}}}
	for _, tt := range []struct {
		name  string
		tried map[string]string
		want  string
		bad   bool
	}{
		{"all were told", map[string]string{"webhook": alert.Told, "conversation": alert.Told}, "The test was told: conversation, webhook.", false},
		{"one was not", map[string]string{"webhook": "status 404", "conversation": alert.Told}, "The test was not told: webhook: status 404", true},
		{"there is nobody", nil, "There is nobody to tell: give to or webhook in [alert] of the configuration.", false},
	} {
		r.tried = tt.tried
		page := r.press("/alerts/test", url.Values{"back": {"/alerts"}})
		if saidOn(page) != tt.want || strings.Contains(page, `"said bad"`) != tt.bad {
			t.Errorf("%s: says %q", tt.name, saidOn(page))
		}
	}
}

func TestSomebodyIsUnmuted(t *testing.T) {
	r := newRig(t)
	r.login()
	r.mutes = mutes{{Account: "shop", User: "u1", Action: "mute", Until: r.now.Add(time.Hour)}, {Account: "shop", Action: "mute", Until: r.now.Add(time.Hour)}}
	page := r.press("/alerts/unmute", url.Values{"account": {"shop"}, "user": {""}, "back": {"/alerts"}})
	if saidOn(page) != "They are answered again." || len(r.mutes) != 1 || r.mutes[0].User != "u1" {
		t.Errorf("says %q, muted %v", saidOn(page), r.mutes)
	}
	if page := r.press("/alerts/unmute", url.Values{"account": {"none"}, "back": {"/alerts"}}); saidOn(page) != "There is no such account." {
		t.Errorf("of an account that there is not it says %q", saidOn(page))
	}
	r.mutes = nil
	for range rows + 1 {
		r.mutes = append(r.mutes, risk.Muted{Account: "shop", User: "u", Until: r.now})
	}
	if page := r.page("/alerts"); !strings.Contains(page, "The first 50 of 51.") {
		t.Error("it does not say how many there are")
	}
}
