package pull

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

func TestPagesAreFetchedWhileThereAreMoreEmptyOnesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook(), book(map[string]channel.Page{
			"": page("c1", true, "e1", "e2"), "c1": page("c2", true), "c2": page("c3", true), "c3": page("c4", false, "e3"),
		}))
		h.ring("kf", "T")
		h.pulled("0s kf token=T cursor=", "0s kf token=T cursor=c1", "0s kf token=T cursor=c2", "0s kf token=T cursor=c3")
		h.wrote("remember ring/kf=rung:T", "page e1 e2 cursor/kf=c1", "page cursor/kf=c2", "page cursor/kf=c3", "page e3 cursor/kf=c4 ring/kf=")
	})
}

func TestWhatBecomesOfEachEventIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotebook()
		n.log = []string{"e2"}
		h := start(t, n, book(map[string]channel.Page{"": page("c1", true, "e1", "e2", "bad1"), "c1": page("c2", false, "bad2"), "c2": page("c3", false, "e1")}),
			func(o *Options) {
				o.Admit = func(e *engine.Event) string {
					if strings.HasPrefix(e.ID, "bad") {
						return "blocked"
					}
					return ""
				}
			})
		h.ring("kf", "T")
		h.heard("logged e1 false", "logged e2 true", "poke", "refused bad1 blocked", "refused bad2 blocked")
		h.wrote("remember ring/kf=rung:T", "page e1 e2 cursor/kf=c1", "page cursor/kf=c2 ring/kf=")
		h.ring("kf", "T")
		h.heard("logged e1 false", "logged e2 true", "poke", "refused bad1 blocked", "refused bad2 blocked", "logged e1 true")
	})
}

func TestAPageThatIsNotStoredIsFetchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, refused := newNotebook(), 0
		n.refuse = func(act string) error {
			if strings.HasPrefix(act, "page e2") && refused < 2 {
				refused++
				return store.ErrFull
			}
			return nil
		}
		h := start(t, n, book(map[string]channel.Page{"": page("c1", true, "e1"), "c1": page("c2", false, "e2", "bad")}),
			func(o *Options) {
				o.Admit = func(e *engine.Event) string { return map[string]string{"bad": "blocked"}[e.ID] }
			})
		h.ring("kf", "T")
		time.Sleep(time.Minute)
		h.pulled("0s kf token=T cursor=", "0s kf token=T cursor=c1", "1.5s kf token=T cursor=c1", "4s kf token=T cursor=c1")
		h.wrote("remember ring/kf=rung:T", "page e1 cursor/kf=c1", "page e2 cursor/kf=c2 ring/kf=")
		h.heard("logged e1 false", "poke", "logged e2 false", "poke", "refused bad blocked")
	})
}

func TestAPageThatSaysNothingNewIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook("cursor/kf", "c1"), book(nil))
		h.pulled("0s kf token= cursor=c1")
		h.wrote()
	})
}

func TestAPageWithoutACursorLeavesTheOldOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, newNotebook("cursor/kf", "c1"), book(map[string]channel.Page{"c1": page("", false, "e1")}))
		h.wrote("page e1")
		if h.store.notes["cursor/kf"] != "c1" {
			t.Errorf("notes %v", h.store.notes)
		}
	})
}

func TestAPlatformThatGoesRoundInCirclesIsNotFollowed(t *testing.T) {
	for name, cursor := range map[string]string{"the same cursor": "c1", "no cursor": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := start(t, newNotebook("cursor/kf", "c1"), book(map[string]channel.Page{"c1": page(cursor, true, "e1")}))
				time.Sleep(5 * time.Second)
				h.pulled("0s kf token= cursor=c1", "1.5s kf token= cursor=c1", "4s kf token= cursor=c1")
				h.wrote("page e1", "page e1", "page e1")
				if n := strings.Count(h.logged(), errStalled.Error()); n != 1 {
					t.Errorf("said %d times: %s", n, h.logged())
				}
			})
		})
	}
}

func TestNothingIsFetchedWhileTheDiskIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotebook("ring/kf", "rung:T")
		n.wait = 3 * time.Second
		h := start(t, n, book(nil), func(o *Options) { o.MaxCommitWait = func() time.Duration { return 2 * time.Second } })
		time.Sleep(2 * time.Second)
		h.pulled()
		n.set(func() { n.wait = 2 * time.Second })
		time.Sleep(time.Minute)
		h.pulled("4s kf token=T cursor=") // 1.5 s and then 2.5 s behind the start
	})
}

func TestAPullerThatPanicsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		h := start(t, newNotebook("ring/kf", "rung:T"), newPlatform(func(_, _, _ string) (channel.Page, error) {
			if first {
				first = false
				panic(errors.New("what may hold a secret"))
			}
			return page("c1", false, "e1"), nil
		}))
		time.Sleep(time.Minute)
		h.wrote("page e1 cursor/kf=c1 ring/kf=")
		if said := h.logged(); !strings.Contains(said, "puller panicked") || strings.Contains(said, "secret") {
			t.Errorf("said %s", said)
		}
	})
}
