package console

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine/console/browsertest"
)

// visit is a rig's console in a browser that has logged in.
func visit(t *testing.T, r *rig) (tab *browsertest.Tab, base string) {
	t.Helper()
	tab = browsertest.Open(t)
	s := httptest.NewServer(r.handler)
	t.Cleanup(s.Close)
	tab.Go(s.URL + "/dead")
	tab.Type(`input[name="token"]`, token+"\r")
	tab.See(`nav a[aria-current]`)
	return tab, s.URL
}

func TestEveryPageInABrowserAtBothWidths(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	long := strings.Repeat("很长的一段话没有空格", 12)
	r.die(say("t1", "wxid_"+strings.Repeat("abcdefghij", 8), long), say("t2", "u2", "short"))
	r.overview = Overview{Events: 1234567, Dead: 2, Restored: "2026-12-01T03:04:05+08:00", Accounts: everyState(r.now, long)}
	r.full(long)
	tab, base := visit(t, r)
	for _, page := range sections {
		tab.Looks(page.Page, base+page.Path)
	}
	tab.Click(`form[action="/logout"] button`)
	tab.See(`input[name="token"]`)
	tab.Looks("login", base+"/login")
}

func TestTheOverviewIsLiveAndAReplayIsAPress(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.die(say("t1", "u1", "hello"))
	tab, base := visit(t, r)
	tab.Says("td", "hello")
	tab.Click(`td form[action="/dead/replay"] button`)
	tab.Says(".said", "It was put back.")
	tab.Go(base + "/")
	r.mu.Lock()
	r.overview.Dead = 42
	r.mu.Unlock()
	tab.Says(".card.warn b", "42")
}

func TestNothingThatPeopleWriteRunsInABrowser(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const evil = `<script>document.title="owned"</script><img src=x onerror='document.title="owned"'>"><svg onload=document.title="owned">`
	r.die(say(evil, evil, evil))
	r.fullOf(evil)
	r.overview.Accounts = []Account{evilAccount(evil)}
	tab, base := visit(t, r)
	for _, page := range sections {
		tab.Go(base + page.Path)
		time.Sleep(300 * time.Millisecond)
		if tab.Title() == "owned" {
			t.Errorf("%s runs it", page.Path)
		}
	}
}

func TestLabelsAreChangedAndDoubtsEndedInABrowser(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.full("x")
	tab, base := visit(t, r)
	tab.Go(base + "/contacts?label=stores")
	tab.Click(`summary`)
	tab.Type(`input[name="labels"]`, "新, \r") // a browser begins at the start of a field
	tab.Says(".said", "The labels of 22334455@chatroom were saved.")
	tab.Says("td a.tag", "新")
	tab.Go(base + "/doubts")
	tab.Click(`form[action="/doubts/delivered"] button`)
	tab.Says(".said", "It counts as arrived.")
	tab.Go(base + "/alerts")
	tab.Click(`form[action="/alerts/unmute"] button`)
	tab.Says(".said", "They are answered again.")
}
