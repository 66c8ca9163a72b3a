package broadcast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

func TestTheKthRecipientIsReleasedAtItsTime(t *testing.T) {
	for _, tt := range []struct {
		rate engine.Rate
		n    int
	}{
		{perSecond(100), 1000},
		{perSecond(3), 40},
		{perSecond(7.5), 100},
		{engine.Rate{N: 20, Per: time.Minute}, 30},
		{perSecond(1000), 5000},
	} {
		t.Run(tt.rate.String(), func(t *testing.T) {
			in(t, func(t *testing.T, r *rig) {
				r.begin()
				began := time.Now()
				s := r.make(Request{Audience: users(tt.n), Rate: tt.rate, Start: true})
				pass(time.Duration(float64(tt.n)/tt.rate.PerSecond()*float64(time.Second)) + time.Second)
				r.end()
				if got := r.reached(); !slices.Equal(got, users(tt.n)) {
					t.Fatalf("%d were reached, not in their order", len(got))
				}
				for k, at := range r.at {
					due := began.Add(time.Duration(math.Ceil(float64(k) / tt.rate.PerSecond() * 1e9)))
					if late := at.Sub(due); late < 0 || late > tick {
						t.Fatalf("the %dth is %v late", k, late)
					}
				}
				if got := r.stands(s.ID); got.State != Done || got.Sent != tt.n || got.Left != 0 || got.Waiting != 0 || got.ByHand != 0 {
					t.Errorf("stands at %+v", got)
				}
			})
		})
	}
}

func TestWhatIsNotStartedSendsNothing(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(50), Rate: perSecond(100)})
		pass(time.Hour)
		if got := r.reached(); s.State != Ready || len(got) != 0 {
			t.Errorf("%s, %d reached", s.State, len(got))
		}
		if _, err := r.Start(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
		pass(time.Second)
		r.end()
		r.everybodyOnce(50)
	})
}

func TestAPauseHoldsAndAResumptionGoesOnAtTheRate(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(100), Rate: perSecond(10), Start: true})
		pass(3050 * time.Millisecond)
		got, err := r.Pause(t.Context(), s.ID)
		if err != nil || got.State != Paused || got.Released != 31 {
			t.Fatalf("%+v, %v", got, err)
		}
		pass(time.Hour)
		if n := len(r.reached()); n != 31 {
			t.Errorf("%d were reached while it was paused", n)
		}
		if _, err := r.Resume(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		pass(950 * time.Millisecond)
		if n := len(r.reached()); n != 41 {
			t.Errorf("%d were reached a second later, want 41: a burst, or a gap", n)
		}
		pass(time.Minute)
		r.end()
		r.everybodyOnce(100)
	})
}

func TestACancellationTakesBackWhatWaits(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.stuck = true
		r.begin()
		s := r.make(Request{Audience: users(1000), Rate: perSecond(10), Start: true})
		pass(time.Minute)
		if got := r.stands(s.ID); got.Waiting != 20 || got.Released != 20 {
			t.Fatalf("stands at %+v: two seconds' worth may wait", got)
		}
		got, err := r.Cancel(t.Context(), s.ID)
		if err != nil || got.State != Cancelled || got.Waiting != 0 || got.ByHand != 20 {
			t.Errorf("%+v, %v", got, err)
		}
		r.holds(false)
		pass(time.Minute)
		r.end()
		if n := len(r.reached()); n != 0 {
			t.Errorf("%d were reached", n)
		}
		if left := r.notes(chunkKey); len(left) > 0 || r.counted["cancelled"] != 20 {
			t.Errorf("left %q, counted %v", left, r.counted)
		}
	})
}

func TestACancellationThatWasInterruptedIsCompletedAtTheStart(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.stuck = true
		r.begin()
		s := r.make(Request{Audience: users(100), Rate: perSecond(10), Start: true})
		pass(5 * time.Second)
		r.end()
		e := r.entry(s.ID)
		if err := r.write(t.Context(), e, func(b *Broadcast) { b.State, b.Ended = Cancelled, time.Now() }); err != nil {
			t.Fatal(err)
		}
		r.stuck = false
		r.begin()
		pass(time.Second)
		r.end()
		if n := len(r.reached()); n != 0 {
			t.Errorf("%d were reached", n)
		}
	})
}

func TestAReleaseWaitsForASlowAccount(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.accounts["shop"] = Account{Pace: func(engine.Action) engine.Rate { return perSecond(1) }}
		r.stuck = true
		r.begin()
		s := r.make(Request{Audience: users(1000), Rate: perSecond(100), Start: true})
		pass(time.Minute)
		if got := r.stands(s.ID); got.Waiting != 10 {
			t.Errorf("%d wait", got.Waiting)
		}
		r.holds(false)
		pass(time.Minute)
		r.end()
		r.everybodyOnce(1000)
	})
}

func TestWhatLeavesTheOutboxUnheardOfDoesNotHoldTheRelease(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.stuck = true
		r.begin()
		s := r.make(Request{Audience: users(15), Rate: perSecond(1), Start: true})
		pass(time.Minute)
		for i := range 10 {
			if err := r.st.Cancel(t.Context(), taskID(s.ID, i)); err != nil {
				t.Error(err)
			}
		}
		pass(time.Minute)
		rows, _ := r.st.Deliveries(0, 100)
		for _, d := range rows {
			if err := r.st.Settle(t.Context(), store.Settlement{ID: d.ID, Progress: store.Progress{Phase: store.InDoubt}}); err != nil {
				t.Error(err)
			}
		}
		pass(time.Minute)
		r.end()
		got := r.stands(s.ID)
		if got.State != Done || got.ByHand != 10 || got.InDoubt != 5 {
			t.Errorf("stands at %+v", got)
		}
		d, _, err := r.st.Find(taskID(s.ID, 12))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.st.Resolve(t.Context(), d.Command.TaskID, true, nil); err != nil {
			t.Error(err)
		}
		r.Moved(d.Command)
		if got := r.stands(s.ID); got.InDoubt != 4 || got.ByHand != 11 {
			t.Errorf("stands at %+v", got)
		}
	})
}

// A task id that somebody else's command has costs a recipient their message, and so
// is told.
func TestARecipientWhoseTaskIDIsTakenIsNamed(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(3), Rate: perSecond(10)})
		foreign := engine.Command{TaskID: taskID(s.ID, 1), Account: "shop", Conversation: "x", Action: engine.SendText, Text: "x", Submitted: true}
		if _, err := r.st.Submit(t.Context(), []engine.Command{foreign}, time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Start(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		r.end()
		who := users(3)[1]
		if log := r.log.String(); strings.Count(log, "left out") != 1 || !strings.Contains(log, "conversation="+who+" task_id="+foreign.TaskID) {
			t.Errorf("%s is left out, and the log says\n%s", who, log)
		}
		if got := r.stands(s.ID); got.State != Done || got.Waiting != 0 {
			t.Errorf("stands at %+v", got)
		}
	})
}

// asked counts how often a command is looked up.
type asked struct {
	Store
	finds int
}

func (a *asked) Find(task string) (store.Delivery, store.Final, error) {
	a.finds++
	return a.Store.Find(task)
}

func TestHowABroadcastStandsIsToldWithoutLookingItsCommandsUp(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.stuck = true
		r.begin()
		s := r.make(Request{Audience: users(100), Rate: perSecond(100), Start: true})
		pass(time.Minute)
		rows, _ := r.st.Deliveries(0, 1000)
		for _, d := range rows {
			if err := r.st.Settle(t.Context(), store.Settlement{ID: d.ID, Progress: store.Progress{Phase: store.InDoubt}}); err != nil {
				t.Error(err)
			}
		}
		r.end()
		o := r.options()
		look := &asked{Store: o.Store}
		o.Store = look
		r.Manager = New(o)
		if err := r.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if got := r.stands(s.ID); got.InDoubt != 100 {
				t.Fatalf("stands at %+v", got)
			}
		}
		if look.finds != 0 {
			t.Errorf("%d commands were looked up", look.finds)
		}
	})
}

func TestWhoIsNotToBeReachedIsSkippedAndCounted(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.barred[user(3)], r.barred[user(4)], r.barred[user(7)] = "blocked", "unsubscribed", "blocked"
		r.begin()
		s := r.make(Request{Audience: append(users(9), "unfit"), Text: "致 {{.User}}", Rate: perSecond(1), Start: true})
		pass(5500 * time.Millisecond)
		if n := len(r.reached()); n != 6 {
			t.Errorf("%d were reached: who is skipped costs no time", n)
		}
		pass(time.Minute)
		r.end()
		got := r.stands(s.ID)
		want := map[string]int{"blocked": 2, "unsubscribed": 1, "template": 1}
		if got.State != Done || !reflect.DeepEqual(got.SkippedFor, want) || got.Skipped != 4 || got.Sent != 6 || r.counted["skipped"] != 4 || r.counted["released"] != 6 {
			t.Errorf("stands at %+v, counted %v", got, r.counted)
		}
		if r.said["致 "+user(2)] != 1 {
			t.Errorf("said %v", r.said)
		}
	})
}

func TestDeadLettersAreResults(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.stuck = true
		r.begin()
		s := r.make(Request{Audience: List{"a", "b"}, Action: engine.AddMember, Params: map[string]any{"room_id": "1@chatroom"}, Rate: perSecond(10), Start: true})
		pass(time.Second)
		rows, err := r.st.Deliveries(0, 10)
		if err != nil || len(rows) != 2 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		if c := rows[1].Command; c.Conversation != "1@chatroom" || !reflect.DeepEqual(c.Params["members"], []any{"b"}) || c.Lane != engine.LaneBulk || c.TraceID != s.ID {
			t.Errorf("made %+v", c)
		}
		rows[1].Progress.Reason = "no friend"
		r.settle(rows[0], store.Sent)
		r.settle(rows[1], store.Dead)
		pass(time.Second)
		r.end()
		failures, err := r.Failures(s.ID, 0, 10)
		if err != nil || len(failures) != 1 || failures[0].Recipient != "b" || failures[0].Error != "no friend" {
			t.Errorf("failures %+v, %v", failures, err)
		}
		if got := r.stands(s.ID); got.State != Done || got.Sent != 1 || got.Dead != 1 {
			t.Errorf("stands at %+v", got)
		}
	})
}

func TestAnInvitationGoesByWhatThePlatformTakes(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.accounts["shop"] = Account{Takes: func(engine.Action) []string { return []string{"invited_wxid"} }}
		r.stuck = true
		r.begin()
		r.make(Request{Audience: List{"a"}, Action: engine.AddMember, Params: map[string]any{"room_id": "1@chatroom"}, Start: true})
		pass(time.Second)
		r.end()
		rows, err := r.st.Deliveries(0, 10)
		if err != nil || len(rows) != 1 || rows[0].Command.Params["invited_wxid"] != "a" || rows[0].Command.Params["members"] != nil {
			t.Errorf("%+v, %v", rows, err)
		}
	})
}

func TestAnAccountThatIsGonePausesItsBroadcast(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(100), Rate: engine.Rate{N: 1, Per: time.Hour}, Start: true})
		pass(time.Second)
		r.mu.Lock()
		delete(r.accounts, "shop")
		r.mu.Unlock()
		r.Reconfigured()
		pass(time.Second)
		got := r.stands(s.ID)
		if got.State != Paused || !strings.Contains(got.Reason, `"shop" is not configured`) {
			t.Errorf("stands at %+v", got)
		}
		if _, err := r.Resume(t.Context(), s.ID); err == nil {
			t.Error("resumed without an account")
		}
		r.end()
	})
}

func TestAPauseOfTheRiskMatrix(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(100), Rate: perSecond(10), Start: true})
		pass(time.Second)
		r.Suspect(s.ID, RiskReason("same"))
		pass(time.Second)
		got := r.stands(s.ID)
		if got.State != Paused || got.Reason != "risk: same" || got.Released > 12 {
			t.Errorf("stands at %+v", got)
		}
		if _, err := r.Resume(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		r.Suspect(s.ID, RiskReason("same"))
		pass(time.Minute)
		r.end()
		if got := r.stands(s.ID); got.State != Done || !got.Excused {
			t.Errorf("a person went on with it, and it stands at %+v", got)
		}
	})
}

func TestARestartGoesOnWithoutABurst(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(300), Rate: perSecond(10), Start: true})
		pass(2 * time.Second)
		r.end()
		before := len(r.reached())
		time.Sleep(time.Hour)
		r.begin()
		pass(time.Second)
		if n := len(r.reached()) - before; n > 12 {
			t.Errorf("%d in the second after the restart", n)
		}
		pass(time.Minute)
		r.end()
		r.everybodyOnce(300)
		if got := r.stands(s.ID); got.State != Done || got.Sent != 300 {
			t.Errorf("stands at %+v", got)
		}
	})
}

func TestAFullStoreDelaysTheRelease(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		f := &flaky{}
		r.wrap = func(s Store) Store { f.Store = s; return f }
		r.begin()
		r.make(Request{Audience: users(20), Rate: perSecond(10), Start: true})
		pass(500 * time.Millisecond)
		f.answers(store.ErrFull)
		pass(time.Minute)
		f.answers(nil)
		before := len(r.reached())
		pass(1100 * time.Millisecond)
		if n := len(r.reached()) - before; n > 12 {
			t.Errorf("%d in the second after there was room", n)
		}
		pass(time.Minute)
		r.end()
		r.everybodyOnce(20)
		if n := strings.Count(r.log.String(), "waits for room"); n != 1 {
			t.Errorf("%d lines about it", n)
		}
	})
}

// brim is a store that lately had no room: it takes what forgets and what stops.
type brim struct {
	Store
	full atomic.Bool
}

func (b *brim) Remember(ctx context.Context, account string, notes []engine.Note) error {
	grows := func(n engine.Note) bool { return n.Value != "" && !n.Stops }
	if b.full.Load() && slices.ContainsFunc(notes, grows) {
		return store.ErrFull
	}
	return b.Store.Remember(ctx, account, notes)
}

func TestAFullStoreKeepsNobodyFromStopping(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		var b *brim
		r.wrap = func(s Store) Store { b = &brim{Store: s}; return b }
		r.begin()
		s := r.make(Request{Audience: users(100), Rate: perSecond(1), Start: true})
		pass(3 * time.Second)
		b.full.Store(true)
		for _, step := range []struct {
			name string
			act  func(context.Context, string) (Status, error)
			want error
		}{{"pause", r.Pause, nil}, {"resume", r.Resume, store.ErrFull}, {"cancel", r.Cancel, nil}} {
			if _, err := step.act(t.Context(), s.ID); !errors.Is(err, step.want) {
				t.Errorf("%s: %v", step.name, err)
			}
		}
		if now, err := r.Status(s.ID); err != nil || now.State != Cancelled {
			t.Errorf("stands at %+v, %v", now, err)
		}
		r.end()
	})
}

func TestAStoreThatFailedEndsTheRelease(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		f := &flaky{}
		r.wrap = func(s Store) Store { f.Store = s; return f }
		r.begin()
		r.make(Request{Audience: users(20), Rate: perSecond(10), Start: true})
		f.answers(fmt.Errorf("submit: %w", store.ErrFailed))
		pass(time.Second)
		if err := r.stop(); !errors.Is(err, store.ErrFailed) {
			t.Errorf("ends with %v", err)
		}
	})
}

func TestRecipientsThatAreGoneFailTheBroadcast(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(20), Rate: perSecond(10)})
		if err := r.st.Remember(t.Context(), owner, []engine.Note{{Key: chunkName(s.ID, 0)}}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Start(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		r.end()
		if got := r.stands(s.ID); got.State != Failed || !strings.Contains(got.Reason, "not in the store") {
			t.Errorf("stands at %+v", got)
		}
	})
}

func TestWhatCannotBeDoneInAState(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		defer r.end()
		s := r.make(Request{Audience: users(1000), Rate: perSecond(1)})
		ops := map[string]func(ctx context.Context, id string) (Status, error){"start": r.Start, "pause": r.Pause, "resume": r.Resume, "cancel": r.Cancel,
			"delete": func(ctx context.Context, id string) (Status, error) { return Status{}, r.Delete(ctx, id) }}
		for _, step := range []struct {
			refused []string
			then    string
		}{
			{[]string{"pause", "resume"}, "start"},
			{[]string{"start", "resume", "delete"}, "pause"},
			{[]string{"start", "pause", "delete"}, "resume"},
			{nil, "cancel"},
			{[]string{"start", "pause", "resume", "cancel"}, "delete"},
		} {
			for _, op := range step.refused {
				var refused *Refused
				if _, err := ops[op](t.Context(), s.ID); !errors.As(err, &refused) {
					t.Errorf("before %s: %s gives %v", step.then, op, err)
				}
			}
			if _, err := ops[step.then](t.Context(), s.ID); err != nil {
				t.Errorf("%s: %v", step.then, err)
			}
		}
		for name, op := range ops {
			if _, err := op(t.Context(), s.ID); !errors.Is(err, ErrNone) {
				t.Errorf("%s of one that is not there: %v", name, err)
			}
		}
		if left := r.notes("broadcast"); len(left) > 0 {
			t.Errorf("left %q", left)
		}
	})
}

func TestOldOnesAreForgotten(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: users(3), Rate: perSecond(10), Start: true})
		other := r.make(Request{Audience: users(3)})
		pass(29 * 24 * time.Hour)
		if got := r.stands(s.ID); got.Sent != 3 {
			t.Errorf("stands at %+v", got)
		}
		pass(2 * 24 * time.Hour)
		r.end()
		if _, err := r.Status(s.ID); !errors.Is(err, ErrNone) {
			t.Errorf("after 31 days: %v", err)
		}
		want := []string{noteKey + other.ID, chunkName(other.ID, 0)}
		if left := r.notes("broadcast"); !slices.Equal(slices.Sorted(slices.Values(left)), slices.Sorted(slices.Values(want))) {
			t.Errorf("left %q", left)
		}
	})
}

// flaky is a store that answers an error in place of a page.
type flaky struct {
	Store
	mu     sync.Mutex
	submit error
}

func (f *flaky) answers(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.submit = err
}

func (f *flaky) SubmitPage(ctx context.Context, cmds []engine.Command, window time.Duration, account string, notes []engine.Note) ([]bool, error) {
	f.mu.Lock()
	err := f.submit
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f.Store.SubmitPage(ctx, cmds, window, account, notes)
}
