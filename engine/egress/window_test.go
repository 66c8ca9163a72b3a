package egress

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/quota"
)

// clerk is a platform that notes what it was handed, and cannot say to "once-…"
// what has no ticket.
type clerk struct {
	*platform
	mu   sync.Mutex
	said []engine.Command
}

func (c *clerk) TooLate(cmd *engine.Command) string {
	if strings.HasPrefix(cmd.Conversation, "once-") {
		return "the code lives 20 s"
	}
	return ""
}

func newClerk(w *world) *clerk {
	c := &clerk{platform: w.platforms["shop"]}
	answer := c.platform.answer
	c.platform.answer = func(cmd *engine.Command) error {
		c.mu.Lock()
		c.said = append(c.said, *cmd)
		c.mu.Unlock()
		if answer != nil {
			return answer(cmd)
		}
		return nil
	}
	a := w.options.Accounts["shop"]
	a.Sender = c
	w.options.Accounts["shop"] = a
	return c
}

// reply is a command that a ticket permits for so long.
func reply(task, conversation string, within time.Duration) engine.Command {
	return engine.Command{TaskID: task, Conversation: conversation, Ticket: engine.Ticket{Token: "t", Expires: time.Now().Add(within)}}
}

func TestALateReplyBecomesAPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(oneByOne(quota.Limits{PushPerDay: 1})))
		c := newClerk(w)
		w.options.Unwanted = func(c *engine.Command) string {
			if c.Conversation == "unsubscribed" && c.Lane != engine.LaneReply {
				return "unsubscribed"
			}
			return ""
		}
		w.put("shop", reply("in time", "a", time.Hour))
		w.put("shop", reply("unwanted", "unsubscribed", 0))
		w.put("shop", reply("late", "b", 0))
		w.put("shop", reply("late too", "c", 0))
		closed := quota.Clock(time.Now(), w.options.Accounts["shop"].Quota.Zone)
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantTasks("shop", "in time", "late")
		if got := c.said[0]; got.Ticket.Token != "t" || got.Lane != engine.LaneReply {
			t.Errorf("in time: %+v", got)
		}
		if got := c.said[1]; got.Ticket != (engine.Ticket{}) || got.Lane != engine.LanePush {
			t.Errorf("late: %+v", got)
		}
		want := "the reply window closed at " + closed + "; it goes as a push"
		if p := w.wantState("late", "sent"); p.Reason != want {
			t.Errorf("late: %s, want %s", p.Reason, want)
		}
		if p := w.wantState("unwanted", "dead"); p.Reason != "unsubscribed" {
			t.Errorf("unwanted: %s", p.Reason)
		}
		if got := w.waits("late too"); !strings.HasPrefix(got, want+"; quota: 1 push a day (push_per_day)") {
			t.Errorf("waits: %s", got)
		}
		if n := w.log.count("a reply is late and becomes a push"); n != 3 {
			t.Errorf("%d lines in the log, want 3", n)
		}
		if n := w.used(today()); n != 1 {
			t.Errorf("%d counted, want 1", n)
		}
	})
}

func TestALateReplyIsDeadWhereItIsToBeDroppedOrHasNoOtherWay(t *testing.T) {
	for _, tt := range []struct{ name, rule, conversation, reason string }{
		{"late_reply is drop", DropLate, "a", `, and late_reply is "drop"`},
		{"it has no other way", PushLate, "once-a", ": the code lives 20 s"},
		{"both", DropLate, "once-a", ": the code lives 20 s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.LateReply = tt.rule })))
				newClerk(w)
				w.put("shop", reply("1", tt.conversation, 0))
				w.put("shop", engine.Command{TaskID: "2", Conversation: tt.conversation})
				want := "the reply window closed at " + quota.Clock(time.Now(), nil) + tt.reason
				w.start()
				defer w.stop()
				after(time.Second)
				w.wantTasks("shop", "2")
				if p := w.wantState("1", "dead"); p.Attempts != 0 || len(p.Tries) != 0 || p.Reason != want {
					t.Errorf("%+v, want %s", p, want)
				}
			})
		})
	}
}

func TestWhatSaysNothingNeedsNoWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.LateReply = DropLate })))
		newClerk(w)
		label := reply("label", "once-a", 0)
		label.Action = engine.SetLabel
		w.put("shop", label)
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantState("label", "sent")
	})
}

func TestAWindowThatClosesWhileTheMarkIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 5})))
		c := newClerk(w)
		w.outbox.disk = time.Second
		w.put("shop", reply("1", "a", 1500*time.Millisecond))
		w.put("shop", reply("2", "once-b", 1500*time.Millisecond))
		w.start()
		defer w.stop()
		after(time.Minute)
		w.wantTasks("shop", "1")
		if c.said[0].Lane != engine.LanePush {
			t.Errorf("%+v", c.said[0])
		}
		if p := w.wantState("2", "dead"); p.Attempts != 0 {
			t.Errorf("%+v", p)
		}
		if n := w.used(today()); n != 1 {
			t.Errorf("%d counted, want 1", n)
		}
	})
}

func TestARetryAfterTheWindowIsAPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 5})))
		failed := false
		w.platforms["shop"].answer = func(*engine.Command) error {
			if !failed {
				failed = true
				return fails("transient")
			}
			return nil
		}
		c := newClerk(w)
		w.put("shop", reply("1", "a", time.Millisecond))
		w.start()
		defer w.stop()
		after(time.Minute)
		w.wantTasks("shop", "1", "1")
		if c.said[0].Ticket.Token == "" || c.said[1].Ticket.Token != "" {
			t.Errorf("%+v", c.said)
		}
		if n := w.used(today()); n != 1 {
			t.Errorf("%d pushes counted, want the second request alone", n)
		}
	})
}

func TestAReplyWhoseWindowIsAboutToCloseGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = engine.Rate{N: 1, Per: time.Second}; a.Limits.Parallel = 1 })))
		now := time.Now()
		put := func(task, conversation string, age, left time.Duration) {
			c := engine.Command{TaskID: task, Conversation: conversation, Created: now.Add(-age)}
			if left > 0 {
				c.Ticket = engine.Ticket{Token: "t", Expires: now.Add(left)}
			}
			w.put("shop", c)
		}
		put("old", "a", 30*time.Second, 0)
		put("older, behind the old one of its conversation", "a", 29*time.Second, time.Second*15)
		put("plenty of time", "b", 20*time.Second, time.Hour)
		put("about to close", "c", 10*time.Second, 10*time.Second)
		put("very old", "d", 2*time.Minute, 0)
		w.start()
		defer w.stop()
		after(time.Minute)
		w.wantTasks("shop", "very old", "about to close", "old", "older, behind the old one of its conversation", "plenty of time")
	})
}
