package replay_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/replay"
	"bot/engine/trial"
	"bot/engine/turn"
	"bot/skills"
	"bot/skills/skilltest"
)

// shop is the configuration that runs.
const shop = `
[[skill]]
name = "hours"
keywords = ["几点"]
reply = "9 点开门"
[[skill]]
name = "today"
keywords = ["日期"]
reply = "{{.Day}}"
[[skill]]
name = "coupon"
keywords = ["领券"]
reply = "券"
once = "{{.User}}"
once_reply = "领过了"
[[skill]]
name = "bind"
keywords = ["绑定"]
match = "exact"
expires = "10m"
expired_reply = "会话已过期"
done = "好：{{.Data.phone}}"
[[skill.step]]
save = "phone"
ask = "手机号？"
[[skill]]
name = "accept"
on = "friend_request"
do = "accept_friend"
`

func options(t *testing.T, toml string, accounts ...string) trial.Options {
	t.Helper()
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{
		Accounts: accounts, Can: func(string, engine.Action) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	o := trial.Options{Setup: turn.Setup{Router: set, Accounts: make(map[string]engine.Account)}, Timeout: time.Second, Chance: func() float64 { return 0.5 }}
	for _, a := range accounts {
		o.Setup.Accounts[a] = engine.Account{Name: a, Location: time.UTC}
	}
	return o
}

// said is a text that was received some minutes after the start.
func said(minute int, user, text string) *engine.Event {
	at := skilltest.Start.Add(time.Duration(minute) * time.Minute)
	return &engine.Event{
		Account: "shop", Kind: engine.Message, Type: "text", ID: fmt.Sprint(minute, user, text),
		Conversation: user, Sender: user, Text: text, Received: at, Time: at,
	}
}

func of(account string, e *engine.Event) *engine.Event {
	e.Account = account
	return e
}

func request(minute int, user string) *engine.Event {
	e := said(minute, user, "hi")
	e.Kind, e.Type, e.Params = engine.FriendRequest, "", map[string]string{"scene": "7"}
	return e
}

func TestWhatChanges(t *testing.T) {
	replaced := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(shop) }
	for _, tt := range []struct {
		name   string
		config string
		events []*engine.Event
		want   []string // minute user what: old → new
	}{
		{"nothing, where nothing is changed", shop,
			[]*engine.Event{said(0, "a", "几点"), said(1, "a", "绑定"), said(20, "a", "领券"), said(21, "a", "领券")}, nil},
		{"nothing, where what changed was not met", replaced("9 点", "8 点"), []*engine.Event{said(0, "a", "领券")}, nil},
		{"a text", replaced("9 点", "8 点"), []*engine.Event{said(0, "a", "几点"), said(1, "b", "领券"), said(2, "b", "几点")},
			[]string{"0 a message: [9 点开门] → [8 点开门]", "2 b message: [9 点开门] → [8 点开门]"}},
		{"a reply that is new", shop + "[[skill]]\nname = \"rest\"\nmatch = \"any\"\nreply = \"?\"\n", []*engine.Event{said(0, "a", "嗯")}, []string{"0 a message: [] → [?]"}},
		{"one that is gone", replaced(`keywords = ["几点"]`, `keywords = ["几时"]`), []*engine.Event{said(0, "a", "几点")}, []string{"0 a message: [9 点开门] → []"}},
		{"an action", replaced(`do = "accept_friend"`, `reply = "请稍候"`), []*engine.Event{request(0, "a")},
			[]string{"0 a friend_request: [accept_friend scene=7] → [请稍候]"}},
		{"what follows from states", replaced(`ask = "手机号？"`, "ask = \"手机号？\"\npattern = '^1'\ninvalid = \"不对\""), []*engine.Event{said(0, "a", "绑定"), said(1, "a", "几点")},
			[]string{"1 a message: [好：几点] → [不对]", "10 a expired: [] → [会话已过期]"}},
		{"the time of receipt counts", replaced("{{.Day}}", "{{.Day}} {{.Now.Hour}}"), []*engine.Event{said(61, "a", "日期")}, []string{"61 a message: [2026-03-02] → [2026-03-02 2]"}},
		{"what is done once", replaced(`"领过了"`, `"还要？"`), []*engine.Event{said(1, "a", "领券"), said(5, "a", "领券")},
			[]string{"5 a message: [领过了] → [还要？]"}},

		{"what is said when time runs out", replaced("会话已过期", "超时了"), []*engine.Event{said(0, "a", "绑定"), said(30, "a", "几点")},
			[]string{"10 a expired: [会话已过期] → [超时了]"}},
		{"also after the last event", replaced("会话已过期", "超时了"), []*engine.Event{said(0, "b", "绑定"), said(1, "a", "绑定")},
			[]string{"10 b expired: [会话已过期] → [超时了]", "11 a expired: [会话已过期] → [超时了]"}},
		{"a longer time, where nobody notices", replaced(`expires = "10m"`, `expires = "20m"`), []*engine.Event{said(0, "a", "绑定"), said(15, "b", "几点"), said(30, "a", "几点")}, nil},
		{"and where somebody does", replaced(`expires = "10m"`, `expires = "20m"`), []*engine.Event{said(0, "a", "绑定"), said(15, "a", "几点")},
			[]string{"10 a expired: [会话已过期] → []", "15 a message: [9 点开门] → [好：几点]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := replay.Options{Old: options(t, shop, "shop"), New: options(t, tt.config, "shop"), Until: skilltest.Start.Add(24 * time.Hour)}
			var got []string
			sum, err := replay.Compare(t.Context(), o, slices.Values(tt.events), func(c replay.Change) {
				minute := int(c.Event.Received.Sub(skilltest.Start).Minutes())
				got = append(got, fmt.Sprintf("%d %s %s: %v → %v", minute, c.Event.Sender, c.Event.Kind, c.Old, c.New))
			})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("changes\n%s\nwant\n%s\n(%v)", strings.Join(got, "\n"), strings.Join(tt.want, "\n"), err)
			}
			if sum.Events != len(tt.events) || sum.Changed != len(tt.want) || sum.Left != nil {
				t.Errorf("counted %+v", sum)
			}
		})
	}
}

func TestAccountsOfOneSideAreLeftOut(t *testing.T) {
	o := replay.Options{Old: options(t, shop, "shop", "old"), New: options(t, "", "shop", "new"), Until: skilltest.Start}
	var got int
	sum, err := replay.Compare(t.Context(), o, slices.Values([]*engine.Event{
		said(0, "a", "几点"), of("old", said(1, "a", "几点")), of("new", said(2, "a", "几点")), of("old", said(3, "b", "几点")),
	}), func(replay.Change) { got++ })
	if err != nil || got != 1 || sum.Events != 1 || !maps.Equal(sum.Left, map[string]int{"old": 2, "new": 1}) {
		t.Errorf("%d changes, %+v, %v", got, sum, err)
	}
}

// failing is a router whose one skill fails as it is told.
type failing struct{ why string }

func (f failing) Name() string { return "f" }
func (f failing) Handle(context.Context, *engine.Turn) (engine.Outcome, error) {
	if f.why == "" {
		return engine.Outcome{}, nil
	}
	return engine.Outcome{}, errors.New(f.why)
}
func (f failing) Route(*engine.Event, engine.State, engine.State) []engine.Choice {
	return []engine.Choice{{Skill: f}}
}
func (f failing) Rules(*engine.Event) []engine.Choice { return nil }

func TestASkillThatFailsIsADifference(t *testing.T) {
	side := func(why string) trial.Options {
		o := options(t, "", "shop")
		o.Setup.Router = failing{why}
		return o
	}
	for _, tt := range []struct{ old, new, want string }{
		{"", "", ""},
		{"x", "x", ""},
		{"", "x", `[] → [error: skill "f" failed: x]`},
		{"x", "", `[error: skill "f" failed: x] → []`},
	} {
		got := ""
		_, err := replay.Compare(t.Context(), replay.Options{Old: side(tt.old), New: side(tt.new)}, slices.Values([]*engine.Event{said(0, "a", "x")}),
			func(c replay.Change) { got = fmt.Sprintf("%v → %v", c.Old, c.New) })
		if err != nil || got != tt.want {
			t.Errorf("%q and %q: %s, %v", tt.old, tt.new, got, err)
		}
	}
}

func TestAReplayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := replay.Options{Old: options(t, shop, "shop"), New: options(t, shop, "shop")}
	if _, err := replay.Compare(ctx, o, slices.Values([]*engine.Event{said(0, "a", "几点")}), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("says %v", err)
	}
}

// BenchmarkCompare plays forms of many people that run out.
func BenchmarkCompare(b *testing.B) {
	var events []*engine.Event
	for i := range 20_000 {
		events = append(events, said(i/20, fmt.Sprint("u", i%5000), []string{"绑定", "几点", "领券"}[i%3]))
	}
	set, err := skills.Build(skilltest.Parse(b, shop).Sections, skills.Options{Accounts: []string{"shop"}, Can: func(string, engine.Action) bool { return true }})
	if err != nil {
		b.Fatal(err)
	}
	o := trial.Options{
		Setup:   turn.Setup{Router: set, Accounts: map[string]engine.Account{"shop": {Name: "shop", Location: time.UTC}}},
		Timeout: time.Second, Chance: func() float64 { return 0.5 },
	}
	for b.Loop() {
		sum, err := replay.Compare(b.Context(), replay.Options{Old: o, New: o, Until: skilltest.Start.Add(48 * time.Hour)}, slices.Values(events), func(replay.Change) {})
		if err != nil || sum.Changed != 0 {
			b.Fatal(sum, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(events)), "µs/event")
}
