package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/app"
	"bot/engine/schedule"
	"bot/engine/stub"
	"bot/store/boltstore"
)

const morning = `
[[schedule]]
name = "morning"
cron = "0 9 * * *"
text = "早"
to = "room"
`

// deceased leaves the store, and beside it the note of what was in hand, as a
// process leaves them that died when do had been done.
func (r *rig) deceased(do func(st *boltstore.Store)) {
	r.t.Helper()
	cfg, err := r.load()
	if err != nil {
		r.t.Fatal(err)
	}
	path := cfg.Store.Path
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	st, err := boltstore.Open(r.t.Context(), boltstore.Options{
		Path: path, Window: cfg.LongestWindow(), MaxKeys: cfg.Dedup.MaxKeys, CommandWindow: cfg.Dedup.CommandWindow.Std(), Now: time.Now,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	do(st)
	hand, err := os.ReadFile(path + ".hand")
	err = errors.Join(err, image(r.t.Context(), st, path+".image"), st.Close(), os.Rename(path+".image", path), os.WriteFile(path+".hand", hand, 0o600))
	if err != nil {
		r.t.Fatal(err)
	}
}

// image writes a copy of an open store to path.
func image(ctx context.Context, st *boltstore.Store, path string) error {
	_, err := boltstore.Save(path, true, func(w io.Writer) error {
		return st.Copy(ctx, func(int64) io.Writer { return w })
	})
	return err
}

// plan is the schedules of the configuration.
func (r *rig) plan() []engine.Schedule {
	r.t.Helper()
	plan, err := app.Prepare(r.load, r.build, http.DefaultClient)
	if err != nil {
		r.t.Fatal(err)
	}
	return plan.Skills.Schedules()
}

// owed notes that a schedule was due ten minutes ago.
func (r *rig) owed(st *boltstore.Store) {
	r.t.Helper()
	s := r.plan()[0]
	due := time.Now().Add(-10 * time.Minute).UTC().Format(time.RFC3339)
	note := engine.Note{Key: "schedule/" + s.Name, Value: fmt.Sprintf(`{"when":%q,"next":%q}`, s.When, due)}
	if err := st.Remember(r.t.Context(), "", []engine.Note{note}); err != nil {
		r.t.Fatal(err)
	}
}

// fired has a calendar log what is owed, as an engine does that handles nothing
// any more.
func (r *rig) fired(st *boltstore.Store) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	c := schedule.NewCalendar(schedule.CalendarOptions{
		Store: st, Window: func() time.Duration { return 72 * time.Hour }, Raised: func(int) { cancel() },
	})
	c.Set(r.plan())
	if err := c.Run(ctx); err != nil {
		r.t.Fatal(err)
	}
}

func TestARunThatIsDueIsDoneOnceWhereverTheProcessDies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(r *rig, st *boltstore.Store)
	}{
		{"before it is in the log", (*rig).owed},
		{"when it is in the log and not handled", func(r *rig, st *boltstore.Store) { r.owed(st); r.fired(st) }},
		{"while it is in hand", func(r *rig, st *boltstore.Store) {
			r.owed(st)
			r.fired(st)
			entries, err := st.Read(0, 10)
			if err != nil || len(entries) != 1 {
				r.t.Fatalf("%d entries, %v", len(entries), err)
			}
			st.Begin(entries[0].Seq)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, stub.Options{})
			t.Cleanup(r.platformUp())
			r.configure(shop + morning)
			r.deceased(func(st *boltstore.Store) { tt.before(r, st) })
			r.begin()
			if got := r.texts("room", 1); !slices.Equal(got, []string{"早"}) {
				t.Errorf("said %q", got)
			}
			for range 2 {
				r.end()
				r.begin()
				r.idle()
			}
			if n := len(r.platform.Calls(stub.Text("room"))); n != 1 {
				t.Errorf("%d texts, want 1", n)
			}
			row := r.schedules()[0]
			for until := time.Now().Add(patience); row.Next.IsZero() && time.Now().Before(until); row = r.schedules()[0] {
				time.Sleep(time.Millisecond) // the calendar has its times soon after the start
			}
			if row.State != engine.RunSucceeded || len(row.Runs) != 1 || row.Next.Before(time.Now()) {
				t.Errorf("stands at %+v", row)
			}
		})
	}
}

func (r *rig) schedules() []api.Schedule {
	r.t.Helper()
	var list struct{ Schedules []api.Schedule }
	if status := r.admin(http.MethodGet, "/api/v1/schedules", "", &list); status != http.StatusOK {
		r.t.Fatalf("status %d", status)
	}
	return list.Schedules
}

func (r *rig) runNow(name string) int {
	r.t.Helper()
	return r.admin(http.MethodPost, "/api/v1/schedules/"+name+"/run", "", nil)
}

func TestAScheduleIsRunByHandAndItsHistoryTold(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+morning+`
[[schedule]]
name = "off"
enabled = false
cron = "0 9 * * *"
text = "x"
to = "room"
`)
	if row := r.schedules()[0]; row.State != engine.RunCreated || row.When != "0 9 * * * Asia/Shanghai" || row.Does != "text → room" || len(row.Runs) != 0 {
		t.Errorf("begins at %+v", row)
	}
	for range 2 {
		if status := r.runNow("morning"); status != http.StatusAccepted {
			t.Errorf("status %d", status)
		}
	}
	r.texts("room", 2)
	r.until("two runs are over", func() bool { return len(r.schedules()[0].Runs) == 2 })
	row := r.schedules()[0]
	if row.State != engine.RunSucceeded || row.Runs[0].Note != "text → room" || !row.Due.Equal(row.Runs[0].Due) {
		t.Errorf("stands at %+v", row)
	}
	if status := r.runNow("off"); status != http.StatusConflict {
		t.Errorf("a disabled one: status %d", status)
	}
	if status := r.runNow("nightly"); status != http.StatusNotFound {
		t.Errorf("one that there is not: status %d", status)
	}
}

func TestARunThatFailsIsRetriedAndThenGivenUp(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	in, out := make(chan struct{}, 10), make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		in <- struct{}{}
		<-out
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(server.Close)
	r := start(t, stub.Options{}, "[queue]\nattempts = 2\n"+shop+`
[[schedule]]
name = "sync"
cron = "0 4 * * *"
http = {url = "`+server.URL+`", retries = 0}
`)
	r.runNow("sync")
	<-in
	if row := r.schedules()[0]; row.State != engine.RunRunning || row.Due.IsZero() {
		t.Errorf("at its turn it stands at %+v", row)
	}
	out <- struct{}{}
	out <- struct{}{}
	r.until("the run failed", func() bool { return r.schedules()[0].State == engine.RunFailed })
	row := r.schedules()[0]
	if asked.Load() != 2 || len(row.Runs) != 1 || !strings.Contains(row.Runs[0].Note, "web service: status 500") {
		t.Errorf("asked %d times, %+v", asked.Load(), row)
	}
	if s := r.status(); s.Dead != 1 {
		t.Errorf("%d dead letters", s.Dead)
	}
}

func TestAScheduledEventIsAnsweredInItsConversation(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+`
[[skill]]
name = "water"
on = "scheduled"
reply = "{{.User}}，{{.Text}}"
[[schedule]]
name = "drink"
cron = "0 15 * * *"
event = {conversation = "u1", text = "该喝水了"}
`)
	r.runNow("drink")
	if got := r.texts("u1", 1); !slices.Equal(got, []string{"u1，该喝水了"}) {
		t.Errorf("said %q", got)
	}
}

func TestAReloadTakesOverTheSchedules(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+morning)
	r.until("the schedule has a next time", func() bool { return !r.schedules()[0].Next.IsZero() })
	before := r.schedules()[0].Next
	r.configure(shop + strings.Replace(morning, "0 9", "0 10", 1))
	if status := r.admin(http.MethodPost, "/api/v1/reload", "", nil); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	r.until("its time has changed", func() bool { return !r.schedules()[0].Next.Equal(before) && !r.schedules()[0].Next.IsZero() })
	if next := r.schedules()[0].Next; next.Minute() != 0 || next.UTC().Hour() != 2 {
		t.Errorf("comes next at %v", next)
	}
}

func TestTheNextTimesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, dir: t.TempDir(), address: "127.0.0.1:9"}
		r.configure(shop + morning)
		plan, err := app.Prepare(r.load, r.build, http.DefaultClient)
		if err != nil {
			t.Fatal(err)
		}
		got := plan.Upcoming(time.Now(), 2)
		if len(got) != 1 || len(got[0].Next) != 2 || got[0].Next[1].Format(time.RFC3339) != "2000-01-02T09:00:00+08:00" {
			t.Errorf("tells %+v", got)
		}
	})
}
