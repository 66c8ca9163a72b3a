package contacts

import (
	"errors"
	"slices"
	"testing"
	"time"

	"bot/engine"
)

func TestWhatASentCommandChangesOfAContact(t *testing.T) {
	params := func(add, remove any) map[string]any { return map[string]any{"add": add, "remove": remove} }
	for name, tt := range map[string]struct {
		command engine.Command
		want    string
	}{
		"labels":                       {engine.Command{Action: engine.SetLabel, Conversation: "u", Params: params([]any{"vip", "old"}, []any{"x"})}, "u [old vip] since 08-01 active 08-01"},
		"labels with commas":           {engine.Command{Action: engine.SetLabel, Conversation: "u", Params: params("vip,new", "x, y")}, "u [new vip] since 08-01 active 08-01"},
		"of somebody who is not known": {engine.Command{Action: engine.SetLabel, Conversation: "v", Params: params("vip", nil)}, "u [x] since 08-01 active 08-01; v [vip]"},
		"in a form of the platform's":  {engine.Command{Action: engine.SetLabel, Conversation: "v", Params: map[string]any{"labelIds": "1"}}, "u [x] since 08-01 active 08-01"},
		"a label that is none":         {engine.Command{Action: engine.SetLabel, Conversation: "u", Params: params("a\nb", nil)}, "u [x] since 08-01 active 08-01"},
		"a remark":                     {engine.Command{Action: engine.SetRemark, Conversation: "u", Params: map[string]any{"remark": "老王"}}, "u 老王 [x] since 08-01 active 08-01"},
		"a text says nothing":          {engine.Command{Action: engine.SendText, Conversation: "v", Text: "add"}, "u [x] since 08-01 active 08-01"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			r.happens(of(engine.Message))
			r.change(Change{ID: "u", Add: []string{"x"}})
			tt.command.Account = "shop"
			r.m.keep(r.Sent(&tt.command))
			r.m.keep(r.Sent(&tt.command)) // as after a crash between the request and its record
			if got := r.all(); got != tt.want {
				t.Errorf("the directory has %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAGivenNameStandsBeforeWhatTheyCallThemselves(t *testing.T) {
	r := newRig(t, Options{})
	e := of(engine.Message)
	e.SenderName = "小王"
	r.happens(e)
	name := "老王"
	if r.change(Change{ID: "u", Name: &name}); r.find(Query{})[0].Name != "老王" {
		t.Error(r.all())
	}
	name = ""
	if r.change(Change{ID: "u", Name: &name}); r.find(Query{})[0].Name != "小王" {
		t.Error(r.all())
	}
}

func TestALabelDoesNotMakeAPersonOfAGroup(t *testing.T) {
	r := newRig(t, Options{})
	r.change(Change{ID: "g", Group: true, Present: true}, Change{ID: "u", Present: true})
	r.change(Change{ID: "g", Add: []string{"a"}}, Change{ID: "u", Add: []string{"a"}})
	if got := r.all(); got != "group g [a]; u [a]" {
		t.Error(got)
	}
}

func TestForgettingLeavesNothing(t *testing.T) {
	r := newRig(t, Options{})
	r.happens(of(engine.Message))
	name := "n"
	r.change(Change{ID: "u", Add: []string{"a", "b"}, Name: &name, Present: true}, Change{ID: "u2", Add: []string{"a"}})
	for range 2 {
		if err := r.Forget(t.Context(), "shop", "u"); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.all(); got != "u2 [a]" || len(r.m.notes) != 2 {
		t.Errorf("%q, %v", got, r.m.notes)
	}
}

func TestAChangeThatCannotBeKeptIsAnError(t *testing.T) {
	r := newRig(t, Options{})
	r.m.err = errors.New("broken")
	if err := r.Change(t.Context(), "shop", []Change{{ID: "u"}}); !errors.Is(err, r.m.err) {
		t.Error(err)
	}
	if err := r.Forget(t.Context(), "shop", "u"); !errors.Is(err, r.m.err) {
		t.Error(err)
	}
}

func TestWhoIsStillSentSomethingUnasked(t *testing.T) {
	text := func(lane engine.Lane, to string) engine.Command {
		return engine.Command{Account: "shop", Action: engine.SendText, Lane: lane, Conversation: to}
	}
	does := func(a engine.Action, to string) engine.Command {
		return engine.Command{Account: "shop", Action: a, Lane: engine.LanePush, Conversation: to}
	}
	const silent = "contact: has not written since 2026-08-01 (push_active_within = 90d)"
	for name, tt := range map[string]struct {
		after   time.Duration
		command engine.Command
		want    string
	}{
		"who wrote within the time":                {90 * day, text(engine.LanePush, "u"), ""},
		"who has not":                              {91 * day, text(engine.LanePush, "u"), silent},
		"bulk alike":                               {91 * day, text(engine.LaneBulk, "u"), silent},
		"a reply always goes":                      {91 * day, text(engine.LaneReply, "u"), ""},
		"a new friend who never wrote":             {90 * day, text(engine.LanePush, "new"), ""},
		"a friend who never wrote at all":          {91 * day, text(engine.LanePush, "new"), silent},
		"a group may be silent":                    {399 * day, text(engine.LanePush, "g"), ""},
		"somebody who is not known":                {399 * day, text(engine.LanePush, "x"), ""},
		"somebody who was only named":              {399 * day, text(engine.LanePush, "named"), ""},
		"who is gone":                              {0, text(engine.LanePush, "lost"), "contact: gone since 2026-08-01"},
		"a group that is gone":                     {0, text(engine.LaneBulk, "out"), "contact: gone since 2026-08-01"},
		"a reply to who is gone":                   {0, text(engine.LaneReply, "lost"), ""},
		"who is gone and was named again":          {0, text(engine.LanePush, "again"), ""},
		"a label for who is silent":                {91 * day, does(engine.SetLabel, "u"), ""},
		"a picture":                                {91 * day, does(engine.SendImage, "u"), silent},
		"a message that is taken back":             {91 * day, does(engine.RevokeMessage, "u"), ""},
		"a new friend request to who went":         {0, does(engine.AddFriend, "lost"), ""},
		"who is gone and forgotten may be written": {401 * day, text(engine.LanePush, "lost"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Within: func(account string) time.Duration {
				return map[string]time.Duration{"shop": 90 * day}[account]
			}})
			is := func(kind engine.Kind, id string) {
				r.happens(engine.Event{Kind: kind, Conversation: id, Sender: id, Group: kind.InGroup()})
			}
			is(engine.Message, "u")
			is(engine.FriendAdded, "new")
			is(engine.GroupCreated, "g")
			for _, id := range []string{"lost", "again"} {
				is(engine.FriendLost, id)
			}
			is(engine.BotRemoved, "out")
			r.change(Change{ID: "named", Present: true}, Change{ID: "again", Present: true})
			r.m.now = r.m.now.Add(tt.after)
			if got := r.Unwanted(&tt.command); got != tt.want {
				t.Errorf("unwanted %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWithoutALimitNobodyIsSilent(t *testing.T) {
	r := newRig(t, Options{})
	r.happens(of(engine.Message))
	r.m.now = r.m.now.Add(1000 * day)
	if why := r.Unwanted(&engine.Command{Action: engine.SendText, Lane: engine.LaneBulk, Conversation: "u"}); why != "" {
		t.Error(why)
	}
}

func TestAContactThatCannotBeReadCountsAsThere(t *testing.T) {
	r := newRig(t, Options{})
	r.m.err = errors.New("broken")
	if why := r.Unwanted(&engine.Command{Action: engine.SendText, Lane: engine.LaneBulk, Conversation: "u"}); why != "" {
		t.Error(why)
	}
}

func TestTimesAreSaidAsTheyAreConfigured(t *testing.T) {
	for want, d := range map[string]time.Duration{"90d": 90 * day, "36h": 36 * time.Hour, "24h30m0s": day + 30*time.Minute} {
		if got := days(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatCanBeALabel(t *testing.T) {
	var good []string
	for _, label := range []string{"vip", "企业客户", "a b", "", " a", "a\t", "a\x00b", "\xff", string(make([]byte, MaxLabel+1))} {
		if ValidLabel(label) {
			good = append(good, label)
		}
	}
	if want := []string{"vip", "企业客户", "a b"}; !slices.Equal(good, want) {
		t.Errorf("%q, want %q", good, want)
	}
}
