package llm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/fetch"
	"bot/engine/trial"
	"bot/engine/turn"
	"bot/skills"
	"bot/skills/llm/llmstub"
	"bot/skills/skilltest"
)

func TestAModelThatKeepsFailingIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := llmstub.Refuse(401, "", "")
		r := newRig(t, chat(), down, down, down, down, down, down, llmstub.Say("好"))
		ask := func() string { return strings.Join(r.Say("你好"), "|") }
		for range 8 {
			if said := ask(); said != fallback {
				t.Fatalf("says %q", said)
			}
		}
		if n := len(r.stub.Requests()); n != 5 {
			t.Errorf("%d requests, want 5", n)
		}
		time.Sleep(time.Second)
		ask() // finds out that it is still down
		ask()
		time.Sleep(1900 * time.Millisecond)
		ask()
		if n := len(r.stub.Requests()); n != 6 {
			t.Errorf("%d requests, want 6", n)
		}
		time.Sleep(100 * time.Millisecond)
		if said := ask(); said != "好" {
			t.Errorf("says %q", said)
		}
	})
}

func TestRequestsAtFaultSayNothingOfTheModel(t *testing.T) {
	for name, reply := range map[string]llmstub.Reply{
		"too long a conversation": llmstub.Refuse(400, "context_length_exceeded", ""), "no words": llmstub.Say(""),
	} {
		r := newRig(t, chat(), reply)
		for range 9 {
			r.Say("你好")
		}
		if n := len(r.stub.Requests()); n != 9 {
			t.Errorf("%s: %d requests, want 9", name, n)
		}
	}
}

func TestAStoppingEngineIsNoFailureOfTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, chat(), llmstub.Reply{Stall: true})
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			out, err := r.skill().Handle(ctx, r.turn("你好"))
			if !errors.Is(err, context.DeadlineExceeded) || len(out.Commands) > 0 {
				t.Errorf("%+v, %v: the event is to be answered after the next start", out, err)
			}
			cancel()
		}
		if n := len(r.stub.Requests()); n != 10 {
			t.Errorf("%d requests, want 10", n)
		}
	})
}

func TestWhatCannotBeLookedUpFailsTheTurn(t *testing.T) {
	broken := errors.New("disk")
	r := newRig(t, chat("per_user_per_day = 1"), llmstub.Say("好"))
	for name, change := range map[string]func(*engine.Turn){
		"the history": func(t *engine.Turn) { t.Recall = func(string) (string, error) { return "", broken } },
		"the budget":  func(t *engine.Turn) { t.Counted = func(string) (int, error) { return 0, broken } },
	} {
		if _, err := r.skill().Handle(t.Context(), r.turn("你好", change)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(r.stub.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestOverTheNetwork(t *testing.T) {
	stub := llmstub.New(llmstub.Reply{Chunks: []string{"你"}, Cut: true}, llmstub.Reply{Chunks: []string{"你", "好"}})
	srv := httptest.NewServer(stub)
	defer srv.Close()
	toml := strings.Replace(chat(), "https://llm.example.com", srv.URL, 1)
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := skilltest.NewChat(t, set).Say("你好"); !slices.Equal(got, []string{"你好"}) {
		t.Errorf("says %q", got)
	}
	srv.Close()
	out, err := set.Rules(skilltest.NewChat(t, set).Message("x"))[0].Skill.Handle(t.Context(), (&rig{Chat: skilltest.NewChat(t, set)}).turn("x"))
	if err != nil || !strings.Contains(out.Note, "cannot connect to the endpoint") {
		t.Errorf("%v, note %q", err, out.Note)
	}
}

func TestTheKeyIsNeverPrinted(t *testing.T) {
	c := skilltest.Parse(t, chat("max_tokens = 0", "temperature = 9"))
	_, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}})
	r := newRig(t, chat(), llmstub.Say("好"))
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "skill", r.skill(), "turn", r.turn("x"))
	shown := fmt.Sprintf("%v %+v %#v %s %v %q", r.skill(), r.skill(), r.skill(), log.String(), err, c.Warnings())
	if err == nil || strings.Contains(shown, secret) {
		t.Errorf("%v: the key stands in %s", err, shown)
	}
}

func TestAKeyMayStandInAFile(t *testing.T) {
	if config.NewSecret(secret).String() == secret {
		t.Fatal("a secret shows itself")
	}
	toml := strings.Replace(chat(), "api_key = ", "api_key_file = ", 1)
	c, err := config.Parse("/etc/bot/bot.toml", []byte(toml), func(string) (string, bool) { return "", false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	var sections []engine.Section
	for _, s := range c.Skills {
		sections = append(sections, s)
	}
	// There is no such file, which is the one problem.
	_, err = skills.Build(sections, skills.Options{Accounts: []string{"shop"}})
	if got := skilltest.Problems(err); len(got) != 1 || !strings.Contains(got[0], "api_key_file: cannot read") {
		t.Errorf("problems %q", got)
	}
}

func TestTestsOfOperators(t *testing.T) {
	toml := chat("per_user_per_day = 2", `over_budget = "用完了"`, `fallback = "请找人工"`)
	r := newRig(t, toml, llmstub.Say("the network was reached"))
	for _, tt := range []struct {
		name    string
		answers []engine.Answer
		send    []string
		expect  []string
	}{
		{"a text stands for the model's words", []engine.Answer{{Body: "<think>hm</think>你好"}}, []string{"在吗"}, []string{"/^你好$/"}},
		{"one answer for each question", []engine.Answer{{Body: "一"}, {Body: "二"}}, []string{"a", "营业时间", "b", "c"}, []string{"一", "9:00", "二", "用完了"}},
		{"a status stands for a failure, which is tried once", []engine.Answer{{Status: 500}, {Body: "二"}}, []string{"a", "b"}, []string{"请找人工", "二"}},
		{"nothing stands for nothing", []engine.Answer{{Body: ""}}, []string{"a"}, []string{"请找人工"}},
		{"without answers the fallback is said", nil, []string{"a"}, []string{"请找人工"}},
		{"failures of one test do not carry over", slices.Repeat([]engine.Answer{{Status: 500}}, 9), slices.Repeat([]string{"a"}, 9), slices.Repeat([]string{"请找人工"}, 9)},
		{"as this one shows", []engine.Answer{{Body: "好"}}, []string{"a"}, []string{"好"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := trial.Run(t.Context(), trial.Options{
				Setup:   turn.Setup{Router: r.set, Accounts: map[string]engine.Account{"shop": {Name: "shop", Location: time.UTC}}},
				Account: "shop", Start: skilltest.Start, Timeout: time.Second, Chance: func() float64 { return 0.5 },
			}, engine.Script{Skill: "chat", Where: "bot.toml:1:1", Send: tt.send, Expect: tt.expect, Answers: tt.answers})
			if err != nil {
				t.Error(err)
			}
		})
	}
	if n := len(r.stub.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestNothingIsAskedOffline(t *testing.T) {
	r := newRig(t, chat(), llmstub.Say("好"))
	out, err := r.skill().Handle(fetch.Offline(t.Context()), r.turn("你好"))
	if err != nil || !strings.Contains(out.Note, "answers = ") || len(r.stub.Requests()) > 0 {
		t.Errorf("%v, %+v", err, out)
	}
}
