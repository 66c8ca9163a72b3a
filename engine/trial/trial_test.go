package trial_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/trial"
	"bot/engine/turn"
)

func TestDialogues(t *testing.T) {
	for _, tt := range []struct {
		name  string
		group string
		lines []string
		want  []string
	}{
		{"a text is said", "", []string{"领券"}, []string{"券 user 2026-03-02"}},
		{"an event happens to the one who speaks", "", []string{"/event friend_added"}, []string{"欢迎 user | 请发送关键字"}},
		{"an action is shown with what it needs", "", []string{"/event friend_request"}, []string{"accept_friend scene=trial"}},
		{"what no skill answers", "", []string{"天气"}, []string{""}},
		{"two slashes say one", "", []string{"//wait 5m", "//", "///x"}, []string{"收到 /wait 5m", "收到 /", "收到 //x"}},
		{"so any word can begin with a slash", "", []string{"//release", "//waiting"}, []string{"收到 /release", "收到 /waiting"}},
		{"somebody else speaks from there on", "", []string{"绑定", "/as u2", "13800000000", "绑定", "/as user", "13800000000"},
			[]string{"请输入手机号", "", "", "请输入手机号", "", "绑定成功：13800000000"}},
		{"a form remembers where it stands", "", []string{"绑定", "12", "取消", "13800000000"}, []string{"请输入手机号", "手机号格式不对", "已取消。\nCancelled.", ""}},
		{"waiting moves the clock", "", []string{"几点", "/wait 2h30m", "几点", "/wait 1d", "几点"}, []string{"09:00", "", "11:30", "", "11:30"}},
		{"waiting less than the limit changes nothing", "", []string{"绑定", "/wait 9m", "13800000000"}, []string{"请输入手机号", "", "绑定成功：13800000000"}},
		{"a time limit that passes is told", "", []string{"绑定", "/wait 11m"}, []string{"请输入手机号", "user 的会话已过期"}},
		{"and ends the form", "", []string{"绑定", "/wait 11m", "13800000000"}, []string{"请输入手机号", "user 的会话已过期", ""}},
		{"it is told once", "", []string{"绑定", "/wait 11m", "/wait 11m"}, []string{"请输入手机号", "user 的会话已过期", ""}},
		{"one that did not ask to be told goes silently", "", []string{"悄悄", "/wait 6m", "x"}, []string{"说吧", "", ""}},
		{"time limits pass in their order", "", []string{"绑定", "/wait 1m", "/as b", "绑定", "/wait 1m", "/as c", "绑定", "/wait 1h"},
			[]string{"请输入手机号", "", "", "请输入手机号", "", "", "请输入手机号", "user 的会话已过期 | b 的会话已过期 | c 的会话已过期"}},
		{"a once-key is taken for everybody's own day", "", []string{"领券", "领券", "/as b", "领券", "/wait 1d", "领券", "/as user", "领券"},
			[]string{"券 user 2026-03-02", "今天已经领过啦", "", "券 b 2026-03-02", "", "券 b 2026-03-03", "", "券 user 2026-03-03"}},
		{"in a group the bot is mentioned", "g1", []string{"hello", "/as b", "hello"}, []string{"hi user in g1", "", "hi b in g1"}},
		{"in a group somebody joins", "g1", []string{"/event member_joined"}, []string{"欢迎入群"}},
		{"in a group private skills are silent", "g1", []string{"领券"}, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t, shop)
			o.Group = tt.group
			if got := play(t, o, tt.lines...); !slices.Equal(got, tt.want) {
				t.Errorf("\nsent %q\ngot  %q\nwant %q", tt.lines, got, tt.want)
			}
		})
	}
}

func TestAOnceKeyIsFreeAgainWhenItsTimeIsOver(t *testing.T) {
	o := options(t, `
[[skill]]
name = "gift"
keywords = ["gift"]
reply = "here"
once = "{{.User}}"
once_keep = "1h"
once_reply = "again?"
`)
	got := play(t, o, "gift", "/wait 59m", "gift", "/wait 2m", "gift", "gift")
	if want := []string{"here", "", "again?", "", "here", "again?"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheUserMayHaveAnotherName(t *testing.T) {
	o := options(t, shop)
	o.User = "alice"
	if got := play(t, o, "领券"); got[0] != "券 alice 2026-03-02" {
		t.Errorf("got %q", got)
	}
}

func TestBadDirectives(t *testing.T) {
	for line, says := range map[string]string{
		"/wait":               "is not a duration",
		"/wait soon":          `"soon" is not a duration`,
		"/wait -5m":           `"-5m" is not a duration`,
		"/as":                 "/as needs a user's id",
		"/as  ":               "/as needs a user's id",
		"/event":              "/event needs a kind",
		"/event friend_add":   `no event "friend_add" (did you mean "friend_added"?)`,
		"/event anniversary":  `no event "anniversary" (docs/skills.md lists all)`,
		"/event member_joind": `no event "member_joind" (did you mean "member_joined"?)`,
		"/in":                 "/in needs a group's id",
		"/event expired":      `no event "expired"`,
		"/event message":      `no event "message" (a message is said as it is`,

		"/event member_joined member=u1": "there is no field member (did you mean members=…?)",
		"/wait11m":                       "there is no command /wait11m (did you mean /wait 11m?",
		"/Wait5 m":                       "there is no command /Wait5 (did you mean /wait?",
		"／wait 11m":                      "the slash is a full-width one (did you mean /wait?)",
		"/imgae a.png":                   "did you mean /image?",
		"/image":                         "/image needs a name or an address: /image 菜单.png",
		"/file ":                         "/file needs a name or an address: /file 报价.pdf",
		"/video":                         "/video needs a name",
		"/link 标题":                       "/link needs an address: /link https://",
		"/link":                          "/link needs an address",
		"/location":                      "/location needs a place",
		"/quote":                         "/quote needs a text",
		"/button":                        "/button needs the button's key",
		"/nomention":                     "/nomention needs a text",
		"/nomention 大家好":                 "/nomention is for groups: /in 12345@chatroom comes first",
		"/state now":                     `/state stands alone, without "now"`,
		"/reset all":                     "/reset stands alone",
	} {
		t.Run(line, func(t *testing.T) {
			tr := trial.New(options(t, shop))
			r, err := tr.Do(t.Context(), line)
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("says %v, want %q", err, says)
			}
			if len(r.Texts)+len(r.Actions) > 0 {
				t.Errorf("replies %+v", r)
			}
			if r, err := tr.Do(t.Context(), "领券"); err != nil || !slices.Equal(r.Texts, []string{"券 user 2026-03-02"}) {
				t.Errorf("the trial does not go on: %+v, %v", r, err)
			}
		})
	}
}

func TestSilentLinesSayNothing(t *testing.T) {
	for line, want := range map[string]bool{
		"/wait 5m": true, "/as u2": true, "/as": true, "/in r1": true,
		"/state": true, "/reset": true, "/wait　5m": true, "/image a.png": false, "/nomention x": false,
		"/event friend_added": false, "//wait 5m": false, "/waiting": false, "hello": false, "": false,
	} {
		if trial.Silent(line) != want {
			t.Errorf("%q: silent = %v", line, !want)
		}
	}
}

func TestVerdictsAreGivenWhenAskedFor(t *testing.T) {
	o := options(t, shop)
	r, err := trial.New(o).Do(t.Context(), "领券")
	if err != nil || len(r.Verdicts) == 0 || r.Verdicts[0].Skill != "coupon" || !r.Verdicts[0].Won {
		t.Errorf("verdicts %+v, %v", r.Verdicts, err)
	}
	tr := trial.New(o)
	if _, err := tr.Do(t.Context(), "绑定"); err != nil {
		t.Fatal(err)
	}
	if r, err := tr.Do(t.Context(), "领券"); err != nil || len(r.Verdicts) != 1 || r.Verdicts[0].Skill != "bind" {
		t.Errorf("inside a form: verdicts %+v, %v", r.Verdicts, err)
	}
	o.Explain = nil
	if r, err := trial.New(o).Do(t.Context(), "领券"); err != nil || r.Verdicts != nil {
		t.Errorf("unasked: verdicts %+v, %v", r.Verdicts, err)
	}
}

// fake is a skill and its router in one: it answers everything.
type fake struct {
	handle func(t *engine.Turn) (engine.Outcome, error)
	scope  engine.Scope
}

func (f fake) Name() string { return "fake" }

func (f fake) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) { return f.handle(t) }

func (f fake) Route(*engine.Event, engine.State, engine.State) []engine.Choice {
	return []engine.Choice{{Skill: f, Scope: f.scope, Stop: true}}
}

func (f fake) Rules(e *engine.Event) []engine.Choice {
	return f.Route(e, engine.State{}, engine.State{})
}

func fakeOptions(f fake) trial.Options {
	return trial.Options{
		Setup:   turn.Setup{Router: f, Accounts: map[string]engine.Account{"shop": {Name: "shop", Location: time.UTC}}},
		Account: "shop", Start: time.Unix(1_772_000_000, 0), Timeout: time.Second, Chance: func() float64 { return 0.5 },
	}
}

func say(texts ...string) engine.Outcome {
	var o engine.Outcome
	for _, s := range texts {
		o.Commands = append(o.Commands, engine.Command{Action: engine.SendText, Text: s})
	}
	return o
}

func TestRepliesAreShownInTheOrderOfLeaving(t *testing.T) {
	o := fakeOptions(fake{handle: func(t *engine.Turn) (engine.Outcome, error) {
		out := say("last", "first", "second")
		out.Commands[0].NotBefore = t.Event.Received.Add(time.Minute)
		return out, nil
	}})
	if got := play(t, o, "x"); got[0] != "first | second | last" {
		t.Errorf("got %q", got)
	}
}

func TestASkillThatFailsSaysWhyAndChangesNothing(t *testing.T) {
	fails := true
	o := fakeOptions(fake{handle: func(t *engine.Turn) (engine.Outcome, error) {
		if fails {
			return say("never said"), errors.New("no connection")
		}
		return say("had " + t.State.Node), nil
	}})
	tr := trial.New(o)
	r, err := tr.Do(t.Context(), "x")
	if err == nil || !strings.Contains(err.Error(), "no connection") || len(r.Texts) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	fails = false
	if r, err := tr.Do(t.Context(), "x"); err != nil || !slices.Equal(r.Texts, []string{"had "}) {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
}

func TestAnExpiryThatItsSkillLetsBeIsNotToldAgain(t *testing.T) {
	var told int
	o := fakeOptions(fake{handle: func(t *engine.Turn) (engine.Outcome, error) {
		if t.Event.Kind == engine.Expired {
			told++
			return engine.Outcome{}, nil
		}
		return engine.Outcome{State: &engine.State{Node: "n", Notify: true, Expires: t.Event.Received.Add(time.Minute)}}, nil
	}})
	play(t, o, "x", "/wait 1h", "/wait 1h")
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

func TestWaitingEndsThoughASkillNeverStopsSettingTimeLimits(t *testing.T) {
	o := fakeOptions(fake{handle: func(t *engine.Turn) (engine.Outcome, error) {
		expired := engine.State{Node: "n", Notify: true, Expires: t.Event.Received.Add(-time.Hour)}
		return engine.Outcome{State: &expired}, nil
	}})
	tr := trial.New(o)
	if _, err := tr.Do(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Do(t.Context(), "/wait 1h"); err == nil || !strings.Contains(err.Error(), `skill "fake" sets its time limit again`) {
		t.Errorf("says %v", err)
	}
}

func TestAnExpiryMayBeginAnotherTimeLimit(t *testing.T) {
	o := fakeOptions(fake{handle: func(t *engine.Turn) (engine.Outcome, error) {
		out := say(t.Event.Received.Format("04:05"))
		if t.State.Misses < 3 {
			out.State = &engine.State{Misses: t.State.Misses + 1, Notify: true, Expires: t.Event.Received.Add(time.Minute)}
		}
		return out, nil
	}})
	o.Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	got := play(t, o, "x", "/wait 90s", "/wait 1h", "x")
	if want := []string{"00:00", "01:00", "02:00 | 03:00", "01:30"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnExpiryKnowsNoMoreThanTheStoreWouldTell(t *testing.T) {
	var seen engine.Event
	o := fakeOptions(fake{handle: func(t *engine.Turn) (engine.Outcome, error) {
		seen = *t.Event
		return engine.Outcome{State: &engine.State{Notify: true, Expires: t.Event.Received.Add(time.Hour)}}, nil
	}})
	o.Group = "g1"
	play(t, o, "x", "/as b", "/wait 61m")
	if seen.Kind != engine.Expired || seen.Conversation != "g1" || seen.Sender != "user" || seen.SenderName != "" || seen.Group {
		t.Errorf("saw %+v", seen)
	}
}

func TestTheClockNeverRunsBack(t *testing.T) {
	var last time.Time
	o := fakeOptions(fake{handle: func(tn *engine.Turn) (engine.Outcome, error) {
		if tn.Event.Received.Sub(last) < time.Millisecond {
			t.Errorf("%v comes after %v", tn.Event.Received, last)
		}
		last = tn.Event.Received
		return engine.Outcome{State: &engine.State{Notify: true, Expires: last.Add(1500 * time.Microsecond)}}, nil
	}})
	play(t, o, "x", "/wait 2ms", "x", "/wait 1ms", "/wait 0s", "x", "/wait 5ms", "x")
}

func TestATrialRepeatsItself(t *testing.T) {
	lines := []string{"领券", "绑定", "/as b", "绑定", "12", "/wait 11m", "领券", "/event friend_added", "/wait 1d", "领券"}
	first := play(t, options(t, shop), lines...)
	for range 20 {
		if got := play(t, options(t, shop), lines...); !slices.Equal(got, first) {
			t.Fatalf("\nfirst %q\nthen  %q", first, got)
		}
	}
}

// both keeps a state for the sender and one for the whole conversation, which
// run out at the same moment.
type both struct{ sender, shared fake }

func (b both) Route(e *engine.Event, sender, shared engine.State) []engine.Choice {
	return []engine.Choice{{Skill: named{b.sender, "sender"}}, {Skill: named{b.shared, "shared"}, Scope: engine.ScopeConversation}}
}

func (b both) Rules(e *engine.Event) []engine.Choice {
	return b.Route(e, engine.State{}, engine.State{})
}

type named struct {
	fake
	name string
}

func (n named) Name() string { return n.name }

func TestTimeLimitsThatPassTogetherPassInTheOrderOfWriting(t *testing.T) {
	for range 50 {
		var order []string
		f := fake{handle: func(tn *engine.Turn) (engine.Outcome, error) {
			if tn.Event.Kind == engine.Expired {
				if tn.State.Exists() {
					order = append(order, tn.State.Skill)
				}
				return engine.Outcome{}, nil
			}
			return engine.Outcome{State: &engine.State{Notify: true, Expires: tn.Event.Received.Add(time.Minute)}}, nil
		}}
		o := fakeOptions(f)
		o.Setup.Router = both{f, f}
		play(t, o, "x", "/wait 2m")
		if len(order) == 0 || order[0] != "sender" {
			t.Fatalf("the order is %q, want the sender's first", order)
		}
	}
}
