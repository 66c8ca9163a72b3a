package contacts

import (
	"errors"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// of is an event of a private conversation with u.
func of(kind engine.Kind) engine.Event {
	return engine.Event{Kind: kind, Conversation: "u", Sender: "u"}
}

// in is an event of the group g, by the member m.
func in(kind engine.Kind) engine.Event {
	return engine.Event{Kind: kind, Conversation: "g", Sender: "m", Group: true}
}

func TestWhatEventsTellOfContacts(t *testing.T) {
	self := func(e engine.Event) engine.Event { e.Self, e.Sender, e.SenderName = true, "me", "Me"; return e }
	called := func(e engine.Event, name string) engine.Event { e.SenderName = name; return e }
	at := func(e engine.Event, t time.Time) engine.Event { e.Time = t; return e }
	renamed := in(engine.GroupRenamed)
	renamed.Text = " 老客户\n群 "
	const later = 48 * time.Hour // is 08-03
	for name, tt := range map[string]struct {
		first  []engine.Event // on 08-01
		second []engine.Event // on 08-03
		want   string
	}{
		"a message makes a contact":                     {[]engine.Event{of(engine.Message)}, nil, "u since 08-01 active 08-01"},
		"a later message is the last":                   {[]engine.Event{of(engine.Message)}, []engine.Event{of(engine.Message)}, "u since 08-01 active 08-03"},
		"a button, feedback and coming in count":        {[]engine.Event{of(engine.Button)}, []engine.Event{of(engine.EnterChat), of(engine.Feedback)}, "u since 08-01 active 08-03"},
		"a friend has not written yet":                  {[]engine.Event{of(engine.FriendAdded)}, nil, "u since 08-01"},
		"a friend writes":                               {[]engine.Event{of(engine.FriendAdded)}, []engine.Event{of(engine.Message)}, "u since 08-01 active 08-03"},
		"a request makes no contact":                    {[]engine.Event{of(engine.FriendRequest)}, nil, ""},
		"of a changed contact no more is known":         {[]engine.Event{called(of(engine.ContactChanged), "张三")}, nil, "u 张三"},
		"a change is no activity":                       {[]engine.Event{of(engine.Message)}, []engine.Event{called(of(engine.ContactChanged), "李四")}, "u 李四 since 08-01 active 08-01"},
		"what the account says itself is no activity":   {[]engine.Event{self(of(engine.Message))}, nil, "u"},
		"nor does it bring anybody back":                {[]engine.Event{of(engine.FriendDeleted)}, []engine.Event{self(of(engine.Message))}, "u gone 08-01"},
		"a group one is taken into":                     {[]engine.Event{in(engine.GroupCreated)}, nil, "group g since 08-01"},
		"a group by its first message":                  {[]engine.Event{in(engine.Message)}, nil, "group g since 08-01 active 08-01"},
		"members are no contacts":                       {[]engine.Event{in(engine.MemberJoined), called(in(engine.Message), "张三")}, nil, "group g active 08-01"},
		"a group's name":                                {[]engine.Event{renamed}, nil, "group g 老客户 群"},
		"a lost friend":                                 {[]engine.Event{of(engine.Message)}, []engine.Event{of(engine.FriendLost)}, "u since 08-01 active 08-01 gone 08-03"},
		"somebody lost who was never known":             {[]engine.Event{of(engine.FriendDeleted)}, nil, "u gone 08-01"},
		"a group that was dissolved":                    {[]engine.Event{in(engine.GroupCreated)}, []engine.Event{in(engine.GroupDissolved)}, "group g since 08-01 gone 08-03"},
		"a group that the account was thrown out of":    {[]engine.Event{in(engine.Message)}, []engine.Event{in(engine.BotRemoved)}, "group g since 08-01 active 08-01 gone 08-03"},
		"a friend who comes back":                       {[]engine.Event{of(engine.Message), of(engine.FriendLost)}, []engine.Event{of(engine.FriendAdded)}, "u since 08-03 active 08-01"},
		"a message brings back too":                     {[]engine.Event{of(engine.FriendAdded), of(engine.FriendLost)}, []engine.Event{of(engine.Message)}, "u since 08-03 active 08-03"},
		"a change does not":                             {[]engine.Event{of(engine.FriendLost)}, []engine.Event{of(engine.ContactChanged)}, "u gone 08-01"},
		"a message from before that is told late":       {[]engine.Event{of(engine.Message), of(engine.FriendLost)}, []engine.Event{at(of(engine.Message), start.Add(-time.Hour))}, "u since 08-01 active 08-01 gone 08-01"},
		"a loss from before that is told late":          {[]engine.Event{of(engine.Message)}, []engine.Event{of(engine.Message), at(of(engine.FriendLost), start)}, "u since 08-01 active 08-03"},
		"an old message does not make anybody inactive": {[]engine.Event{of(engine.Message)}, []engine.Event{at(of(engine.Message), start.Add(-72*time.Hour))}, "u since 08-01 active 08-01"},
		"a platform's clock that is ahead":              {[]engine.Event{at(of(engine.Message), start.AddDate(1, 0, 0))}, nil, "u since 08-01 active 08-01"},
		"a name":                                        {[]engine.Event{called(of(engine.Message), "张三")}, nil, "u 张三 since 08-01 active 08-01"},
		"another name within a day waits":               {[]engine.Event{called(of(engine.Message), "张三"), called(of(engine.Message), "李四")}, nil, "u 张三 since 08-01 active 08-01"},
		"another name on another day":                   {[]engine.Event{called(of(engine.Message), "张三")}, []engine.Event{called(of(engine.Message), "李四")}, "u 李四 since 08-01 active 08-03"},
		"a name that is too long is cut":                {[]engine.Event{called(of(engine.Message), strings.Repeat("名", 100))}, nil, "u " + strings.Repeat("名", 42) + " since 08-01 active 08-01"},
		"what is about the account is of nobody":        {[]engine.Event{{Kind: engine.Offline}, {Kind: engine.AsyncResult, Conversation: "u"}}, nil, ""},
		"what the engine raises is nobody's doing":      {[]engine.Event{of(engine.Scheduled), of(engine.Expired), of(engine.Released), of(engine.Due)}, nil, ""},
		"an id that is too long":                        {[]engine.Event{{Kind: engine.Message, Conversation: strings.Repeat("u", MaxID+1)}}, nil, ""},
		"an id that could be two":                       {[]engine.Event{{Kind: engine.Message, Conversation: "u\x00l"}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			for _, e := range tt.first {
				r.happens(e)
			}
			r.m.now = r.m.now.Add(later)
			for _, e := range tt.second {
				r.happens(e)
			}
			if got := r.all(); got != tt.want {
				t.Errorf("the directory has %q, want %q", got, tt.want)
			}
		})
	}
}

func TestADayOfChatterCostsOneNoteAndTwoReads(t *testing.T) {
	r := newRig(t, Options{})
	written := 0
	for range 1000 {
		written += len(r.happens(of(engine.Message)))
		r.m.now = r.m.now.Add(30 * time.Second)
	}
	if written != 1 || r.m.reads != 2 { // of the first message, and of the second
		t.Errorf("%d notes and %d reads", written, r.m.reads)
	}
}

func TestDaysBeginWhereTheAccountIs(t *testing.T) {
	shanghai := time.FixedZone("CST", 8*3600)
	r := newRig(t, Options{Location: func(string) *time.Location { return shanghai }})
	r.m.now = time.Date(2026, 8, 1, 15, 59, 0, 0, time.UTC)
	r.happens(of(engine.Message))
	r.m.now = r.m.now.Add(time.Minute)
	if r.happens(of(engine.Message)); r.all() != "u since 08-01 active 08-02" {
		t.Error(r.all())
	}
}

func TestWhoIsGoneIsForgottenInTheEndWithAllTheyWereGiven(t *testing.T) {
	r := newRig(t, Options{})
	r.happens(of(engine.Message))
	name := "老王"
	r.change(Change{ID: "u", Add: []string{"vip"}, Name: &name}, Change{ID: "u2", Add: []string{"vip"}})
	r.happens(of(engine.FriendLost))
	r.m.now = r.m.now.Add(399 * 24 * time.Hour)
	r.change(Change{ID: "u", Add: []string{"late"}})
	if got := r.all(); got != "u 老王 [late vip] since 08-01 active 08-01 gone 08-01; u2 [vip]" {
		t.Error(got)
	}
	r.m.now = r.m.now.Add(25 * time.Hour)
	for key, n := range r.m.notes {
		if r.m.stands(n) && !strings.HasPrefix(key, "given/u2\x00") {
			t.Errorf("%q is still there", key)
		}
	}
}

func TestWhoComesBackHasTheirLabelsAndKeepsThem(t *testing.T) {
	r := newRig(t, Options{})
	r.happens(of(engine.Message))
	r.change(Change{ID: "u", Add: []string{"vip"}})
	r.happens(of(engine.FriendLost))
	r.m.now = r.m.now.Add(24 * time.Hour)
	r.happens(of(engine.FriendAdded))
	r.m.now = r.m.now.Add(1000 * 24 * time.Hour)
	if got := r.all(); got != "u [vip] since 08-02 active 08-01" {
		t.Error(got)
	}
}

func TestWhomPeopleNamedIsThereUntilTheyGo(t *testing.T) {
	r := newRig(t, Options{})
	step := func(want string) {
		t.Helper()
		if got := r.all(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		r.m.now = r.m.now.Add(24 * time.Hour)
	}
	r.change(Change{ID: "u", Present: true, Add: []string{"a"}})
	step("u [a]")
	r.happens(of(engine.FriendLost))
	step("u [a] gone 08-02")
	r.change(Change{ID: "u", Add: []string{"b"}})
	step("u [a b] gone 08-02")
	r.change(Change{ID: "u", Present: true})
	step("u [a b]")
	r.happens(of(engine.FriendLost))
	step("u [a b] gone 08-05")
	r.happens(of(engine.Message))
	step("u [a b] since 08-06 active 08-06")
}

func TestAStoreThatCannotBeReadFailsTheEvent(t *testing.T) {
	r := newRig(t, Options{})
	r.m.err = errors.New("broken")
	e := of(engine.Message)
	if _, err := r.Learn(&e); !errors.Is(err, r.m.err) {
		t.Error(err)
	}
}

func TestANoteThatCannotBeReadIsWrittenAnew(t *testing.T) {
	r := newRig(t, Options{})
	r.m.notes["contact/u"] = engine.Note{Key: "contact/u", Value: "2 something else"}
	if got := r.all(); got != "" {
		t.Error(got)
	}
	if r.happens(of(engine.Message)); r.all() != "u since 08-01 active 08-01" {
		t.Error(r.all())
	}
}
