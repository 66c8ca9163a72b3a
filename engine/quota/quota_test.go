package quota

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

func TestADayEndsWhenTheDateChangesThere(t *testing.T) {
	for _, tt := range []struct{ name, zone, at, ends string }{
		{"an ordinary day", "Asia/Shanghai", "2026-12-01T12:03:20Z", "2026-12-01T16:00:00Z"},
		{"one second before midnight", "Asia/Shanghai", "2026-12-01T15:59:59Z", "2026-12-01T16:00:00Z"},
		{"at midnight the next one begins", "Asia/Shanghai", "2026-12-01T16:00:00Z", "2026-12-02T16:00:00Z"},
		{"23 hours, where clocks go forward at 2", "America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"},
		{"25 hours, where clocks go back at 2", "America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"midnight that the clocks skip", "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"},
		{"a day that has no midnight of its own", "Africa/Cairo", "2026-04-23T22:30:00Z", "2026-04-24T21:00:00Z"},
		{"clocks put back at midnight to the same day", "America/Sao_Paulo", "2018-02-18T01:30:00Z", "2018-02-18T03:00:00Z"},
		{"clocks put back at 1 to a second midnight", "America/Havana", "2026-10-31T12:00:00Z", "2026-11-01T04:00:00Z"},
		{"a date that was left out", "Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-30T10:00:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			zone, err := time.LoadLocation(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			at, _ := time.Parse(time.RFC3339, tt.at)
			day := DayAt(at, zone)
			if got := day.Ends.UTC().Format(time.RFC3339); got != tt.ends {
				t.Errorf("ends %s (%v), want %s", got, day.Ends, tt.ends)
			}
			if last := day.Ends.Add(-1).In(zone).Format(time.DateOnly); last != day.Name {
				t.Errorf("the moment before its end lies in %s, not in %s", last, day.Name)
			}
			if next := DayAt(day.Ends, zone); next.Name == day.Name {
				t.Errorf("its end lies in %s itself", day.Name)
			}
		})
	}
}

func TestWhetherADayHolds(t *testing.T) {
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	day := DayAt(at, time.UTC)
	for _, tt := range []struct {
		name string
		at   time.Time
		zone *time.Location
		want bool
	}{
		{"when it was looked at", at, time.UTC, true},
		{"to its last moment", day.Ends.Add(-1), time.UTC, true},
		{"not at its end", day.Ends, time.UTC, false},
		{"not when the clock was put back", at.Add(-1), time.UTC, false},
		{"not in another zone", at, time.FixedZone("elsewhere", 3600), false},
	} {
		if got := day.Holds(tt.at, tt.zone); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// book is notes in memory.
type book map[string]string

func (b book) recall(key string) (string, error) { return b[key], nil }

func (b book) add(counts []engine.Count) {
	for _, c := range counts {
		n, _ := strconv.Atoi(b[c.Key])
		b[c.Key] = strconv.Itoa(n + c.Add)
	}
}

func TestWhatIsOverWhichQuota(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	all := Limits{PushPerDay: 10, PushPerUserPerDay: 2, Unanswered: 3, UnansweredFor: 48 * time.Hour}
	push := Message{Conversation: "c", Push: true, Waits: true}
	heard := func(ago time.Duration) string { return strconv.FormatInt(now.Add(-ago).UnixNano(), 10) }
	since := "quota/unanswered/" + heard(time.Hour) + "/c"
	for _, tt := range []struct {
		name   string
		m      Message
		total  int
		notes  book
		want   Rule
		counts string
	}{
		{"a push is counted by all", push, 9, book{"quota/heard/c": heard(time.Hour)}, None, "quota/push/2026-12-01 quota/push/2026-12-01/c " + since},
		{"the account's pushes are used up", push, 10, book{"quota/heard/c": heard(time.Hour)}, PerDay, ""},
		{"the user's are", push, 0, book{"quota/push/2026-12-01/c": "2"}, PerUser, ""},
		{"another user's are", push, 0, book{"quota/push/2026-12-01/d": "2", "quota/heard/c": heard(time.Hour)}, None, "quota/push/2026-12-01 quota/push/2026-12-01/c " + since},
		{"yesterday's are", push, 0, book{"quota/push/2026-11-30/c": "2", "quota/heard/c": heard(time.Hour)}, None, "quota/push/2026-12-01 quota/push/2026-12-01/c " + since},
		{"no answer yet to so many", push, 0, book{"quota/heard/c": heard(time.Hour), since: "3"}, Unanswered, ""},
		{"as many before the last answer", push, 0, book{"quota/heard/c": heard(time.Hour), "quota/unanswered/1/c": "3"}, None, "quota/push/2026-12-01 quota/push/2026-12-01/c " + since},
		{"never wrote", push, 0, book{}, Silent, ""},
		{"wrote too long ago", push, 0, book{"quota/heard/c": heard(48 * time.Hour)}, Silent, ""},
		{"a reply asks for the answer alone", Message{Conversation: "c", Waits: true}, 10, book{"quota/push/2026-12-01/c": "2", "quota/heard/c": heard(time.Hour)}, None, since},
		{"a reply to somebody silent", Message{Conversation: "c", Waits: true}, 0, book{}, Silent, ""},
		{"a push to a group", Message{Conversation: "c", Push: true}, 0, book{}, None, "quota/push/2026-12-01 quota/push/2026-12-01/c"},
		{"what says nothing", Message{Conversation: "c"}, 10, book{}, None, ""},
		{"a number that is none", push, 0, book{"quota/push/2026-12-01/c": "x", "quota/heard/c": heard(time.Hour)}, None, "quota/push/2026-12-01 quota/push/2026-12-01/c " + since},
	} {
		t.Run(tt.name, func(t *testing.T) {
			day := DayAt(now, time.UTC)
			v, err := all.Check(tt.m, &day, tt.total, now, tt.notes.recall)
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, c := range v.Counts {
				keys = append(keys, c.Key)
				if c.Add != 1 || !c.Expires.After(now.Add(24*time.Hour)) || c.Expires.After(now.Add(72*time.Hour)) {
					t.Errorf("%+v", c)
				}
			}
			if got := strings.Join(keys, " "); v.Over != tt.want || got != tt.counts {
				t.Errorf("over %q, counts %s; want %q, %s", v.Over.Key(), got, tt.want.Key(), tt.counts)
			}
		})
	}
}

func TestWhatIsGivenBackIsAsIfItHadNotBeen(t *testing.T) {
	now := time.Date(2026, 12, 1, 23, 59, 59, 0, time.UTC)
	l := Limits{PushPerDay: 10, PushPerUserPerDay: 1}
	notes, day := book{}, DayAt(now, time.UTC)
	v, _ := l.Check(Message{Conversation: "c", Push: true}, &day, 0, now, notes.recall)
	notes.add(v.Counts)
	if !OfDay(&day, v.Counts) {
		t.Error("the day's total is not among the counts")
	}
	next := DayAt(now.Add(time.Minute), time.UTC)
	if OfDay(&next, v.Counts) {
		t.Error("it counts for the day after, too")
	}
	notes.add(GiveBack(v.Counts))
	for key, n := range notes {
		if n != "0" {
			t.Errorf("%s is %s", key, n)
		}
	}
}

func TestABrokenStoreIsToldOf(t *testing.T) {
	broken := errors.New("broken")
	day := DayAt(time.Now(), nil)
	for _, l := range []Limits{{PushPerUserPerDay: 1}, {Unanswered: 1, UnansweredFor: time.Hour}} {
		_, err := l.Check(Message{Push: true, Waits: true}, &day, 0, time.Now(), func(string) (string, error) { return "", broken })
		if !errors.Is(err, broken) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestWhatIsHeard(t *testing.T) {
	received := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	said := func(change func(*engine.Event)) *engine.Event {
		e := &engine.Event{Kind: engine.Message, Conversation: "c", Received: received, Time: received.Add(-time.Minute)}
		if change != nil {
			change(e)
		}
		return e
	}
	for _, tt := range []struct {
		name  string
		event *engine.Event
		want  bool
	}{
		{"a message", said(nil), true},
		{"a button", said(func(e *engine.Event) { e.Kind = engine.Button }), true},
		{"our own message", said(func(e *engine.Event) { e.Self = true }), false},
		{"somebody who looks in", said(func(e *engine.Event) { e.Kind = engine.EnterChat }), false},
		{"a new friend", said(func(e *engine.Event) { e.Kind = engine.FriendAdded }), false},
	} {
		if got := Hears(tt.event); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	for _, tt := range []struct {
		name       string
		heard, now time.Time
		want       bool
	}{
		{"the first time", time.Time{}, received, true},
		{"after an earlier one", received.Add(-time.Hour), received, true},
		{"not before a later one", received.Add(time.Hour), received.Add(2 * time.Hour), false},
		{"not when it is over", time.Time{}, received.Add(48*time.Hour - time.Minute), false},
	} {
		n, ok := Hearing(said(nil), 48*time.Hour, tt.heard, tt.now)
		if ok != tt.want || !n.Expires.Equal(received.Add(48*time.Hour-time.Minute)) {
			t.Errorf("%s: %v %+v", tt.name, ok, n)
		}
		if at, _ := Heard("c", book{n.Key: n.Value}.recall); !at.Equal(received) {
			t.Errorf("%s: heard at %v", tt.name, at)
		}
	}
}

func TestKeysOfLongIdsAreShortAndTheirOwn(t *testing.T) {
	day := DayAt(time.Now(), nil)
	a, b := userKey(&day, strings.Repeat("会", 200)+"a"), userKey(&day, strings.Repeat("会", 200)+"b")
	if len(a) > maxKey || a == b || !strings.HasPrefix(a, "quota/push/") {
		t.Errorf("%q, %q", a, b)
	}
}

func TestWhatPeopleRead(t *testing.T) {
	zone, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	l := Limits{PushPerDay: 500, PushPerUserPerDay: 1, Unanswered: 5, UnansweredFor: 48 * time.Hour, Zone: zone}
	day := DayAt(time.Date(2026, 12, 1, 4, 0, 0, 0, time.UTC), zone)
	for _, tt := range []struct {
		rule Rule
		want string
	}{
		{PerDay, "quota: 500 pushes a day (push_per_day) are used up; goes on 2026-12-02 00:00 Asia/Shanghai"},
		{PerUser, "quota: 1 push a day to one user (push_per_user_per_day) are used up; goes on 2026-12-02 00:00 Asia/Shanghai"},
		{Unanswered, "quota: 5 messages without an answer (unanswered) are used up; goes on when they write"},
		{Silent, "quota: the person has not written for 48h (unanswered_for); goes on when they write"},
	} {
		if got := l.Says(tt.rule) + "; " + l.GoesOn(tt.rule, &day); got != tt.want {
			t.Errorf("%s", got)
		}
		if !strings.Contains(tt.want, "("+tt.rule.Key()+")") {
			t.Errorf("%s does not name %s", tt.want, tt.rule.Key())
		}
	}
	if got := Clock(time.Date(2026, 12, 1, 4, 3, 20, 0, time.UTC), zone); got != "2026-12-01 12:03:20 Asia/Shanghai" {
		t.Error(got)
	}
}
