package app_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"bot/engine/egress"
	"bot/engine/pace"
	"bot/engine/stub"
)

func (r *rig) metricsPage() string {
	r.t.Helper()
	resp, err := r.http.Get("http://" + r.life.at.Admin + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// Who kills the process, or restarts it, does not make a platform forget that it
// asked for an hour.
func TestWhatThePlatformWantsOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	r := start(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		calls.Add(1)
		return &stub.Answer{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "3600"}}
	}}, shop+echo)
	if p := r.status().Pace["shop"]; p != (egress.Pace{Pace: 1, State: egress.PaceFree}) {
		t.Errorf("at first: %+v", p)
	}
	r.say("m1", "u", "hello")
	waits := func() bool { return r.status().Pace["shop"].State == egress.PaceWaiting && r.status().Commands == 1 }
	r.until("the account waits", waits)
	before, knocked := r.status().Pace["shop"], calls.Load()
	if before.Pace != 0.5 || before.By != pace.ByPlatform || before.Until.IsZero() || !strings.HasPrefix(before.WaitsFor, "platform asks to wait") {
		t.Errorf("shown: %+v", before)
	}
	r.end()
	r.begin()
	r.say("m2", "v", "hello")
	r.until("both wait", func() bool { return r.status().Events == 0 && r.status().Commands == 2 })
	after := r.status().Pace["shop"]
	if moved := after.Until.Sub(before.Until).Abs(); moved.Milliseconds() > 50 {
		t.Errorf("the wait ends %v away from when it was to", moved)
	}
	if after.Until = before.Until; after != before {
		t.Errorf("after the restart: %+v, want %+v", after, before)
	}
	if n := calls.Load(); n != knocked {
		t.Errorf("%d requests after the restart", n-knocked)
	}
	page := r.metricsPage()
	for _, line := range []string{`bot_account_pace_ratio{account="shop"} 0.5`, `bot_account_pace_state{account="shop"} 2`} {
		if !strings.Contains(page, line) {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}
