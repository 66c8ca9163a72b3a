package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"bot/engine/api"
	"bot/engine/stub"
)

const unpaid = `
[[skill]]
name = "unpaid"
keywords = ["下单"]
delay = "2s"
unless_keywords = ["已付款"]
reply = "还没有付款"
`

// rows is what waits, by conversation.
func (r *rig) rows(query string) map[string]api.Row {
	r.t.Helper()
	var page api.Rows
	r.admin(http.MethodGet, "/api/v1/commands"+query, "", &page)
	all := make(map[string]api.Row)
	for _, c := range page.Commands {
		all[c.Conversation] = c
	}
	return all
}

func TestWhatWaitsUnlessSomethingHappensSurvivesARestart(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+unpaid)
	for i, user := range []string{"payer", "other", "late"} {
		r.say(fmt.Sprint("order", i), user, "下单")
	}
	r.until("all three wait", func() bool { return len(r.rows("?skill=unpaid&state=waiting")) == 3 })
	if row := r.rows("")["payer"]; !row.CanBeCalledOff || row.Due.Sub(row.Created) < 1 {
		t.Errorf("waits as %+v", row)
	}
	r.say("paid", "payer", "我已付款了")
	r.until("it was handled", func() bool { return r.status().Events == 0 })
	r.end()
	r.begin()
	r.say("paid late", "late", "我已付款了") // called off by a later life than the one it waits since
	r.texts("other", 1)
	r.idle()
	for _, c := range r.platform.Calls(nil) {
		if stub.Text("payer")(c) || stub.Text("late")(c) {
			t.Errorf("%q was said to somebody who had paid", c.Text)
		}
	}
	if s := r.status(); s.Dead != 0 || s.Commands != 0 {
		t.Errorf("%d dead letters, %d commands are left", s.Dead, s.Commands)
	}
}
