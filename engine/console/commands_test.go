package console

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"bot/engine"
	"bot/store"
)

func TestWhatWaitsIsShownWithItsReasonAndCancelled(t *testing.T) {
	r := newRig(t)
	var cancelled []string
	r.options.Desk.Cancelled = func(c *engine.Command) { cancelled = append(cancelled, c.TaskID) }
	r.options.Desk.Waits = func(d store.Delivery) string {
		if d.Command.TaskID == "w1" {
			return "account held: paused"
		}
		return ""
	}
	r.build()
	r.login()
	if page := r.page("/commands"); !strings.Contains(page, "There is nothing.") {
		t.Error("without any it does not say so")
	}
	r.wait(say("w1", "u1", "first"), say("w2", "u2", "second"))
	r.doubt(say("d1", "u1", "doubtful"))
	page := r.page("/commands")
	for _, want := range []string{"first", "second", "account held: paused", "its turn", "in doubt", "/trace?id=w1", "/doubts?account=shop"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(page, `action="/commands/cancel"`); n != 2 {
		t.Errorf("%d can be cancelled", n)
	}
	form := url.Values{"id": {"w1"}, "back": {"/commands"}}
	if page := r.press("/commands/cancel", form); saidOn(page) != "It was cancelled." || strings.Contains(page, "first") {
		t.Errorf("says %q", saidOn(page))
	}
	if page := r.press("/commands/cancel", form); !strings.Contains(saidOn(page), "not there any more") {
		t.Errorf("once more says %q", saidOn(page))
	}
	if page := r.press("/commands/cancel", url.Values{"id": {"d1"}, "back": {"/commands"}}); !strings.Contains(saidOn(page), "not there any more") {
		t.Errorf("of one in doubt it says %q", saidOn(page))
	}
	if fmt.Sprint(cancelled) != "[w1]" {
		t.Errorf("the sender was told of %v", cancelled)
	}
}

func TestWhatWaitsIsFilteredAndPaged(t *testing.T) {
	r := newRig(t)
	r.login()
	var all []engine.Command
	for i := range rows + 5 {
		c := say(fmt.Sprint("t", i), fmt.Sprint("u", i), "x")
		if i == 7 {
			c.Skill, c.Account, c.Conversation = "promo", "other", "张三"
		}
		all = append(all, c)
	}
	r.wait(all...)
	r.doubt(say("d1", "u1", "doubtful"))
	page := r.page("/commands")
	if n := strings.Count(page, "/trace?id="); n != rows {
		t.Errorf("the first page shows %d", n)
	}
	if next := r.page(nextOf(t, page)); strings.Count(next, "/trace?id=") != 6 || strings.Contains(next, "Next page") {
		t.Errorf("the second page shows %d", strings.Count(next, "/trace?id="))
	}
	for query, want := range map[string]string{
		"skill=promo": "t7", "account=other": "t7", "conversation=" + url.QueryEscape("张三"): "t7", "state=in_doubt": "d1",
	} {
		if page := r.page("/commands?" + query); strings.Count(page, "/trace?id=") != 1 || !strings.Contains(page, "/trace?id="+want+`"`) {
			t.Errorf("%s does not show %s alone", query, want)
		}
	}
	for _, query := range []string{"state=gone", "after=x"} {
		if resp := r.send("GET", "/commands?"+query, nil); resp.StatusCode != 400 || !strings.Contains(text(t, resp), "asks for what cannot be") {
			t.Errorf("%s: %s", query, resp.Status)
		}
	}
}
