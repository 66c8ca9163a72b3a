package alert

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine/hours"
)

// receiver is a way that keeps what it is told.
type receiver struct {
	mu       sync.Mutex
	began    time.Time
	messages []Message
	at       []time.Duration
	err      error
	takes    time.Duration
}

func (r *receiver) Name() string { return "receiver" }

func (r *receiver) Tell(ctx context.Context, m *Message) error {
	select {
	case <-time.After(r.takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	r.messages = append(r.messages, *m)
	r.at = append(r.at, time.Since(r.began))
	return nil
}

func (r *receiver) fails(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// said is each message as "seconds: line; line".
func (r *receiver) said() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, m := range r.messages {
		var lines []string
		for _, l := range m.Lines {
			s := fmt.Sprintf("%s %s", l.Kind, l.Account)
			if l.Subject != "" {
				s += "/" + l.Subject
			}
			if l.Text != "" && l.State == Firing {
				s += " " + l.Text
			}
			if l.Count > 1 {
				s += fmt.Sprintf(" ×%d", l.Count)
			}
			if l.State == Recovered {
				s += fmt.Sprintf(" over after %v", l.Latest.Sub(l.Since).Round(time.Second))
			}
			lines = append(lines, s)
		}
		said := fmt.Sprintf("%d: %s", int(r.at[i].Seconds()), strings.Join(lines, "; "))
		if m.Omitted > 0 {
			said += fmt.Sprintf(" +%d", m.Omitted)
		}
		all = append(all, said)
	}
	return all
}

type world struct {
	*testing.T
	*Desk
	*receiver
	settings Settings
	outcomes map[string]int
	stop     func()
}

// run has a story told by a desk that runs.
func run(t *testing.T, change func(s *Settings), story func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, receiver: &receiver{began: time.Now()}, outcomes: make(map[string]int)}
		w.settings = Settings{Ways: []Way{w.receiver}, Every: 10 * time.Minute, AtMost: 20, Per: time.Hour, Language: English, Location: time.UTC}
		if change != nil {
			change(&w.settings)
		}
		var mu sync.Mutex
		w.Desk = New(Options{
			Settings: func() Settings { return w.settings },
			Counted:  func(kind, outcome string) { mu.Lock(); defer mu.Unlock(); w.outcomes[kind+" "+outcome]++ },
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Desk.Run(ctx) }()
		w.stop = sync.OnceFunc(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
		defer w.stop()
		synctest.Wait()
		story(w)
	})
}

func (w *world) wants(want ...string) {
	w.Helper()
	synctest.Wait()
	if got := w.said(); !slices.Equal(got, want) {
		w.Errorf("told\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestTheFirstIsToldAfterAShortGatheringTime(t *testing.T) {
	run(t, nil, func(w *world) {
		w.Raise(Alert{Kind: DeadLetter, Account: "shop", Text: "a"})
		time.Sleep(gather - time.Millisecond)
		w.wants()
		time.Sleep(time.Millisecond)
		w.wants("3: dead_letter shop a")
	})
}

func TestAStormIsOneMessage(t *testing.T) {
	run(t, nil, func(w *world) {
		for i := range 1000 {
			w.Raise(Alert{Kind: DeadLetter, Account: fmt.Sprint("a", i%3), Text: fmt.Sprint(i)})
		}
		w.Raise(Alert{Kind: Offline, Account: "a1", Text: "kicked"})
		time.Sleep(5 * time.Minute)
		w.wants("3: offline a1 kicked; dead_letter a0 999 ×334; dead_letter a1 997 ×333; dead_letter a2 998 ×333")
	})
}

func TestWhatFollowsIsToldOnceInTenMinutesWithItsNumberAndLatestText(t *testing.T) {
	run(t, nil, func(w *world) {
		for i := range 2142 { // for 25 minutes
			w.Raise(Alert{Kind: DeadLetter, Account: "shop", Text: fmt.Sprint(i)})
			time.Sleep(700 * time.Millisecond)
		}
		w.wants("3: dead_letter shop 4 ×5", "603: dead_letter shop 861 ×857", "1203: dead_letter shop 1718 ×857")
	})
}

func TestEveryIsOfEachKindAndAccount(t *testing.T) {
	run(t, nil, func(w *world) {
		w.Raise(Alert{Kind: DeadLetter, Account: "shop"})
		time.Sleep(time.Minute)
		w.Raise(Alert{Kind: DeadLetter, Account: "shop", Subject: "event"}) // of the same group
		w.Raise(Alert{Kind: DeadLetter, Account: "club"})
		w.Raise(Alert{Kind: Words, Account: "shop"})
		time.Sleep(time.Hour)
		w.wants("3: dead_letter shop", "63: dead_letter club; words shop", "603: dead_letter shop/event")
	})
}

func TestAnEndIsToldIfTheBeginningWas(t *testing.T) {
	run(t, nil, func(w *world) {
		w.Raise(Alert{Kind: Offline, Account: "shop", Text: "kicked"})
		w.Raise(Alert{Kind: Offline, Account: "blip"})
		time.Sleep(time.Second)
		w.Raise(Alert{Kind: Offline, Account: "blip", Over: true})
		w.Raise(Alert{Kind: Offline, Account: "never", Over: true})
		time.Sleep(time.Minute)
		w.Raise(Alert{Kind: Offline, Account: "shop", Over: true})
		w.Raise(Alert{Kind: Offline, Account: "shop", Over: true})
		time.Sleep(time.Hour)
		w.wants("3: offline shop kicked", "64: offline shop over after 1m1s")
	})
}

func TestWhatComesAndGoesIsToldOnceInTenMinutes(t *testing.T) {
	run(t, nil, func(w *world) {
		for range 9 {
			w.Raise(Alert{Kind: Breaker, Account: "shop"})
			time.Sleep(30 * time.Second)
			w.Raise(Alert{Kind: Breaker, Account: "shop", Over: true})
			time.Sleep(30 * time.Second)
		}
		w.wants("3: breaker shop", "33: breaker shop over after 30s")
	})
}

func TestTheWholeDeskIsBounded(t *testing.T) {
	run(t, func(s *Settings) { s.AtMost = 4; s.Every = time.Second }, func(w *world) {
		for range 59 { // an hour of alerts of one minute each
			w.Raise(Alert{Kind: Words, Account: "shop"})
			time.Sleep(time.Minute)
		}
		w.Raise(Alert{Kind: Disk}) // for which a place was kept
		time.Sleep(time.Minute)
		w.wants("3: words shop", "63: words shop", "123: words shop", "3543: disk ; words shop ×56")
		// Nothing was dropped: the number said so.
	})
}

func TestOutsideOfTheHoursOnlyWhatIsSeriousIsTold(t *testing.T) {
	var daily hours.Line
	if err := daily.UnmarshalText([]byte("daily 08:00-20:00")); err != nil {
		t.Fatal(err)
	}
	run(t, func(s *Settings) { s.Hours = hours.Times{daily} }, func(w *world) { // it is midnight
		w.Raise(Alert{Kind: Words, Account: "shop", Text: "1"})
		w.Raise(Alert{Kind: Halted, Account: "shop", Text: "blocked"})
		time.Sleep(time.Hour)
		w.Raise(Alert{Kind: Words, Account: "shop", Text: "2"})
		w.wants("3: halted shop blocked")
		time.Sleep(8 * time.Hour)
		w.wants("3: halted shop blocked", "28800: words shop 2 ×2")
	})
}

func TestOnlyTheKindsThatAreWantedAreTold(t *testing.T) {
	run(t, func(s *Settings) { s.Kinds = []string{Offline, Disk}; s.Except = []string{Disk} }, func(w *world) {
		for _, kind := range Kinds() {
			w.Raise(Alert{Kind: kind})
		}
		time.Sleep(time.Hour)
		w.wants("3: offline ")
	})
}

func TestMemoryIsBounded(t *testing.T) {
	run(t, func(s *Settings) { s.AtMost = 0 }, func(w *world) {
		for i := range 2 * maxGroups {
			w.Raise(Alert{Kind: DeadLetter, Account: fmt.Sprint(i)})
		}
		for i := range 2 * maxSubjects {
			w.Raise(Alert{Kind: DeadLetter, Account: "0", Subject: fmt.Sprint(i)})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		m := w.messages[0]
		// Of the subjects the one without a name has a place too.
		if len(m.Lines) != maxLines || len(m.Lines)+m.Omitted != 2*maxGroups+2*maxSubjects {
			w.Errorf("%d lines and %d left out", len(m.Lines), m.Omitted)
		}
		time.Sleep(time.Hour)
		w.Raise(Alert{Kind: DeadLetter, Account: "new"}) // there is room again
		time.Sleep(time.Minute)
		if got := w.said(); len(got) != 2 || !strings.HasSuffix(got[1], ": dead_letter new") {
			w.Errorf("told %.300q", got[1:])
		}
	})
}

func TestWhatNoWayTookIsToldLater(t *testing.T) {
	run(t, nil, func(w *world) {
		w.fails(errors.New("down"))
		w.Raise(Alert{Kind: Offline, Account: "shop", Text: "kicked"})
		w.Raise(Alert{Kind: Offline, Account: "club", Text: "kicked"})
		time.Sleep(30 * time.Second)
		w.Raise(Alert{Kind: Offline, Account: "club", Over: true}) // nobody was told that it began
		w.fails(nil)
		time.Sleep(time.Hour)
		w.wants("63: offline shop kicked")
		if want := map[string]int{"offline failed": 2, "offline told": 1}; !maps.Equal(w.outcomes, want) {
			w.Errorf("counted %v, want %v", w.outcomes, want)
		}
		if got := w.Recent(); len(got) != 3 || got[0].Ways["receiver"] != Told || got[2].Ways["receiver"] != "down" {
			w.Errorf("recent %+v", got)
		}
	})
}

func TestAWayThatHangsHoldsNobodyUp(t *testing.T) {
	run(t, nil, func(w *world) {
		w.takes = time.Minute
		w.Raise(Alert{Kind: Offline, Account: "shop"})
		time.Sleep(10 * time.Second)
		for range 100_000 { // while it is being told
			w.Raise(Alert{Kind: DeadLetter, Account: "shop"})
		}
		if since := time.Since(w.began); since != 10*time.Second {
			w.Errorf("raising took %v", since)
		}
		time.Sleep(2 * time.Minute)
		w.wants("63: offline shop", "123: dead_letter shop ×100000")
	})
}

func TestAnEndThatComesWhileTheBeginningIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"is told":                                {nil, []string{"13: offline shop", "23: offline shop over after 5s"}},
		"is not where the beginning was refused": {errors.New("down"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.takes = 10 * time.Second
				w.fails(tt.err)
				w.Raise(Alert{Kind: Offline, Account: "shop"})
				time.Sleep(5 * time.Second)
				w.Raise(Alert{Kind: Offline, Account: "shop", Over: true})
				time.Sleep(20 * time.Second)
				w.fails(nil)
				time.Sleep(time.Hour)
				w.wants(tt.want...)
			})
		})
	}
}

func TestWhatIsSeriousIsToldBeforeTheEnd(t *testing.T) {
	run(t, nil, func(w *world) {
		w.Raise(Alert{Kind: Store, Text: "disk on fire"})
		w.Raise(Alert{Kind: Words})
		w.stop()
		w.wants("0: store  disk on fire")
	})
}

func TestAWayThatHangsDoesNotKeepTheProcess(t *testing.T) {
	run(t, nil, func(w *world) {
		w.takes = time.Hour
		w.Raise(Alert{Kind: Store})
		w.stop()
		if since := time.Since(w.began); since > lastWords {
			w.Errorf("ended after %v", since)
		}
	})
}

func TestARestartTellsAnOngoingConditionOnceMore(t *testing.T) {
	for range 2 { // two lives, which share nothing
		run(t, nil, func(w *world) {
			w.Raise(Alert{Kind: Offline, Account: "shop"})
			time.Sleep(time.Hour)
			w.wants("3: offline shop")
		})
	}
}

func TestWhatGoesOnIsListed(t *testing.T) {
	run(t, nil, func(w *world) {
		w.Raise(Alert{Kind: Schedule, Account: "shop", Subject: "morning", Text: "no room"})
		w.Raise(Alert{Kind: Offline, Account: "shop"})
		w.Raise(Alert{Kind: Words, Account: "shop"})
		time.Sleep(time.Minute)
		w.Raise(Alert{Kind: Offline, Account: "club"})
		list := func() (all []string) {
			for _, o := range w.Ongoing() {
				all = append(all, fmt.Sprint(o.Kind, " ", o.Account, " ", o.Subject, " ", o.Told))
			}
			return all
		}
		if got, want := list(), []string{"offline shop  true", "offline club  false", "schedule shop morning true"}; !slices.Equal(got, want) {
			w.Errorf("ongoing %q, want %q", got, want)
		}
		w.Raise(Alert{Kind: Offline, Account: "shop", Over: true})
		w.Keep(func(account string) bool { return account != "club" })
		if got, want := list(), []string{"schedule shop morning true"}; !slices.Equal(got, want) {
			w.Errorf("ongoing %q, want %q", got, want)
		}
	})
}

func TestATestGoesByAllWaysAtOnce(t *testing.T) {
	run(t, func(s *Settings) { s.AtMost = 1 }, func(w *world) {
		w.Raise(Alert{Kind: Words})
		time.Sleep(time.Minute)
		if got := w.Try(w.Context()); !maps.Equal(got, map[string]string{"receiver": Told}) {
			w.Errorf("%v", got)
		}
		w.fails(errors.New("down"))
		if got := w.Try(w.Context()); !maps.Equal(got, map[string]string{"receiver": "down"}) {
			w.Errorf("%v", got)
		}
		w.wants("3: words ", "60: test  alerts arrive here")
	})
}

func TestWithoutAWayAlertsAreNoted(t *testing.T) {
	run(t, func(s *Settings) { s.Ways = nil }, func(w *world) {
		w.Raise(Alert{Kind: Words})
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := map[string]int{"words noted": 1}; !maps.Equal(w.outcomes, want) {
			w.Errorf("counted %v", w.outcomes)
		}
	})
}
