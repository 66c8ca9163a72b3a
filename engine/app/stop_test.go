package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/stub"
	"bot/store"
)

const gated = shop + `
[[skill]]
name = "gate"
match = "any"
go = "gate"
`

// TestAStopWaitsForTurnsInHand: what ends within the grace time is committed
// and not done again.
func TestAStopWaitsForTurnsInHand(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	g := newGate()
	r.skills["gate"] = g.pass
	r.configure(gated)
	l := r.begin()
	r.say("m1", "u", "t1")
	r.say("m2", "u", "t2") // behind the first: begins in the next life
	g.entered(t, 1)
	l.stop()
	r.until("no callback is taken any more", func() bool {
		status, _ := r.post(message("late", "v", "late"))
		return status == 0
	})
	close(g.open)
	r.end()
	r.begin()
	if got, want := r.texts("u", 2), []string{"t1", "t2"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.idle()
	if n := len(r.platform.Calls(stub.Text("u"))); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// TestAStopWithFiftySkillsRunning: those that do not end in time are cut off,
// are charged nothing, and run once in the next life.
func TestAStopWithFiftySkillsRunning(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	g := newGate()
	r.skills["gate"] = g.pass
	r.configure("[queue]\nattempts = 1\n" + gated)
	r.begin()
	for i := range 50 {
		r.say(fmt.Sprint("m", i), fmt.Sprint("u", i), "hi")
	}
	g.entered(t, 50)
	began := time.Now()
	r.end()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the stop took %v with a grace of 2 s", took)
	}
	close(g.open)
	r.begin()
	for i := range 50 {
		if got := r.texts(fmt.Sprint("u", i), 1); !slices.Equal(got, []string{"hi"}) {
			t.Errorf("said %q", got)
		}
	}
	r.idle()
	if c, s := r.platform.Counts(), r.status(); c.Calls != 50 || s.Dead != 0 {
		t.Errorf("%d calls and %d dead letters, want 50 and none", c.Calls, s.Dead)
	}
}

// TestAStopDuringASend: the answer that comes within the grace time counts.
func TestAStopDuringASend(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 10)
	r := start(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		reached <- struct{}{}
		return &stub.Answer{Status: http.StatusOK, Body: `{"status":"success"}`, Delay: 300 * time.Millisecond}
	}}, shop+echo)
	r.say("m1", "u", "once")
	<-reached
	r.end()
	r.begin()
	r.idle()
	if n := r.platform.Counts().Calls; n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

func TestAFormIsAsItWasAfterARestart(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, mainJob)
	r.say("1", "u", "绑定")
	r.texts("u", 1)
	r.end()
	r.begin()
	r.say("2", "u", "13800000000")
	r.say("3", "u", "1234")
	want := []string{"PHONE?", "CODE?", "BOUND 13800000000"}
	if got := r.texts("u", 3); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

// TestStartAndStopStress ends lives at every moment: before the start, during
// it, at once after it, twice. Each Run returns nil, lets the store go and
// leaves no goroutine.
func TestStartAndStopStress(t *testing.T) {
	// Not parallel: it looks for goroutines of the whole process.
	r := newRig(t, stub.Options{})
	down := r.platformUp()
	r.configure(shop + echo)
	before := goleak.IgnoreCurrent()
	for i := range 40 {
		ready := make(chan app.Addrs, 1)
		a := r.make(func(at app.Addrs) { ready <- at })
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		switch i % 4 {
		case 0: // before
			cancel()
			go func() { done <- a.Run(ctx) }()
		case 1: // during; the moment moves
			go func() { done <- a.Run(ctx) }()
			time.Sleep(time.Duration(i) * 200 * time.Microsecond)
			cancel()
		case 2: // at once after, while a callback is on its way
			go func() { done <- a.Run(ctx) }()
			at := <-ready
			var posting sync.WaitGroup
			posting.Go(func() {
				resp, err := r.http.Post("http://"+at.Callback+"/in", "application/json", strings.NewReader(message(fmt.Sprint("m", i), "u", "hi")))
				if err == nil {
					resp.Body.Close()
				}
			})
			cancel()
			posting.Wait()
		case 3: // twice, by two callers at once
			go func() { done <- a.Run(ctx) }()
			<-ready
			go cancel()
			cancel()
		}
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("round %d: %v", i, err)
			}
		case <-time.After(patience):
			t.Fatalf("round %d: no end", i)
		}
		cancel()
		r.http.CloseIdleConnections()
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
	r.begin() // the store is free and whole
	r.idle()
	r.end()
	down()
}

func TestTheStoreIsHeldByOneEngine(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	err := r.make(nil).Run(t.Context())
	if !errors.Is(err, store.ErrHeld) {
		t.Errorf("a second engine on the same store: %v", err)
	}
	r.say("m1", "u", "unharmed")
	r.texts("u", 1)
}

// TestAStoppedSkillThatIgnoresItsLimit does not keep the engine from stopping.
func TestAStoppedSkillThatIgnoresItsLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	g := newGate()
	var stuck sync.WaitGroup
	stuck.Add(1)
	t.Cleanup(stuck.Wait)
	r.skills["gate"] = func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
		defer stuck.Done()
		return g.pass(context.Background(), t)
	}
	r.configure(gated)
	r.begin()
	r.say("m1", "u", "hi")
	g.entered(t, 1)
	r.end()
	if n := r.platform.Counts().Calls; n != 0 {
		t.Errorf("%d calls", n)
	}
	close(g.open)
}

// endless is a store whose outbox has no end, and which has somebody stop the
// engine as soon as it is looked through.
type endless struct {
	store.Store
	stop func()
}

func (e *endless) Deliveries(after uint64, limit int) ([]store.Delivery, error) {
	e.stop()
	all := make([]store.Delivery, limit)
	for i := range all {
		all[i] = store.Delivery{ID: after + uint64(i) + 1, Command: &engine.Command{}}
	}
	return all, nil
}

// The outbox may be long, and is looked through for what broadcasts left in it.
func TestAStopDoesNotWaitForBroadcastsToBeTakenUp(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop)
	r.admin(http.MethodPost, "/api/v1/broadcasts", `{"account":"shop","text":"hi","to":["u1"]}`, nil)
	r.until("it is ready", func() bool { all := r.broadcasts(); return len(all) == 1 && all[0].State == "ready" })
	r.end()
	plan, err := app.Prepare(r.load, r.build, channel.NewClient())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := r.options(plan)
	o.OpenStore = func(ctx context.Context, so app.StoreOptions) (store.Store, error) {
		st, err := openStore(ctx, so)
		return &endless{st, stop}, err
	}
	done := make(chan error, 1)
	go func() { done <- app.New(o).Run(ctx) }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("it was asked to stop: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("no end while broadcasts are taken up")
	}
}
