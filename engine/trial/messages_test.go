package trial_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/trial"
)

// see returns what a skill sees of the last of some lines.
func see(t *testing.T, group string, lines ...string) engine.Event {
	t.Helper()
	var seen engine.Event
	o := fakeOptions(fake{handle: func(tn *engine.Turn) (engine.Outcome, error) {
		seen = *tn.Event
		return engine.Outcome{}, nil
	}})
	o.Group = group
	play(t, o, lines...)
	return seen
}

func TestMessagesAreSuchAsAdaptersMake(t *testing.T) {
	media := func(kind, url, name string) string {
		b, err := json.Marshal([]engine.Media{{Kind: kind, URL: url, Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tt := range []struct {
		line, typ, text, media string
		params                 map[string]string
	}{
		{"/image 菜单.png", "image", "", media("image", "https://trial.invalid/%E8%8F%9C%E5%8D%95.png", "菜单.png"), nil},
		{"/file 报价 2026.pdf", "file", "", media("file", "https://trial.invalid/%E6%8A%A5%E4%BB%B7%202026.pdf", "报价 2026.pdf"), nil},
		{"/file https://example.com/d/a.pdf", "file", "", media("file", "https://example.com/d/a.pdf", "a.pdf"), nil},
		{"/video a.mp4", "video", "", media("video", "https://trial.invalid/a.mp4", "a.mp4"), nil},
		{"/voice", "voice", "", media("voice", "https://trial.invalid/voice.amr", "voice.amr"), nil},
		{"/voice a.amr 我要 领券", "voice", "我要 领券", media("voice", "https://trial.invalid/a.amr", "a.amr"), nil},
		{"/sticker", "emoji", "", "null", nil},
		{"/link https://example.com/a 一 篇", "link", "", "null", map[string]string{"url": "https://example.com/a", "title": "一 篇"}},
		{"/location 人民广场", "location", "", "null", map[string]string{"title": "人民广场", "address": "人民广场", "latitude": "31.2304", "longitude": "121.4737"}},
		{"/location 人民 广场 -1.5，2", "location", "", "null", map[string]string{"title": "人民 广场", "address": "人民 广场", "latitude": "-1.5", "longitude": "2"}},
		{"/quote 这个多少钱", "quote", "这个多少钱", "null", nil},
	} {
		t.Run(tt.line, func(t *testing.T) {
			e := see(t, "", tt.line)
			got, err := json.Marshal(e.Media)
			if err != nil {
				t.Fatal(err)
			}
			params, want := mustJSON(t, e.Params), mustJSON(t, tt.params)
			if e.Kind != engine.Message || e.Type != tt.typ || e.Text != tt.text || string(got) != tt.media || params != want {
				t.Errorf("a skill sees %s %q %s %s", e.Type, e.Text, got, params)
			}
		})
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWhoIsMeantInAGroup(t *testing.T) {
	for line, want := range map[string]engine.Mention{
		"你好": engine.MentionMe, "/quote 你好": engine.MentionMe,
		"/nomention 你好": engine.MentionNone, "/image a.png": engine.MentionNone, "/voice a.amr 你好": engine.MentionNone,
	} {
		if e := see(t, "g1", line); e.Mention != want || !e.Group || e.Conversation != "g1" || e.Sender != "user" {
			t.Errorf("%s: mentions %q in %q", line, e.Mention, e.Conversation)
		}
		if e := see(t, "", "/in g1", line, "/in -", "x"); e.Mention != engine.MentionNone || e.Group || e.Conversation != "user" {
			t.Errorf("afterwards in private: %+v", e)
		}
	}
}

func TestAButtonIsPressed(t *testing.T) {
	if e := see(t, "", "/button agree=1"); e.Kind != engine.Button || e.Text != "agree=1" {
		t.Errorf("a skill sees %+v", e)
	}
}

func TestEventsHaveFields(t *testing.T) {
	for _, tt := range []struct {
		line, text, actor string
		members           []string
		params            string
	}{
		{"/event member_joined", "", "", []string{"user"}, "null"},
		{"/event member_joined members=u1,u2 actor=u3", "", "u3", []string{"u1", "u2"}, "null"},
		{"/event member_joined  members=u1，u2、u4", "", "", []string{"u1", "u2", "u4"}, "null"},
		{"/event member_joined members=", "", "", []string{}, "null"},
		{"/event group_renamed actor=u3 新 群", "新 群", "u3", []string{"user"}, "null"},
		{"/event group_renamed a=b", "a=b", "", []string{"user"}, "null"},
		{"/event group_renamed 新群 actor=u3", "新群 actor=u3", "", []string{"user"}, "null"},
		{"/event revoke params.revoked=77", "", "", nil, `{"revoked":"77"}`},
		{"/event friend_request params.scene=9 你好", "你好", "", nil, `{"scene":"9"}`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			e := see(t, "g1", tt.line)
			if e.Text != tt.text || e.Actor != tt.actor || !slices.Equal(e.Members, tt.members) || len(e.MemberNames) != len(e.Members) || mustJSON(t, e.Params) != tt.params {
				t.Errorf("a skill sees %+v", e)
			}
		})
	}
}

func TestTheStateOfTheOneWhoSpeaksCanBeLookedAt(t *testing.T) {
	tr := trial.New(options(t, shop))
	for _, step := range []struct{ line, want string }{
		{"/state", "user: in no skill"},
		{"绑定", ""},
		{"/state", "user: in skill bind, at phone, until 09:10:00 (in 10m0s)"},
		{"12", ""},
		{"/wait 4m", ""},
		{"/state", "user: in skill bind, at phone, bad answers 1, until 09:10:00 (in 6m0s)"},
		{"/as u2", ""},
		{"/state", "u2: in no skill"},
		{"/in g1", ""},
		{"/state", "u2 in g1: in no skill"},
		{"/reset", ""},
		{"/state", "user: in no skill"},
	} {
		r, err := tr.Do(t.Context(), step.line)
		if got := strings.Join(r.Notes, "|"); err != nil || got != step.want {
			t.Errorf("%s: notes %q, %v; want %q", step.line, got, err, step.want)
		}
	}
}

func TestAStateThatAllShareIsShown(t *testing.T) {
	f := fake{scope: engine.ScopeConversation, handle: func(*engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{State: &engine.State{Node: "n", Data: map[string]string{"b": "2", "a": "1"}}}, nil
	}}
	o := fakeOptions(f)
	o.Group = "g1"
	tr := trial.New(o)
	if _, err := tr.Do(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	r, err := tr.Do(t.Context(), "/state")
	if want := []string{"user in g1: in no skill", "all of g1: in skill fake, at n, a=1, b=2"}; err != nil || !slices.Equal(r.Notes, want) {
		t.Errorf("notes %q, %v", r.Notes, err)
	}
}

func TestAResetForgetsEverythingButTheTime(t *testing.T) {
	got := play(t, options(t, shop), "领券", "领券", "/wait 1h", "/as b", "/reset", "领券", "几点")
	if want := []string{"券 user 2026-03-02", "今天已经领过啦", "", "", "", "券 user 2026-03-02", "10:00"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEventsFromElsewhereArePlayedAtTheirTime(t *testing.T) {
	o := options(t, shop)
	tr := trial.New(o)
	var told []string
	hear := func(e *engine.Event, r trial.Reply, err error) {
		if err != nil {
			t.Error(err)
		}
		told = append(told, e.Received.Sub(o.Start).Round(time.Minute).String()+" "+e.Sender+" "+strings.Join(r.Texts, "|"))
	}
	for i, step := range []struct {
		after            time.Duration
		user, text, want string
	}{
		{0, "a", "绑定", "请输入手机号"},
		{5 * time.Minute, "b", "绑定", "请输入手机号"},
		{9 * time.Minute, "a", "几点", "手机号格式不对"},
		{20 * time.Minute, "a", "几点", "09:20"},
	} {
		at := o.Start.Add(step.after)
		tr.Pass(t.Context(), at, hear)
		e := &engine.Event{Account: "shop", Kind: engine.Message, Type: "text", ID: string(rune('a' + i)), Conversation: step.user, Sender: step.user, Text: step.text, Received: at}
		r, err := tr.Play(t.Context(), e)
		if err != nil || !slices.Equal(r.Texts, []string{step.want}) {
			t.Errorf("%s: %q, %v", step.text, r.Texts, err)
		}
		if !e.Received.Equal(at) {
			t.Error("the event was changed")
		}
	}
	if want := []string{"10m0s a a 的会话已过期", "15m0s b b 的会话已过期"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
