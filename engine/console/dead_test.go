package console

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"bot/engine"
	"bot/store"
)

func TestDeadLettersAreShownReplayedAndDropped(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/dead"); !strings.Contains(page, "There are none.") {
		t.Errorf("without any: %s", page)
	}
	r.die(say("t1", "u1", "first"), say("t2", "u2", "second"))
	page := r.page("/dead")
	for _, want := range []string{"first", "second", "no such user", "3 attempts", "u2"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	letters, err := r.store.Letters(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	id := func(i int) url.Values { return url.Values{"id": {fmt.Sprint(letters[i].ID)}, "back": {"/dead"}} }
	if page := r.press("/dead/replay", id(0)); saidOn(page) != "It was put back." || strings.Contains(page, "first") {
		t.Errorf("after a replay: %q", saidOn(page))
	}
	if d, final, err := r.store.Find("t1"); err != nil || final != "" || d.Progress.Phase != store.Waiting {
		t.Errorf("t1 is %+v, %q, %v", d, final, err)
	}
	if page := r.press("/dead/replay", id(0)); !strings.Contains(saidOn(page), "not there any more") {
		t.Errorf("a second time: %q", saidOn(page))
	}
	if page := r.press("/dead/drop", id(1)); saidOn(page) != "It was dropped." || !strings.Contains(page, "There are none.") {
		t.Errorf("after a drop: %q", saidOn(page))
	}
	if _, _, err := r.store.Find("t2"); !errors.Is(err, store.ErrGone) {
		t.Errorf("t2: %v", err)
	}
}

func TestAllDeadLettersAreReplayedAtOnceOverPages(t *testing.T) {
	r := newRig(t)
	r.login()
	var all []engine.Command
	for i := range 2*rows + 5 {
		all = append(all, say(fmt.Sprint("t", i), fmt.Sprint("u", i), "x"))
	}
	r.die(all...)
	page := r.page("/dead")
	if n := strings.Count(page, `<th scope="row" class="num">`); n != rows || !strings.Contains(page, "Next page") {
		t.Errorf("the first page shows %d", n)
	}
	if page := r.press("/dead/replay", url.Values{"all": {"yes"}, "back": {"/dead"}}); saidOn(page) != "105 were put back." {
		t.Errorf("says %q", saidOn(page))
	}
	if s, err := r.store.Stats(); err != nil || s.Letters != 0 || s.Commands != 105 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWhatPeopleWriteIsTextOnThePage(t *testing.T) {
	r := newRig(t)
	r.login()
	const evil = `<script>alert(1)</script><img src=x onerror=alert(2)>"'`
	r.die(say(evil, evil, evil))
	r.fullOf(evil)
	r.overview.Accounts = []Account{evilAccount(evil)}
	for _, path := range []string{"/dead", "/", "/dead?x=" + url.QueryEscape(evil), "/live", "/doubts", "/commands", "/contacts", "/alerts", "/doubts?account=" + url.QueryEscape(evil)} {
		if page := r.page(path); strings.Contains(page, "<script>alert") || strings.Contains(page, "<img src=x") || strings.Contains(page, `"'`) {
			t.Errorf("%s: it runs", path)
		}
	}
}

func TestTheStopButton(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.press("/pause", url.Values{"account": {"shop"}, "back": {"/"}}); !strings.Contains(saidOn(page), "Account shop sends nothing any more") || !r.paused["shop"] {
		t.Errorf("says %q, paused %v", saidOn(page), r.paused)
	}
	if r.press("/resume", url.Values{"account": {"shop"}, "back": {"/"}}); r.paused["shop"] {
		t.Error("it was not resumed")
	}
	if page := r.press("/pause", url.Values{"back": {"/"}}); saidOn(page) == "" || len(r.paused) != 1 {
		t.Errorf("without a name: %q, %v", saidOn(page), r.paused)
	}
	if page := r.press("/pause", url.Values{"all": {"yes"}, "back": {"/"}}); !strings.Contains(saidOn(page), "No account") || !r.paused[""] {
		t.Errorf("all: %q, %v", saidOn(page), r.paused)
	}
}

func TestALetterWithoutANumberIsGoneForReplayAndDropAlike(t *testing.T) {
	r := newRig(t)
	r.login()
	for _, act := range []string{"replay", "drop"} {
		page := r.press("/dead/"+act, url.Values{"id": {"x"}, "back": {"/dead"}})
		if want := (words{"en"}).T("said.gone"); saidOn(page) != want {
			t.Errorf("%s says %q, want %q", act, saidOn(page), want)
		}
	}
}
