package egress

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

func TestWhatCameOfSendingIsPassedOn(t *testing.T) {
	for name, tt := range map[string]struct {
		text    string
		answers []error // one attempt each
		want    []string
	}{
		"it was sent":         {"fine", []error{nil}, []string{"sent"}},
		"it was refused":      {"fine", []error{fails("permanent")}, []string{"dead of permanent"}},
		"at the second time":  {"fine", []error{fails("transient"), nil}, []string{"waiting of transient", "sent"}},
		"it is in doubt":      {"fine", []error{fails("unknown")}, []string{"in_doubt of unknown"}},
		"it must not be said": {"awful", nil, []string{"dead"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				account := quick()
				account.OnDoubt = Hold
				w, _, _ := vetting(t, account)
				var got []string
				w.options.Settled = func(_ *engine.Command, s *store.Settlement, failure *channel.SendError) {
					outcome := cmp.Or(string(s.Final), string(s.Progress.Phase))
					if failure != nil {
						outcome += " of " + string(failure.Class)
					}
					got = append(got, outcome)
				}
				n := 0
				w.platforms["shop"].answer = func(*engine.Command) error { n++; return tt.answers[n-1] }
				w.tell("1", tt.text)
				w.start()
				after(time.Minute)
				w.stop()
				if !slices.Equal(got, tt.want) {
					t.Errorf("told %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func TestWordsThatAskForAnAlertArePassedOnOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, _ := vetting(t, quick())
		var found []string
		w.options.Found = func(c *engine.Command, v Vetted) { found = append(found, fmt.Sprint(c.TaskID, v.Alert)) }
		fail := true
		w.platforms["shop"].answer = func(*engine.Command) error {
			if fail {
				fail = false
				return fails("transient")
			}
			return nil
		}
		w.tell("1", "odd")
		w.start()
		after(time.Minute)
		w.stop()
		if !slices.Equal(found, []string{"1true"}) {
			t.Errorf("%q", found)
		}
	})
}
