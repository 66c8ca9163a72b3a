package app_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bot/engine/broadcast"
	"bot/engine/stub"
	"bot/engine/trace"
)

func (r *rig) broadcasts() []broadcast.Status {
	r.t.Helper()
	var list struct{ Broadcasts []broadcast.Status }
	if status := r.admin(http.MethodGet, "/api/v1/broadcasts", "", &list); status != http.StatusOK {
		r.t.Fatalf("status %d", status)
	}
	return list.Broadcasts
}

// done waits until there is one broadcast and it is over.
func (r *rig) done() broadcast.Status {
	r.t.Helper()
	r.until("the broadcast is over", func() bool {
		all := r.broadcasts()
		return len(all) == 1 && all[0].State.Ended()
	})
	return r.broadcasts()[0]
}

func TestABroadcastReachesThoseWhoMayBeReached(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+"blocked = [\"u2\"]\ntest_users = [\"u1\", \"u2\", \"u3\"]\n")
	r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"shop","text":"hi","rate":"100/s","start":true,"to":["u1","u2","u3","u4"]}`, nil)
	s := r.done()
	if s.Sent != 2 || s.SkippedFor["blocked"] != 1 || s.SkippedFor["not_a_test_user"] != 1 {
		t.Errorf("stands at %+v", s)
	}
	if got := r.texts("u3", 1); !slices.Equal(got, []string{"hi"}) {
		t.Errorf("said %q", got)
	}
	resp, err := r.http.Get("http://" + r.life.at.Admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	page := string(body)
	for _, line := range []string{`bot_broadcast_recipients_total{outcome="sent"} 2`, `bot_broadcast_recipients_total{outcome="skipped"} 2`, "bot_broadcasts_running 0"} {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("the metrics lack %q", line)
		}
	}
}

func TestAScheduleBroadcastsOnceARun(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+`
[[schedule]]
name = "weekly"
cron = "0 10 * * mon"
text = "菜单"
broadcast = {to = ["u1", "u2"], rate = "50/s"}
`)
	if status := r.runNow("weekly"); status != http.StatusAccepted {
		t.Fatalf("status %d", status)
	}
	s := r.done()
	if s.State != broadcast.Done || s.Sent != 2 || s.Name != "weekly" || s.By != "schedule weekly" {
		t.Errorf("stands at %+v", s)
	}
	row := r.schedules()[0]
	if len(row.Runs) != 1 || row.Runs[0].Note != "broadcast "+s.ID+" to 2" || row.Does != "broadcast → 2" {
		t.Errorf("the schedule stands at %+v", row)
	}
}

func TestTheRiskMatrixPausesABroadcast(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+`
[[risk]]
name = "same"
on = "same_text"
more_than = "5/h"
action = "pause"
`)
	r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"shop","text":"hi","rate":"20/s","start":true,"to":["`+strings.Join(numbered("u", 100), `","`)+`"]}`, nil)
	r.until("it is paused", func() bool {
		all := r.broadcasts()
		return len(all) == 1 && all[0].State == broadcast.Paused
	})
	if s := r.broadcasts()[0]; s.Reason != "risk: same" || s.Released > 60 {
		t.Errorf("stands at %+v", s)
	}
}

func TestAReloadWithoutItsAccountPausesABroadcast(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+strings.NewReplacer("shop", "other", "/in", "/other").Replace(shop))
	r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"other","text":"hi","rate":"1/m","start":true,"to":["u1","u2"]}`, nil)
	r.configure(shop)
	if status := r.admin(http.MethodPost, "/api/v1/reload", "", nil); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	r.until("it is paused", func() bool { return r.broadcasts()[0].State == broadcast.Paused })
	if s := r.broadcasts()[0]; !strings.Contains(s.Reason, `"other" is not configured any more`) {
		t.Errorf("stands at %+v", s)
	}
}

// However a person takes a command out of the outbox, it is told and counted once.
func TestWhatIsCancelledIsTracedAndCountedOnce(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop)
	r.admin(http.MethodPost, "/api/v1/pause", `{"account":"shop"}`, nil)
	var made broadcast.Status
	r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"shop","text":"hi","rate":"100/s","start":true,"to":["u1","u2"]}`, &made)
	r.until("both commands wait", func() bool { return r.broadcasts()[0].Waiting == 2 })
	alone, together := "bc-"+made.ID+"-0", "bc-"+made.ID+"-1"
	for _, act := range []struct{ method, path string }{
		{http.MethodDelete, "/api/v1/commands/" + alone},
		{http.MethodPost, "/api/v1/broadcasts/" + made.ID + "/cancel"},
	} {
		if status := r.admin(act.method, act.path, "", nil); status != http.StatusOK {
			t.Fatalf("%s: status %d", act.path, status)
		}
	}
	for _, task := range []string{alone, together} {
		var found struct{ Steps []trace.Step }
		r.admin(http.MethodGet, "/api/v1/trace/"+task, "", &found)
		var steps []string
		for _, s := range found.Steps { // those of the whole broadcast: its id is the trace id
			if s.TaskID == task {
				steps = append(steps, s.Step)
			}
		}
		if want := []string{trace.Command, trace.Cancelled}; !slices.Equal(steps, want) {
			t.Errorf("the steps of %s are %q, want %q", task, steps, want)
		}
	}
	for _, line := range []string{`bot_commands_cancelled_total{account="shop"} 2`, `bot_broadcast_recipients_total{outcome="cancelled"} 2`} {
		if !r.metric(line) {
			t.Errorf("the metrics lack %q", line)
		}
	}
	if s := r.broadcasts()[0]; s.State != broadcast.Cancelled || s.Waiting != 0 || s.ByHand != 2 {
		t.Errorf("the broadcast stands at %+v", s)
	}
}

const audiences = `
[[audience]]
name = "vips"
account = "shop"
labels = ["vip"]
without = ["staff"]
`

func TestABroadcastReachesContactsThatAreNamedOrChosen(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+audiences)
	for user, labels := range map[string]string{"u1": `"vip"`, "u2": `"vip","staff"`, "u3": `"new"`} {
		r.say("hello-"+user, user, "hi")
		r.until("the contact is known", func() bool {
			return r.admin(http.MethodPut, "/api/v1/contacts/shop/"+user, `{"labels":{"add":[`+labels+`]}}`, nil) == http.StatusOK
		})
	}
	r.until("all was handled", func() bool { return r.status().Events == 0 })
	for name, body := range map[string]string{
		"named":          `"audience":"vips"`,
		"by labels":      `"labels":["vip"],"without":["staff"]`,
		"who wrote once": `"labels":["vip"],"without":["staff"],"active_within":"30d","where":"private"`,
	} {
		var made broadcast.Status
		if status := r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"shop","text":"x",`+body+`}`, &made); status != http.StatusCreated || made.Recipients != 1 {
			t.Errorf("%s: status %d, %+v", name, status, made)
		}
	}
	for name, body := range map[string]string{
		"of another account": `"account":"other","audience":"vips"`, "nobody": `"account":"shop","labels":["nobody"]`,
		"no time": `"account":"shop","active_within":"soon"`, "two ways": `"account":"shop","to":["u1"],"labels":["vip"]`,
	} {
		if status := r.admin(http.MethodPost, "/api/v1/broadcasts", `{"text":"x",`+body+`}`, nil); status != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, status)
		}
	}
}
