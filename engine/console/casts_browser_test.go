package console

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/broadcast"
	"bot/engine/config"
)

// crowd fills the pages of broadcasts, schedules and configuration with what is
// hard to show. It returns the broadcasts that are ready and over.
func (r *rig) crowd(what string) (ready, done string) {
	r.Helper()
	long := strings.Repeat(what, 12)
	ready = r.cast("u1", "u2", "u3").ID
	over, err := r.casts.Make(r.Context(), broadcast.Request{
		Name: what, Account: "shop", Text: long, Audience: broadcast.List{"wxid_" + strings.Repeat("abcdefghij", 8), what, "u1", "blocked"}, Said: what, Start: true, By: what,
	})
	if err != nil {
		r.Fatal(err)
	}
	r.release(over.ID, func(user string) bool { return user != "u1" })
	if _, err := r.casts.Pause(r.Context(), r.started("u9").ID); err != nil {
		r.Fatal(err)
	}
	r.plans = append(somePlans(r.now), api.Schedule{
		Name: what, Account: "shop", When: what, Does: long, Enabled: true, State: engine.RunFailed, Next: r.now.Add(time.Hour),
		Runs: []engine.Run{{Due: r.now, State: engine.RunFailed, Note: long}, {Due: r.now, State: engine.RunSucceeded, Note: what}},
	})
	r.config.Warnings = []string{"bot.toml:12:1: " + long}
	r.config.Running = []config.File{{Name: "bot.toml", Text: "a = 1\ntoken = \"old\"\nreply = \"x\"\n"}, {Name: "skills.d/" + what + ".toml", Text: "a"}, {Name: "skills.d/same.toml", Text: "a"}}
	r.config.OnDisk = []config.File{{Name: "bot.toml", Text: "a = 1\ntoken = \"new\"\nreply = \"" + long + "\"\n"}, {Name: "skills.d/same.toml", Text: "a"}}
	r.checked = errors.New("bot.toml:12:1: " + long + "\nbot.toml:15:9: there is no " + what)
	return ready, over.ID
}

func (r *rig) started(to string) broadcast.Status {
	r.Helper()
	s, err := r.casts.Start(r.Context(), r.cast(to).ID)
	if err != nil {
		r.Fatal(err)
	}
	return s
}

func TestBroadcastsSchedulesAndConfigurationInABrowserAtBothWidths(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ready, done := r.crowd("很长的一段话没有空格")
	tab, base := visit(t, r)
	tab.Looks("compose", base+"/broadcasts/new")
	tab.Looks("broadcasts", base+"/broadcasts")
	tab.Looks("broadcast-ready", base+castPath(ready))
	tab.Looks("broadcast-done", base+castPath(done))
	tab.Looks("failures", base+"/broadcast/failures?id="+done)
	tab.Looks("schedules", base+"/schedules")
	tab.Looks("config-wrong", base+"/config?check=yes")
	r.checked = nil
	tab.Looks("config-right", base+"/config?check=yes")
}

func TestABroadcastIsMadeAndStartedInABrowserAndItsProgressIsLive(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tab, base := visit(t, r)
	tab.Go(base + "/broadcasts/new")
	tab.Type(`textarea[name="text"]`, "hello {{.User}}")
	tab.Type(`textarea[name="to"]`, "u1\nu2\nu3")
	tab.Click(`form.page button`)
	tab.Says(".state", "ready")
	tab.Click(`.start button`) // the browser asks for the tick
	tab.Says(".state", "ready")
	all, err := r.casts.List()
	if err != nil || len(all) != 1 || all[0].State != broadcast.Ready {
		t.Fatalf("%+v, %v", all, err)
	}
	tab.Click(`.start input[type="checkbox"]`)
	tab.Click(`.start button`)
	tab.Says(".said", "has begun")
	tab.Says(".state", "running")
	r.release(all[0].ID, func(string) bool { return false })
	tab.Says(".state", "done")
	tab.Says(".card", "3 sent")
}

func TestNothingRunsOnThePagesOfBroadcastsSchedulesAndConfiguration(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const evil = `<script>document.title="owned"</script><img src=x onerror='document.title="owned"'>"><svg onload=document.title="owned">`
	ready, done := r.crowd(evil)
	tab, base := visit(t, r)
	for _, path := range []string{
		"/broadcasts", castPath(ready), castPath(done), "/broadcast/failures?id=" + done, "/schedules", "/config?check=yes", "/broadcast?id=" + url.QueryEscape(evil),
	} {
		tab.Go(base + path)
		time.Sleep(200 * time.Millisecond)
		if tab.Title() == "owned" {
			t.Errorf("%s runs it", path)
		}
	}
}
