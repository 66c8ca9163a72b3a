package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"bot/engine/stub"
)

// pageOf is a page of the console in English.
func (r *rig) pageOf(path string) string {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+r.life.at.Admin+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Accept-Language", "en")
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		r.t.Fatalf("%s: %s, %v: %s", path, resp.Status, err, b)
	}
	return string(b)
}

func TestTheConsoleShowsTheEngineAsItIs(t *testing.T) {
	t.Parallel()
	p := newPager(t)
	r := start(t, stub.Options{}, shop+"[account.limit]\npush_per_day = 5\n"+echo+p.table(`to = {account = "shop", to = "staff-room"}`))
	has := func(path string, all ...string) {
		t.Helper()
		page := r.pageOf(path)
		for _, want := range all {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q: %s", path, want, page)
			}
		}
	}
	has("/", "All is well.", "nothing seen yet", "5 of 5 pushes left today")
	r.say("m1", "u1", "hello")
	r.texts("u1", 1)
	r.until("it is known to work", func() bool { return strings.Contains(r.pageOf("/"), ">works<") })
	r.admin(http.MethodPost, "/api/v1/pause", `{"account":"shop","by":"wang since ever"}`, nil)
	has("/", ">held<", "stopped by wang since ever", "was stopped by wang since ever")
	if strings.Contains(r.pageOf("/"), "paused: by") {
		t.Error("that it is stopped is said twice")
	}
	r.push("p1", "u2")
	has("/commands", "/trace?id=p1", "account held: paused: by wang since ever since ")
	has("/contacts", "u1")
	has("/doubts", "There are none.")
	has("/alerts", "shop / staff-room", "webhook")
	var alerts struct{ Ways []map[string]string }
	r.admin(http.MethodGet, "/api/v1/alerts", "", &alerts)
	if got := fmt.Sprint(alerts.Ways); got != "[map[format:json name:webhook] map[account:shop name:conversation to:staff-room]]" {
		t.Errorf("ways: %s", got)
	}
	if strings.Contains(r.pageOf("/alerts"), "/hook") {
		t.Error("the webhook's address is shown")
	}
}
