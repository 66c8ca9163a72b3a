package console

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"bot/engine"
	"bot/store"
)

func TestDoubtsAreResentOrCountAsArrived(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/doubts"); !strings.Contains(page, "There are none.") {
		t.Error("without any it does not say so")
	}
	var resolved []string
	r.options.Desk.Resolved = func(d store.Delivery) { resolved = append(resolved, d.Command.TaskID) }
	r.build()
	r.login()
	r.doubt(say("a/1", "u1", "first"), say("a/2", "u2", "second"))
	page := r.page("/doubts")
	for _, want := range []string{"first", "second", "no answer within 10s", "/trace?id=a%2f1", "/conversation?account=shop&amp;conversation=u2"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	press := func(what, id string) string {
		return saidOn(r.press("/doubts/"+what, url.Values{"id": {id}, "back": {"/doubts"}}))
	}
	if s := press("resend", "a/1"); s != "It will be sent again." {
		t.Errorf("resend says %q", s)
	}
	if d, _, err := r.store.Find("a/1"); err != nil || d.Progress.Phase != store.Waiting {
		t.Errorf("a/1 is %+v, %v", d.Progress, err)
	}
	if s := press("delivered", "a/2"); s != "It counts as arrived." {
		t.Errorf("delivered says %q", s)
	}
	if _, final, err := r.store.Find("a/2"); err != nil || final != store.Confirmed {
		t.Errorf("a/2 is %q, %v", final, err)
	}
	if s := press("resend", "a/2"); !strings.Contains(s, "not there any more") {
		t.Errorf("once more says %q", s)
	}
	if fmt.Sprint(resolved) != "[a/1 a/2]" {
		t.Errorf("the sender was told of %v", resolved)
	}
}

func TestAllDoubtsOfOneAccountAreResentOverPages(t *testing.T) {
	r := newRig(t)
	r.login()
	var all []engine.Command
	for i := range 2*rows + 5 {
		c := say(fmt.Sprint("t", i), fmt.Sprint("u", i), "x")
		if i%2 == 1 {
			c.Account = "other"
		}
		all = append(all, c)
	}
	r.doubt(all...)
	page := r.page("/doubts")
	if n := strings.Count(page, `action="/doubts/delivered"`); n != rows || !strings.Contains(page, "Next page") || strings.Contains(page, "/doubts/resend-all") {
		t.Errorf("the first page of all shows %d", n)
	}
	next := r.page(nextOf(t, page))
	if strings.Contains(next, "/trace?id=t49\"") || !strings.Contains(next, "/trace?id=t50\"") {
		t.Error("the second page does not go on behind the first")
	}
	if page := r.page("/doubts?account=shop"); !strings.Contains(page, "/doubts/resend-all") || strings.Contains(page, "/trace?id=t1\"") {
		t.Error("the page of one account shows others, or cannot resend all")
	}
	page = r.press("/doubts/resend-all", url.Values{"account": {"shop"}, "back": {"/doubts"}})
	if saidOn(page) != "53 will be sent again (account shop)." {
		t.Errorf("says %q", saidOn(page))
	}
	if left, err := r.store.Doubts(0, 1000); err != nil || len(left) != rows+2 || left[0].Command.Account != "other" {
		t.Errorf("%d are left, %v", len(left), err)
	}
	if page := r.press("/doubts/resend-all", url.Values{"back": {"/doubts"}}); saidOn(page) != "There is no such account." {
		t.Errorf("without an account it says %q", saidOn(page))
	}
}
