package pull

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine/channel"
	"bot/store"
)

func TestARingIsWrittenDownBeforeItIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, newNotebook(), book(map[string]channel.Page{"": page("c1", false, "e1", "e2")}))
		h.ring("kf", "T")
		h.wrote("remember ring/kf=rung:T")
		h.run()
		h.pulled("0s kf token=T cursor=")
		h.wrote("remember ring/kf=rung:T", "page e1 e2 cursor/kf=c1 ring/kf=")
	})
}

func TestARingWithoutATokenIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, newNotebook(), book(nil))
		h.ring("kf", "")
		h.wrote("remember ring/kf=rung:")
		again := build(t, h.store, h.platform) // and is found by the next process
		again.run()
		again.pulled("0s kf token= cursor=")
		again.wrote("remember ring/kf=rung:", "page ring/kf=")
	})
}

func TestARingThatIsNotWrittenIsAnErrorAndAnsweredAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotebook()
		n.refuse = func(act string) error {
			if strings.HasPrefix(act, "remember") {
				return store.ErrFull
			}
			return nil
		}
		h := start(t, n, book(nil))
		err := h.porter.Ring(t.Context(), []channel.Doorbell{{Account: account, Source: "kf", Token: "secret"}})
		if !errors.Is(err, store.ErrFull) || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("got %v", err)
		}
		h.pulled("0s kf token=secret cursor=")
	})
}

func TestImpossibleSourcesAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	for name, source := range map[string]string{"none": "", "one beyond bounds": strings.Repeat("s", maxSource+1)} {
		h := build(t, newNotebook(), book(nil))
		bells := []channel.Doorbell{{Account: account, Source: "kf"}, {Account: account, Source: source}}
		if err := h.porter.Ring(t.Context(), bells); err == nil || len(h.store.acts) != 0 {
			t.Errorf("%s: %v, written %v", name, err, h.store.acts)
		}
	}
	h := build(t, newNotebook(), book(nil))
	h.ring(strings.Repeat("s", maxSource), "")
}

func TestARingDuringAPullIsAnsweredByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := book(map[string]channel.Page{"": page("c1", false, "e1")})
		quick := p.answer
		p.answer = func(source, token, cursor string) (channel.Page, error) {
			time.Sleep(time.Second)
			return quick(source, token, cursor)
		}
		h := start(t, newNotebook(), p)
		h.ring("kf", "T1")
		synctest.Wait()
		h.ring("kf", "T2")
		time.Sleep(10 * time.Second)
		h.pulled("0s kf token=T1 cursor=", "1s kf token=T2 cursor=c1")
		h.wrote("remember ring/kf=rung:T1", "remember ring/kf=rung:T2", "page e1 cursor/kf=c1", "page ring/kf=")
	})
}

func TestARingBetweenPagesIsAnsweredByThoseThatFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := book(map[string]channel.Page{"": page("c1", true, "e1"), "c1": page("c2", false, "e2")})
		h := build(t, newNotebook(), p)
		h.store.inAct = func(act string) {
			if strings.HasPrefix(act, "page e1") {
				h.ring("kf", "T2")
			}
		}
		h.run()
		h.ring("kf", "T1")
		h.pulled("0s kf token=T1 cursor=", "0s kf token=T2 cursor=c1")
		h.wrote("remember ring/kf=rung:T1", "remember ring/kf=rung:T2", "page e1 cursor/kf=c1", "page e2 cursor/kf=c2 ring/kf=")
	})
}

// No fake time here: whoever waits for a lock does not let it pass.
func TestARingWhileTheLastIsBeingTakenAwayStays(t *testing.T) {
	h := build(t, newNotebook(), book(map[string]channel.Page{"": page("c1", false, "e1")}))
	taking, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	h.store.inAct = func(act string) {
		if strings.HasPrefix(act, "page") {
			once.Do(func() {
				close(taking)
				<-goOn
			})
		}
	}
	answered := make(chan struct{}, 10)
	quick := h.platform.answer
	h.platform.answer = func(source, token, cursor string) (channel.Page, error) {
		answered <- struct{}{}
		return quick(source, token, cursor)
	}
	h.run()
	h.ring("kf", "T1")
	<-answered
	<-taking
	var rung sync.WaitGroup
	rung.Go(func() { h.ring("kf", "T2") })
	time.Sleep(20 * time.Millisecond) // it has come as far as it can by now
	close(goOn)
	rung.Wait()
	<-answered
	if err := h.stop(); err != nil {
		t.Error(err)
	}
	if got := h.store.acts[:3]; !slices.Equal(got, []string{"remember ring/kf=rung:T1", "page e1 cursor/kf=c1 ring/kf=", "remember ring/kf=rung:T2"}) {
		t.Errorf("acts %q", got)
	}
	if got := h.platform.calls; !strings.HasSuffix(got[1], "kf token=T2 cursor=c1") {
		t.Errorf("calls %q", got)
	}
}

func TestOneSourceIsFetchedFromOnceAtATimeAndAnAccountByFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(func(_, _, cursor string) (channel.Page, error) {
			time.Sleep(time.Second)
			return channel.Page{Cursor: cursor + "x"}, nil
		})
		h := start(t, newNotebook(), p)
		for range 5 {
			var ringing sync.WaitGroup
			for i := range 100 {
				ringing.Go(func() { h.ring(fmt.Sprint("kf", i%10), fmt.Sprint("T", i)) })
			}
			ringing.Wait()
			time.Sleep(700 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.twice || p.most != maxAtOnce {
			t.Errorf("a source at once with itself: %v; %d at once, want %d", p.twice, p.most, maxAtOnce)
		}
		if len(p.calls) > 30 {
			t.Errorf("%d calls for 10 sources", len(p.calls))
		}
		for key := range h.store.notes {
			if strings.HasPrefix(key, ringNote) {
				t.Errorf("%s is not answered", key)
			}
		}
	})
}

func TestAStartFindsWhatWasRungForAndWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotebook("ring/new", "rung:T", "cursor/known", "c7", "ring/both", "rung:", "cursor/both", "c8", "ring/", "rung:", "token/x", "y")
		h := start(t, n, book(nil))
		synctest.Wait()
		slices.Sort(h.platform.calls)
		h.pulled("0s both token= cursor=c8", "0s known token= cursor=c7", "0s new token=T cursor=")
	})
}

func TestAStartFindsMoreSourcesThanAreListedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotebook()
		for i := range 2*listed + 1 {
			n.notes[fmt.Sprint("ring/kf", i)] = "rung:T"
		}
		h := start(t, n, book(nil))
		synctest.Wait()
		if len(h.platform.calls) != 2*listed+1 || len(n.notes) != 0 {
			t.Errorf("%d calls, %d notes are left", len(h.platform.calls), len(n.notes))
		}
	})
}

func TestAKnownSourceIsLookedAtNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook(), book(map[string]channel.Page{"": page("c1", false, "e1")}), func(o *Options) { o.Every = 3 * time.Minute })
		time.Sleep(time.Minute)
		h.ring("kf", "T")
		time.Sleep(7 * time.Minute)
		h.pulled("1m0s kf token=T cursor=", "4m0s kf token= cursor=c1", "7m0s kf token= cursor=c1")
		h.wrote("remember ring/kf=rung:T", "page e1 cursor/kf=c1 ring/kf=")
	})
}

func TestFiveMinutesAreBetweenTwoLooksWhereNobodySaysOtherwise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook("cursor/kf", "c1"), book(nil))
		time.Sleep(5 * time.Minute)
		h.pulled("0s kf token= cursor=c1", "5m0s kf token= cursor=c1")
	})
}

func TestAnAccountWithoutAPullerIsLeftAloneUntilItHasOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, newNotebook("cursor/old", "c1"), book(nil))
		pullers := h.pullers
		h.pullers = nil
		h.run()
		h.ring("kf", "T")
		time.Sleep(time.Minute)
		h.pulled()
		h.wrote("remember ring/kf=rung:T")
		if h.logged() != "" {
			t.Errorf("said %s", h.logged())
		}
		h.pullers = pullers
		h.porter.Wake()
		synctest.Wait()
		slices.Sort(h.platform.calls)
		h.pulled("1m0s kf token=T cursor=", "1m0s old token= cursor=c1")
	})
}
